// Command attacker is run as a command of a worker. It tries to reach golem, golem's
// supervisor and a victim, another program of the same user, in every way that Linux has,
// and prints a line "HIT KIND WHAT" for each that succeeds. Its last line counts what it
// tried.
//
//	attacker GOLEM VICTIM DIR MARK
//
// GOLEM and VICTIM are process numbers, DIR is a directory that the command may not
// reach, and MARK is an argument of the processes that it leaves behind; "control" leaves out
// what could harm the machine where nothing is confined. As "attacker victim DIR" it is the
// victim.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Names of the victim's things.
const (
	shmKey   = 0x60136d01
	abstract = "golem-attack-victim"
)

var tried = map[string]int{}

// hit notes an attempt, and prints it if it succeeded.
func hit(kind string, succeeded bool, what ...any) {
	tried[kind]++
	if succeeded {
		fmt.Println(append([]any{"HIT", kind}, what...)...)
	}
}

// sys makes a raw system call and reports whether it succeeded.
func sys(nr uintptr, args ...uintptr) (uintptr, bool) {
	args = append(args, make([]uintptr, 6)...)
	r, _, errno := unix.Syscall6(nr, args[0], args[1], args[2], args[3], args[4], args[5])
	return r, errno == 0
}

func main() {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "victim":
		victim(os.Args[2])
	case len(os.Args) == 3 && os.Args[1] == "sleep":
		signal.Ignore(unix.SIGTERM, unix.SIGHUP)
		time.Sleep(10 * time.Minute)
	case len(os.Args) == 2 && os.Args[1] == "foreign":
		_, _, _ = unix.RawSyscall(unix.SYS_GETPID|0x40000000, 0, 0, 0)
		os.Exit(42)
	case len(os.Args) == 5:
		attack(os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	default:
		os.Exit(2)
	}
}

func attack(golem, victim, dir, mark string) {
	descriptors()
	targets := []int{number(golem), number(victim)}
	for _, p := range processes() {
		if parent(p) == number(golem) && p != os.Getpid() && !own(p) {
			targets = append(targets, p) // a supervisor
		}
	}
	for _, pid := range targets {
		if own(pid) {
			continue // in a PID namespace another process has this number
		}
		statuses(pid)
		procFiles(pid)
		pids := append(threads(pid), pid)
		for _, p := range pids {
			reach(p, pid)
			signals(p, pid, pid == targets[1])
		}
	}
	shared(dir)
	watches(dir)
	sockets(dir)
	if mark != "control" { // without walls, these would do harm
		terminals()
		kernel(dir)
		foreign()
		leave(mark)
	}
	var kinds []string
	for kind, n := range tried {
		kinds = append(kinds, fmt.Sprintf("%s=%d", kind, n))
	}
	slices.Sort(kinds)
	fmt.Println("TRIED", strings.Join(kinds, " "))
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }

func processes() []int {
	var out []int
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		out = append(out, number(filepath.Base(p)))
	}
	return out
}

func parent(pid int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	rest := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(rest) < 2 {
		return 0
	}
	return number(string(rest[1]))
}

// own reports whether a process is below the leader of this session, or is it.
func own(pid int) bool {
	leader, _ := unix.Getsid(0)
	for range 100 {
		if pid == leader {
			return true
		}
		if pid = parent(pid); pid <= 0 {
			return false
		}
	}
	return false
}

func threads(pid int) []int {
	var out []int
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*", pid))
	for _, p := range all {
		out = append(out, number(filepath.Base(p)))
	}
	return out
}

// statuses looks whether a thread of another process carries a wall.
func statuses(pid int) {
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, name := range append(all, fmt.Sprintf("/proc/%d/status", pid)) {
		data, _ := os.ReadFile(name)
		text := string(data)
		hit("status", strings.Contains(text, "NoNewPrivs:\t1") || strings.Contains(text, "Seccomp:\t2"), name)
	}
}

func procFiles(pid int) {
	for _, name := range []string{"mem", "environ", "maps", "auxv", "stack", "syscall", "io", "personality", "timers", "pagemap", "fdinfo/0", "fd/0", "fd/1", "fd/3", "cwd", "root", "exe", "map_files", "ns/user"} {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY} {
			f, err := os.OpenFile(fmt.Sprintf("/proc/%d/%s", pid, name), flag|unix.O_NONBLOCK, 0)
			read := false
			if err == nil {
				n, bad := f.Read(make([]byte, 16))
				entries, _ := os.ReadDir(f.Name())
				read = n > 0 || flag == os.O_WRONLY && bad != nil && name != "timers" || len(entries) > 0 || name == "fd/0"
				f.Close()
			}
			hit("proc", read, pid, name, flag)
		}
		_, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", pid, name))
		hit("proc", err == nil, "link", pid, name)
	}
	for _, name := range []string{"oom_score_adj", "coredump_filter", "comm", "clear_refs", "timerslack_ns", "autogroup", "uid_map", "setgroups"} {
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/%s", pid, name), os.O_WRONLY, 0)
		hit("proc", err == nil, "write", pid, name)
		if err == nil {
			f.Close()
		}
	}
}

