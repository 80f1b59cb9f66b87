package confine

import "golang.org/x/sys/unix"

// auditArch is seccomp's number for this CPU architecture; 0 means that there is no
// filter for it.
const auditArch = unix.AUDIT_ARCH_X86_64

// foreign is the first number of the system calls of another ABI that uses the same
// number of architecture: x32.
const foreign = 0x40000000

// older are the system calls that only older processors have, by purpose.
var older = []purpose{
	{"files", []call{
		{"open", unix.SYS_OPEN}, {"creat", unix.SYS_CREAT}, {"stat", unix.SYS_STAT}, {"lstat", unix.SYS_LSTAT}, {"mkdir", unix.SYS_MKDIR},
		{"rmdir", unix.SYS_RMDIR}, {"mknod", unix.SYS_MKNOD}, {"chown", unix.SYS_CHOWN}, {"lchown", unix.SYS_LCHOWN}, {"unlink", unix.SYS_UNLINK},
		{"rename", unix.SYS_RENAME}, {"link", unix.SYS_LINK}, {"symlink", unix.SYS_SYMLINK}, {"readlink", unix.SYS_READLINK}, {"chmod", unix.SYS_CHMOD},
		{"access", unix.SYS_ACCESS}, {"getdents", unix.SYS_GETDENTS}, {"utimes", unix.SYS_UTIMES}, {"utime", unix.SYS_UTIME},
		{"futimesat", unix.SYS_FUTIMESAT}, {"dup2", unix.SYS_DUP2}, {"pipe", unix.SYS_PIPE},
	}},
	{"processes", []call{
		{"fork", unix.SYS_FORK}, {"vfork", unix.SYS_VFORK}, {"getpgrp", unix.SYS_GETPGRP}, {"arch_prctl", unix.SYS_ARCH_PRCTL},
		{"set_thread_area", unix.SYS_SET_THREAD_AREA}, {"get_thread_area", unix.SYS_GET_THREAD_AREA},
	}},
	{"signals", []call{
		{"pause", unix.SYS_PAUSE},
	}},
	{"waiting", []call{
		{"poll", unix.SYS_POLL}, {"select", unix.SYS_SELECT}, {"epoll_create", unix.SYS_EPOLL_CREATE}, {"epoll_wait", unix.SYS_EPOLL_WAIT},
		{"eventfd", unix.SYS_EVENTFD}, {"signalfd", unix.SYS_SIGNALFD},
	}},
	{"time", []call{
		{"time", unix.SYS_TIME}, {"alarm", unix.SYS_ALARM},
	}},
}

// olderRefused are those that are refused.
var olderRefused = []call{{"iopl", unix.SYS_IOPL}, {"ioperm", unix.SYS_IOPERM}}
