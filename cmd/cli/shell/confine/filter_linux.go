//go:build linux && (amd64 || arm64)

package confine

import (
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a filter answers.
const (
	pass    = unix.SECCOMP_RET_ALLOW
	ask     = unix.SECCOMP_RET_USER_NOTIF // the supervisor
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	refuse  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	noNet   = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
)

// Offsets in struct seccomp_data. Of an argument, the low half is judged: the kernel uses
// no more of those that matter here.
const (
	atNumber = 0
	atArch   = 4
	atArg0   = 16
	argSize  = 8
)

// program is a filter while it is written.
type program []unix.SockFilter

func (p *program) add(code uint16, k uint32, jt, jf uint8) {
	*p = append(*p, unix.SockFilter{Code: code, K: k, Jt: jt, Jf: jf})
}

func (p *program) load(at uint32)    { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, at, 0, 0) }
func (p *program) loadArg(n uint32)  { p.load(atArg0 + n*argSize) }
func (p *program) ret(answer uint32) { p.add(unix.BPF_RET|unix.BPF_K, answer, 0, 0) }

// answerCall adds what answers a call: body, which must end in ret on every way.
func (p *program) answerCall(number uint32, body func(p *program)) {
	var inside program
	body(&inside)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, number, 0, uint8(len(inside)))
	*p = append(*p, inside...)
}

// answerValues adds an answer for the case that the loaded value is one of values.
func (p *program) answerValues(answer uint32, values ...uint32) {
	for _, v := range values {
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, v, 0, 1)
		p.ret(answer)
	}
}

// answerAll adds one answer for all these calls.
func (p *program) answerAll(answer uint32, calls []call) {
	numbers := make([]uint32, 0, len(calls))
	for _, c := range calls {
		numbers = append(numbers, c.number)
	}
	slices.Sort(numbers)
	for i := 0; i < len(numbers); {
		from := numbers[i]
		to := from
		for i++; i < len(numbers) && numbers[i] <= to+1; i++ {
			to = numbers[i]
		}
		p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, from, 0, 2)
		p.add(unix.BPF_JMP|unix.BPF_JGT|unix.BPF_K, to, 1, 0)
		p.ret(answer)
	}
}

// filter installs the seccomp filter on the calling thread. listener is the descriptor on
// which the kernel asks about signals; -1 if it does not.
func (w *Walls) filter() (listener int, err error) {
	prog := w.program()
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	flags := uintptr(0)
	if w.watched() {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return -1, errno
	}
	if flags == 0 {
		return -1, nil
	}
	return int(fd), nil
}

// program returns the filter: first what depends on arguments, then what is allowed by
// purpose, then what is refused. Everything else does not exist.
func (w *Walls) program() program {
	var p program
	p.load(atArch)
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, auditArch, 1, 0)
	p.ret(unix.SECCOMP_RET_KILL_PROCESS)
	p.load(atNumber)
	if foreign != 0 {
		p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, foreign, 0, 1)
		p.ret(unix.SECCOMP_RET_KILL_PROCESS)
	}
	w.addOwnCalls(&p)
	w.addCallsToOthers(&p)
	w.sockets(&p)
	for _, g := range append(allowed[:len(allowed):len(allowed)], older...) {
		p.answerAll(pass, g.calls)
	}
	if w.Spaces.IPC {
		p.answerAll(pass, shared)
	} else {
		p.answerAll(refuse, shared)
	}
	p.answerAll(refuse, refused)
	p.answerAll(refuse, olderRefused)
	p.ret(unknown)
	return p
}

// newSpaces are the flags of clone that make namespaces.
const newSpaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// addOwnCalls adds the calls on the command's own processes that depend on their arguments.
func (w *Walls) addOwnCalls(p *program) {
	p.answerCall(unix.SYS_CLONE, func(p *program) {
		p.loadArg(0)
		p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, newSpaces, 0, 1)
		p.ret(refuse)
		p.ret(pass)
	})
	p.answerCall(unix.SYS_PERSONALITY, func(p *program) {
		p.loadArg(0)
		p.answerValues(pass, 0, noRandomize, 0xffffffff)
		p.ret(refuse)
	})
	p.answerCall(unix.SYS_IOCTL, func(p *program) {
		p.loadArg(1)
		p.answerValues(refuse, unix.TIOCSTI, unix.TIOCSETD, unix.TIOCSCTTY, tioclinux)
		if w.watched() { // a signal for whoever is named, when a descriptor is ready
			p.answerValues(refuse, fiosetown, siocspgrp)
		}
		p.ret(pass)
	})
	p.answerCall(unix.SYS_FCNTL, func(p *program) {
		p.loadArg(1)
		if w.watched() {
			p.answerValues(refuse, unix.F_SETOWN, unix.F_SETOWN_EX, unix.F_SETSIG)
		}
		p.ret(pass)
	})
}