// reach tries the calls that work on another process.
func reach(p, pid int) {
	n := uintptr(p)
	for _, request := range []uintptr{unix.PTRACE_ATTACH, unix.PTRACE_SEIZE} {
		_, ok := sys(unix.SYS_PTRACE, request, n)
		hit("ptrace", ok, p)
		if ok {
			_, _ = sys(unix.SYS_PTRACE, unix.PTRACE_DETACH, n)
		}
	}
	var buf [64]byte
	local := unix.Iovec{Base: &buf[0], Len: 8}
	for _, nr := range []uintptr{unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV} {
		_, ok := sys(nr, n, uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&local)), 1)
		hit("process_vm", ok, p)
	}
	_, ok := sys(unix.SYS_KCMP, n, n, 2)
	hit("process_vm", ok, "kcmp", p)
	var old unix.Rlimit
	for _, resource := range []uintptr{unix.RLIMIT_CPU, unix.RLIMIT_NOFILE, unix.RLIMIT_CORE} {
		_, ok := sys(unix.SYS_PRLIMIT64, n, resource, 0, uintptr(unsafe.Pointer(&old)))
		hit("limits", ok, p, resource)
		if !ok {
			old = unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
		}
		_, ok = sys(unix.SYS_PRLIMIT64, n, resource, uintptr(unsafe.Pointer(&old)), 0)
		hit("limits", ok, "set", p, resource)
	}
	var mask [128]byte
	mask[0] = 1
	_, ok = sys(unix.SYS_SCHED_SETAFFINITY, n, 128, uintptr(unsafe.Pointer(&mask)))
	hit("limits", ok, "affinity", p)
	_, ok = sys(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, n, 19)
	hit("limits", ok, "priority", p)
	_, ok = sys(unix.SYS_IOPRIO_SET, 1, n, 0x6000)
	hit("limits", ok, "ioprio", p)
	param := int32(0)
	_, ok = sys(unix.SYS_SCHED_SETSCHEDULER, n, 5, uintptr(unsafe.Pointer(&param)))
	hit("limits", ok, "scheduler", p)
	_, ok = sys(unix.SYS_MIGRATE_PAGES, n, 0, 0, 0)
	hit("limits", ok, "pages", p)
	var head, size uintptr
	_, ok = sys(unix.SYS_GET_ROBUST_LIST, n, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&size)))
	hit("process_vm", ok, "robust list", p)
	fd, ok := sys(unix.SYS_PIDFD_OPEN, n, 0)
	if ok && p == pid {
		for _, other := range []uintptr{0, 1, 2, 3} {
			_, got := sys(unix.SYS_PIDFD_GETFD, fd, other, 0)
			hit("pidfd", got, "getfd", p)
		}
		_, got := sys(unix.SYS_PIDFD_SEND_SIGNAL, fd, 0, 0, 0)
		hit("pidfd", got, "signal", p)
		_, got = sys(unix.SYS_SETNS, fd, unix.CLONE_NEWNS)
		hit("pidfd", got, "setns", p)
	}
	hit("pidfd", false)
	if dir, err := unix.Open(fmt.Sprintf("/proc/%d", p), unix.O_RDONLY|unix.O_DIRECTORY, 0); err == nil {
		_, got := sys(unix.SYS_PIDFD_SEND_SIGNAL, uintptr(dir), 0, 0, 0)
		hit("pidfd", got, "directory", p)
		unix.Close(dir)
	}
}

// signals sends signal 0 to a thread, and real ones to the victim.
func signals(p, pid int, real bool) {
	all := []uintptr{0}
	if real {
		all = append(all, uintptr(unix.SIGWINCH), uintptr(unix.SIGSTOP), uintptr(unix.SIGCONT), uintptr(unix.SIGKILL))
	}
	group, err := unix.Getpgid(p)
	for _, sig := range all {
		n := uintptr(p)
		_, ok := sys(unix.SYS_KILL, n, sig)
		hit("signals", ok, "kill", p, sig)
		_, ok = sys(unix.SYS_TKILL, n, sig)
		hit("signals", ok, "tkill", p, sig)
		_, ok = sys(unix.SYS_TGKILL, uintptr(pid), n, sig)
		hit("signals", ok, "tgkill", p, sig)
		info := [128]byte{}
		*(*int32)(unsafe.Pointer(&info[0])), *(*int32)(unsafe.Pointer(&info[8])) = int32(sig), -1
		_, ok = sys(unix.SYS_RT_SIGQUEUEINFO, n, sig, uintptr(unsafe.Pointer(&info)))
		hit("signals", ok, "sigqueue", p, sig)
		_, ok = sys(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(pid), n, sig, uintptr(unsafe.Pointer(&info)))
		hit("signals", ok, "tgsigqueue", p, sig)
		if err == nil && real && group == pid {
			_, ok = sys(unix.SYS_KILL, -uintptr(group), sig)
			hit("signals", ok, "group", p, sig)
		}
	}
	if !real {
		return
	}
	fds := make([]int, 2)
	if unix.Pipe(fds) == nil {
		for _, cmd := range []int{unix.F_SETOWN} { // a signal when the pipe can be read
			_, _ = unix.FcntlInt(uintptr(fds[0]), cmd, p)
			_, _ = unix.FcntlInt(uintptr(fds[0]), unix.F_SETSIG, int(unix.SIGKILL))
			_, _ = unix.FcntlInt(uintptr(fds[0]), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK)
		}
		_, _ = unix.Write(fds[1], []byte("x"))
		hit("signals", false) // the victim tells
	}
}
