package confine

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// grace is how long processes may take to end after SIGTERM.
const grace = 150 * time.Millisecond

// adopt makes this process the parent of all orphans of the command, including those
// that left its process group and session.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// endAll ends all processes that the command has started; if politely is true, it sends
// SIGTERM first and waits up to grace. The process first, which would begin the next
// program of the line, stays stopped until the end. Children of an ended process become
// children of the supervisor, so it repeats until there is none. If the command forks
// faster than it can be followed, golem ends it: after patience it kills the supervisor's
// group.
func endAll(politely bool, first int) {
	if politely {
		stopped := stopAll()
		if i := slices.Index(stopped, first); i >= 0 {
			stopped = slices.Delete(stopped, i, i+1)
		}
		signalAll(stopped, syscall.SIGTERM, syscall.SIGCONT)
		for end := time.Now().Add(grace); len(slices.DeleteFunc(descendants(), func(pid int) bool { return pid == first })) > 0 && time.Now().Before(end); {
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

// stopAll stops (SIGSTOP) all processes below the supervisor before any of them is ended,
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

// running is a process as /proc lists it.
type running struct {
	pid, parent, group int
	ended              bool // a zombie
}

// processOf returns a process; false if there is none.
func processOf(pid int) (running, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	// pid (name) state ppid pgrp …; the name may contain anything
	rest := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if err != nil || len(rest) < 3 {
		return running{}, false
	}
	p := running{pid: pid, ended: rest[0][0] == 'Z'}
	p.parent, _ = strconv.Atoi(string(rest[1]))
	p.group, _ = strconv.Atoi(string(rest[2]))
	return p, true
}

// processes returns all processes of the machine that have not ended.
func processes() []running {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []running
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := processOf(pid); ok && !p.ended {
			out = append(out, p)
		}
	}
	return out
}

// descendants returns the processes below the supervisor that have not ended.
func descendants() []int {
	parents := map[int]int{}
	for _, p := range processes() {
		parents[p.pid] = p.parent
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