// Numbers that unix does not have: of a personality, and of ioctl.
const (
	noRandomize = 0x40000

	ioprioProcess = 1

	tioclinux = 0x541c
	fiosetown = 0x8901
	siocspgrp = 0x8902
)

// addCallsToOthers adds the calls that name a process. In a PID namespace there are only the
// command's own, and from Landlock 6 on signals reach no others. Otherwise the supervisor
// judges each signal, and only the calling process itself can be named.
func (w *Walls) addCallsToOthers(p *program) {
	self := func(arg uint32) func(p *program) {
		return func(p *program) {
			p.loadArg(arg)
			p.answerValues(pass, 0)
			p.ret(refuse)
		}
	}
	answer := func(v uint32) func(p *program) { return func(p *program) { p.ret(v) } }
	p.answerCall(unix.SYS_PRLIMIT64, self(0))
	p.answerCall(unix.SYS_GET_ROBUST_LIST, self(0))
	for _, number := range []uint32{unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR} {
		p.answerCall(number, w.named(self(0)))
	}
	p.answerCall(unix.SYS_SETPRIORITY, w.named(oneself(unix.PRIO_PROCESS)))
	p.answerCall(unix.SYS_IOPRIO_SET, w.named(oneself(ioprioProcess)))
	signal, handle := uint32(pass), uint32(pass)
	if w.watched() {
		signal, handle = ask, unknown
	}
	for _, number := range []uint32{unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO} {
		p.answerCall(number, answer(signal))
	}
	p.answerCall(unix.SYS_TGKILL, func(p *program) {
		p.loadArg(0)
		p.answerValues(pass, uint32(os.Getpid())) // the first process: Go's runtime signals its threads
		p.ret(signal)
	})
	p.answerCall(unix.SYS_PIDFD_OPEN, answer(handle))
	p.answerCall(unix.SYS_PIDFD_SEND_SIGNAL, answer(handle))
}

// oneself allows a call whose first argument says what the second one names, for the calling
// process: a whole user has other processes.
func oneself(kind uint32) func(p *program) {
	return func(p *program) {
		p.loadArg(0)
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, kind, 1, 0)
		p.ret(refuse)
		p.loadArg(1)
		p.answerValues(pass, 0)
		p.ret(refuse)
	}
}

// named returns body where other processes can be named at all.
func (w *Walls) named(body func(p *program)) func(p *program) {
	if w.Spaces.Procs {
		return func(p *program) { p.ret(pass) }
	}
	return body
}

// sockets adds the calls that make sockets. A pair of stream sockets is a pipe. Datagram
// sockets would reach every server on this machine that has a name.
func (w *Walls) sockets(p *program) {
	p.answerCall(unix.SYS_SOCKETPAIR, func(p *program) {
		p.loadArg(0)
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, unix.AF_UNIX, 1, 0)
		p.ret(noNet)
		p.loadArg(1)
		p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0xf, 0, 0)
		p.answerValues(pass, unix.SOCK_STREAM, unix.SOCK_SEQPACKET)
		p.ret(noNet)
	})
	p.answerCall(unix.SYS_SOCKET, func(p *program) {
		if w.Network {
			p.loadArg(0)
			p.answerValues(pass, unix.AF_INET, unix.AF_INET6)
			p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, unix.AF_NETLINK, 1, 0)
			p.ret(noNet)
			p.loadArg(2)
			p.answerValues(pass, unix.NETLINK_ROUTE)
		}
		p.ret(noNet)
	})
	if w.Network {
		p.answerAll(pass, networked)
	} else {
		p.answerAll(noNet, networked)
	}
}
