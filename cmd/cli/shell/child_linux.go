package shell

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of all orphans of the command, including those
// that left its process group and session.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// endAll ends all processes that the command has started; if politely is true, it sends
// SIGTERM first and waits up to grace. Children of an ended process become children of
// the helper, so it repeats until there is none. If the command forks faster than it
// can be followed, golem ends it: after patience it kills the helper's group.
func endAll(politely bool) {
	if politely {
		signalAll(stopAll(), syscall.SIGTERM, syscall.SIGCONT)
		for end := time.Now().Add(grace); len(descendants()) > 0 && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
	}
	for range 1000 {
		found := stopAll()
		if len(found) == 0 {
			return
		}
		signalAll(found, syscall.SIGKILL)
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if pid <= 0 || err != nil {
				break
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// stopAll stops (SIGSTOP) all processes below the helper before any of them is ended,
// because a shell would begin its next command when the current one ends. It looks
// again for processes that were started meanwhile, and returns all that it stopped.
func stopAll() []int {
	var stopped []int
	for range 10 {
		var fresh []int
		for _, pid := range descendants() {
			if !slices.Contains(stopped, pid) {
				fresh = append(fresh, pid)
			}
		}
		if len(fresh) == 0 {
			break
		}
		signalAll(fresh, syscall.SIGSTOP)
		stopped = append(stopped, fresh...)
	}
	return stopped
}

// signalAll sends the first signal to all the processes, then the next one. It ignores
// errors, which mean that a process has ended.
func signalAll(pids []int, signals ...syscall.Signal) {
	for _, signal := range signals {
		for _, pid := range pids {
			_ = syscall.Kill(pid, signal)
		}
	}
}

// descendants returns the processes below the helper that have not ended, as /proc
// lists them.
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
