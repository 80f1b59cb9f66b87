package confine

import (
	"bytes"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notification is the kernel's struct seccomp_notif: a system call that waits for an answer.
type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// reply is the kernel's struct seccomp_notif_resp.
type reply struct {
	id    uint64
	val   int64
	error int32
	flags uint32
}

const goOn = 1 // SECCOMP_USER_NOTIF_FLAG_CONTINUE

// judge answers the kernel's questions about the signals of the command, until the
// supervisor ends. The numbers in a question are values, not addresses, so that the
// command cannot change them after they were judged.
func (c *command) judge(listener int) {
	for {
		var q notification
		if err := ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&q)); err == unix.EINTR || err == unix.ENOENT {
			continue // the process that asked is gone
		} else if err != nil {
			return
		}
		r := reply{id: q.id}
		if errno := c.mayName(&q); errno != 0 {
			r.error = -int32(errno)
		} else {
			r.flags = goOn
		}
		_ = ioctl(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)) // fails if the process is gone
	}
}

func ioctl(fd int, request uintptr, arg unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}

// mayName returns 0 if the processes that a signal is for all are the command's own.
func (c *command) mayName(q *notification) unix.Errno {
	pid := int(int32(q.args[0]))
	switch {
	case q.nr == unix.SYS_TKILL && pid > 0:
		return c.checkOwn(groupOf(pid))
	case pid > 0:
		return c.checkOwn(pid)
	case q.nr != unix.SYS_KILL || pid == -1:
		return unix.EPERM
	case pid == 0:
		own, err := unix.Getpgid(int(q.pid))
		if err != nil {
			return unix.ESRCH
		}
		pid = -own
	}
	for _, p := range processes() {
		if p.group == -pid && !c.owns(p.pid) {
			return unix.EPERM
		}
	}
	return 0
}

func (c *command) checkOwn(pid int) unix.Errno {
	if _, ok := processOf(pid); !ok {
		return unix.ESRCH
	}
	if !c.owns(pid) {
		return unix.EPERM
	}
	return 0
}

// owns reports whether the process is that of the command, or below it.
func (c *command) owns(pid int) bool {
	me := os.Getpid()
	for range 1000 {
		if pid == c.pid {
			return true
		}
		p, ok := processOf(pid)
		if !ok || pid <= 1 {
			return false
		}
		if p.parent == me {
			return true // an orphan of the command, which the supervisor adopted
		}
		pid = p.parent
	}
	return false
}

// groupOf returns the process of a thread; 0 if there is none.
func groupOf(thread int) int {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(thread) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(data, []byte("\nTgid:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	pid, _ := strconv.Atoi(string(bytes.TrimSpace(line)))
	return pid
}
