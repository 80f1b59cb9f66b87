package shell

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes orphans of the command children of the helper, also those that left
// its process group and session.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// endAll ends whatever the command has started, politely first if asked. New
// children of those that end become the helper's own, so that it goes on until
// there is none. What a command forks faster than it is found ends with golem's
// own limit: the helper's group is killed.
func endAll(politely bool) {
	if politely {
		for _, pid := range descendants() {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
		for end := time.Now().Add(grace); len(descendants()) > 0 && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
	}
	for range 1000 {
		found := descendants()
		if len(found) == 0 {
			return
		}
		// All are stopped first: a shell whose command is killed before it would
		// begin the next one.
		for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
			for _, pid := range found {
				_ = syscall.Kill(pid, signal)
			}
		}
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if pid <= 0 || err != nil {
				break
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// descendants are the processes below the helper that have not ended, from /proc.
func descendants() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	parents := map[int]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		data, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		// pid (name) state ppid …; the name may contain anything
		rest := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		if err != nil || len(rest) < 2 || rest[0][0] == 'Z' {
			continue
		}
		parents[pid], _ = strconv.Atoi(string(rest[1]))
	}
	me := os.Getpid()
	var out []int
	for pid := range parents {
		at := pid
		for depth := 0; at > 1 && at != me && depth <= len(parents); depth++ {
			at = parents[at]
		}
		if at == me && pid != me {
			out = append(out, pid)
		}
	}
	return out
}
