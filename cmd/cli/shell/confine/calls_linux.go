//go:build linux && (amd64 || arm64)

package confine

import "golang.org/x/sys/unix"

// call is a system call.
type call struct {
	name   string
	number uint32
}

// purpose is a group of system calls that a command may make, whatever their arguments.
type purpose struct {
	name  string
	calls []call
}

// allowed are the system calls of every command. They reach files, which Landlock judges,
// and what belongs to the process itself. docs/shell/system-calls.md has the same table.
var allowed = []purpose{
	{"files", []call{
		{"read", unix.SYS_READ}, {"write", unix.SYS_WRITE}, {"close", unix.SYS_CLOSE}, {"close_range", unix.SYS_CLOSE_RANGE}, {"lseek", unix.SYS_LSEEK},
		{"pread64", unix.SYS_PREAD64}, {"pwrite64", unix.SYS_PWRITE64}, {"readv", unix.SYS_READV}, {"writev", unix.SYS_WRITEV},
		{"preadv", unix.SYS_PREADV}, {"pwritev", unix.SYS_PWRITEV}, {"preadv2", unix.SYS_PREADV2}, {"pwritev2", unix.SYS_PWRITEV2},
		{"sendfile", unix.SYS_SENDFILE}, {"openat", unix.SYS_OPENAT}, {"openat2", unix.SYS_OPENAT2}, {"fstat", unix.SYS_FSTAT},
		{"newfstatat", unix.SYS_NEWFSTATAT}, {"statx", unix.SYS_STATX}, {"statfs", unix.SYS_STATFS}, {"fstatfs", unix.SYS_FSTATFS},
		{"mkdirat", unix.SYS_MKDIRAT}, {"mknodat", unix.SYS_MKNODAT}, {"fchownat", unix.SYS_FCHOWNAT}, {"fchown", unix.SYS_FCHOWN},
		{"unlinkat", unix.SYS_UNLINKAT}, {"renameat2", unix.SYS_RENAMEAT2}, {"renameat", unix.SYS_RENAMEAT}, {"linkat", unix.SYS_LINKAT},
		{"symlinkat", unix.SYS_SYMLINKAT}, {"readlinkat", unix.SYS_READLINKAT}, {"fchmodat", unix.SYS_FCHMODAT}, {"fchmodat2", unix.SYS_FCHMODAT2},
		{"fchmod", unix.SYS_FCHMOD}, {"faccessat", unix.SYS_FACCESSAT}, {"faccessat2", unix.SYS_FACCESSAT2}, {"ftruncate", unix.SYS_FTRUNCATE},
		{"truncate", unix.SYS_TRUNCATE}, {"fallocate", unix.SYS_FALLOCATE}, {"fsync", unix.SYS_FSYNC}, {"fdatasync", unix.SYS_FDATASYNC},
		{"sync", unix.SYS_SYNC}, {"syncfs", unix.SYS_SYNCFS}, {"sync_file_range", unix.SYS_SYNC_FILE_RANGE}, {"fadvise64", unix.SYS_FADVISE64},
		{"readahead", unix.SYS_READAHEAD}, {"getdents64", unix.SYS_GETDENTS64}, {"getcwd", unix.SYS_GETCWD}, {"chdir", unix.SYS_CHDIR},
		{"fchdir", unix.SYS_FCHDIR}, {"umask", unix.SYS_UMASK}, {"utimensat", unix.SYS_UTIMENSAT}, {"dup", unix.SYS_DUP}, {"dup3", unix.SYS_DUP3},
		{"pipe2", unix.SYS_PIPE2}, {"flock", unix.SYS_FLOCK}, {"copy_file_range", unix.SYS_COPY_FILE_RANGE}, {"splice", unix.SYS_SPLICE},
		{"tee", unix.SYS_TEE}, {"vmsplice", unix.SYS_VMSPLICE}, {"memfd_create", unix.SYS_MEMFD_CREATE}, {"cachestat", unix.SYS_CACHESTAT},
		{"getxattr", unix.SYS_GETXATTR}, {"lgetxattr", unix.SYS_LGETXATTR}, {"fgetxattr", unix.SYS_FGETXATTR}, {"setxattr", unix.SYS_SETXATTR},
		{"lsetxattr", unix.SYS_LSETXATTR}, {"fsetxattr", unix.SYS_FSETXATTR}, {"listxattr", unix.SYS_LISTXATTR}, {"llistxattr", unix.SYS_LLISTXATTR},
		{"flistxattr", unix.SYS_FLISTXATTR}, {"removexattr", unix.SYS_REMOVEXATTR}, {"lremovexattr", unix.SYS_LREMOVEXATTR},
		{"fremovexattr", unix.SYS_FREMOVEXATTR},
	}},
	{"memory", []call{
		{"mmap", unix.SYS_MMAP}, {"munmap", unix.SYS_MUNMAP}, {"mprotect", unix.SYS_MPROTECT}, {"mremap", unix.SYS_MREMAP}, {"madvise", unix.SYS_MADVISE},
		{"brk", unix.SYS_BRK}, {"mlock", unix.SYS_MLOCK}, {"munlock", unix.SYS_MUNLOCK}, {"mlockall", unix.SYS_MLOCKALL},
		{"munlockall", unix.SYS_MUNLOCKALL}, {"mlock2", unix.SYS_MLOCK2}, {"msync", unix.SYS_MSYNC}, {"mincore", unix.SYS_MINCORE},
		{"pkey_mprotect", unix.SYS_PKEY_MPROTECT}, {"pkey_alloc", unix.SYS_PKEY_ALLOC}, {"pkey_free", unix.SYS_PKEY_FREE},
		{"membarrier", unix.SYS_MEMBARRIER}, {"mbind", unix.SYS_MBIND}, {"get_mempolicy", unix.SYS_GET_MEMPOLICY},
		{"set_mempolicy", unix.SYS_SET_MEMPOLICY}, {"set_mempolicy_home_node", unix.SYS_SET_MEMPOLICY_HOME_NODE}, {"mseal", unix.SYS_MSEAL},
		{"map_shadow_stack", unix.SYS_MAP_SHADOW_STACK},
	}},
	{"processes", []call{
		{"execve", unix.SYS_EXECVE}, {"execveat", unix.SYS_EXECVEAT}, {"exit", unix.SYS_EXIT}, {"exit_group", unix.SYS_EXIT_GROUP},
		{"wait4", unix.SYS_WAIT4}, {"waitid", unix.SYS_WAITID}, {"getpid", unix.SYS_GETPID}, {"getppid", unix.SYS_GETPPID}, {"gettid", unix.SYS_GETTID},
		{"set_tid_address", unix.SYS_SET_TID_ADDRESS}, {"set_robust_list", unix.SYS_SET_ROBUST_LIST}, {"rseq", unix.SYS_RSEQ},
		{"getpgid", unix.SYS_GETPGID}, {"setpgid", unix.SYS_SETPGID}, {"getsid", unix.SYS_GETSID}, {"setsid", unix.SYS_SETSID},
		{"getrlimit", unix.SYS_GETRLIMIT}, {"setrlimit", unix.SYS_SETRLIMIT}, {"getrusage", unix.SYS_GETRUSAGE}, {"times", unix.SYS_TIMES},
		{"prctl", unix.SYS_PRCTL}, {"capget", unix.SYS_CAPGET}, {"capset", unix.SYS_CAPSET}, {"seccomp", unix.SYS_SECCOMP},
		{"landlock_create_ruleset", unix.SYS_LANDLOCK_CREATE_RULESET}, {"landlock_add_rule", unix.SYS_LANDLOCK_ADD_RULE},
		{"landlock_restrict_self", unix.SYS_LANDLOCK_RESTRICT_SELF}, {"restart_syscall", unix.SYS_RESTART_SYSCALL},
	}},
	{"signals", []call{
		{"rt_sigaction", unix.SYS_RT_SIGACTION}, {"rt_sigprocmask", unix.SYS_RT_SIGPROCMASK}, {"rt_sigpending", unix.SYS_RT_SIGPENDING},
		{"rt_sigtimedwait", unix.SYS_RT_SIGTIMEDWAIT}, {"rt_sigsuspend", unix.SYS_RT_SIGSUSPEND}, {"rt_sigreturn", unix.SYS_RT_SIGRETURN},
		{"sigaltstack", unix.SYS_SIGALTSTACK},
	}},
	{"waiting", []call{
		{"futex", unix.SYS_FUTEX}, {"futex_waitv", unix.SYS_FUTEX_WAITV}, {"futex_wake", unix.SYS_FUTEX_WAKE}, {"futex_wait", unix.SYS_FUTEX_WAIT},
		{"futex_requeue", unix.SYS_FUTEX_REQUEUE}, {"ppoll", unix.SYS_PPOLL}, {"pselect6", unix.SYS_PSELECT6}, {"epoll_create1", unix.SYS_EPOLL_CREATE1},
		{"epoll_ctl", unix.SYS_EPOLL_CTL}, {"epoll_pwait", unix.SYS_EPOLL_PWAIT}, {"epoll_pwait2", unix.SYS_EPOLL_PWAIT2}, {"eventfd2", unix.SYS_EVENTFD2},
		{"signalfd4", unix.SYS_SIGNALFD4},
	}},
	{"time", []call{
		{"clock_gettime", unix.SYS_CLOCK_GETTIME}, {"clock_getres", unix.SYS_CLOCK_GETRES}, {"clock_nanosleep", unix.SYS_CLOCK_NANOSLEEP},
		{"nanosleep", unix.SYS_NANOSLEEP}, {"gettimeofday", unix.SYS_GETTIMEOFDAY}, {"getitimer", unix.SYS_GETITIMER}, {"setitimer", unix.SYS_SETITIMER},
		{"timer_create", unix.SYS_TIMER_CREATE}, {"timer_settime", unix.SYS_TIMER_SETTIME}, {"timer_gettime", unix.SYS_TIMER_GETTIME},
		{"timer_getoverrun", unix.SYS_TIMER_GETOVERRUN}, {"timer_delete", unix.SYS_TIMER_DELETE}, {"timerfd_create", unix.SYS_TIMERFD_CREATE},
		{"timerfd_settime", unix.SYS_TIMERFD_SETTIME}, {"timerfd_gettime", unix.SYS_TIMERFD_GETTIME},
	}},
	{"scheduling", []call{
		{"sched_yield", unix.SYS_SCHED_YIELD}, {"sched_getaffinity", unix.SYS_SCHED_GETAFFINITY}, {"sched_getscheduler", unix.SYS_SCHED_GETSCHEDULER},
		{"sched_getparam", unix.SYS_SCHED_GETPARAM}, {"sched_getattr", unix.SYS_SCHED_GETATTR},
		{"sched_get_priority_max", unix.SYS_SCHED_GET_PRIORITY_MAX}, {"sched_get_priority_min", unix.SYS_SCHED_GET_PRIORITY_MIN},
		{"sched_rr_get_interval", unix.SYS_SCHED_RR_GET_INTERVAL}, {"getpriority", unix.SYS_GETPRIORITY}, {"ioprio_get", unix.SYS_IOPRIO_GET},
		{"getcpu", unix.SYS_GETCPU},
	}},
	{"identity", []call{
		{"getuid", unix.SYS_GETUID}, {"geteuid", unix.SYS_GETEUID}, {"getgid", unix.SYS_GETGID}, {"getegid", unix.SYS_GETEGID},
		{"getresuid", unix.SYS_GETRESUID}, {"getresgid", unix.SYS_GETRESGID}, {"getgroups", unix.SYS_GETGROUPS}, {"setuid", unix.SYS_SETUID},
		{"setgid", unix.SYS_SETGID}, {"setreuid", unix.SYS_SETREUID}, {"setregid", unix.SYS_SETREGID}, {"setresuid", unix.SYS_SETRESUID},
		{"setresgid", unix.SYS_SETRESGID}, {"setgroups", unix.SYS_SETGROUPS}, {"setfsuid", unix.SYS_SETFSUID}, {"setfsgid", unix.SYS_SETFSGID},
	}},
	{"system", []call{
		{"uname", unix.SYS_UNAME}, {"sysinfo", unix.SYS_SYSINFO}, {"getrandom", unix.SYS_GETRANDOM},
	}},
	{"pairs of sockets", []call{
		{"sendto", unix.SYS_SENDTO}, {"sendmsg", unix.SYS_SENDMSG}, {"sendmmsg", unix.SYS_SENDMMSG}, {"recvfrom", unix.SYS_RECVFROM},
		{"recvmsg", unix.SYS_RECVMSG}, {"recvmmsg", unix.SYS_RECVMMSG}, {"shutdown", unix.SYS_SHUTDOWN}, {"getsockname", unix.SYS_GETSOCKNAME},
		{"getpeername", unix.SYS_GETPEERNAME}, {"getsockopt", unix.SYS_GETSOCKOPT}, {"setsockopt", unix.SYS_SETSOCKOPT},
	}},
}

// networked are the further calls of a command that may use the network.
var networked = []call{
	{"connect", unix.SYS_CONNECT}, {"bind", unix.SYS_BIND}, {"listen", unix.SYS_LISTEN}, {"accept", unix.SYS_ACCEPT}, {"accept4", unix.SYS_ACCEPT4},
}

// shared are the further calls of a command with an IPC namespace of its own: System V and
// POSIX shared memory, semaphores and queues.
var shared = []call{
	{"shmget", unix.SYS_SHMGET}, {"shmat", unix.SYS_SHMAT}, {"shmctl", unix.SYS_SHMCTL}, {"shmdt", unix.SYS_SHMDT}, {"semget", unix.SYS_SEMGET},
	{"semop", unix.SYS_SEMOP}, {"semctl", unix.SYS_SEMCTL}, {"semtimedop", unix.SYS_SEMTIMEDOP}, {"msgget", unix.SYS_MSGGET},
	{"msgsnd", unix.SYS_MSGSND}, {"msgrcv", unix.SYS_MSGRCV}, {"msgctl", unix.SYS_MSGCTL}, {"mq_open", unix.SYS_MQ_OPEN},
	{"mq_unlink", unix.SYS_MQ_UNLINK}, {"mq_timedsend", unix.SYS_MQ_TIMEDSEND}, {"mq_timedreceive", unix.SYS_MQ_TIMEDRECEIVE},
	{"mq_notify", unix.SYS_MQ_NOTIFY}, {"mq_getsetattr", unix.SYS_MQ_GETSETATTR},
}

// refused are calls that reach other processes, the tree of mounts or the kernel itself. A
// command gets EPERM. What stands nowhere gets ENOSYS: inotify, for example, so that a
// program looks by itself instead.
var refused = []call{
	{"unshare", unix.SYS_UNSHARE}, {"setns", unix.SYS_SETNS}, {"mount", unix.SYS_MOUNT}, {"umount2", unix.SYS_UMOUNT2},
	{"pivot_root", unix.SYS_PIVOT_ROOT}, {"chroot", unix.SYS_CHROOT}, {"open_tree", unix.SYS_OPEN_TREE}, {"move_mount", unix.SYS_MOVE_MOUNT},
	{"fsopen", unix.SYS_FSOPEN}, {"fsconfig", unix.SYS_FSCONFIG}, {"fsmount", unix.SYS_FSMOUNT}, {"fspick", unix.SYS_FSPICK},
	{"mount_setattr", unix.SYS_MOUNT_SETATTR}, {"ptrace", unix.SYS_PTRACE}, {"process_vm_readv", unix.SYS_PROCESS_VM_READV},
	{"process_vm_writev", unix.SYS_PROCESS_VM_WRITEV}, {"process_madvise", unix.SYS_PROCESS_MADVISE}, {"process_mrelease", unix.SYS_PROCESS_MRELEASE},
	{"pidfd_getfd", unix.SYS_PIDFD_GETFD}, {"kcmp", unix.SYS_KCMP}, {"move_pages", unix.SYS_MOVE_PAGES}, {"migrate_pages", unix.SYS_MIGRATE_PAGES},
	{"perf_event_open", unix.SYS_PERF_EVENT_OPEN}, {"bpf", unix.SYS_BPF}, {"userfaultfd", unix.SYS_USERFAULTFD}, {"keyctl", unix.SYS_KEYCTL},
	{"add_key", unix.SYS_ADD_KEY}, {"request_key", unix.SYS_REQUEST_KEY}, {"io_uring_setup", unix.SYS_IO_URING_SETUP},
	{"io_uring_enter", unix.SYS_IO_URING_ENTER}, {"io_uring_register", unix.SYS_IO_URING_REGISTER}, {"open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT},
	{"name_to_handle_at", unix.SYS_NAME_TO_HANDLE_AT}, {"init_module", unix.SYS_INIT_MODULE}, {"finit_module", unix.SYS_FINIT_MODULE},
	{"delete_module", unix.SYS_DELETE_MODULE}, {"kexec_load", unix.SYS_KEXEC_LOAD}, {"kexec_file_load", unix.SYS_KEXEC_FILE_LOAD},
	{"reboot", unix.SYS_REBOOT}, {"swapon", unix.SYS_SWAPON}, {"swapoff", unix.SYS_SWAPOFF}, {"sethostname", unix.SYS_SETHOSTNAME},
	{"setdomainname", unix.SYS_SETDOMAINNAME}, {"settimeofday", unix.SYS_SETTIMEOFDAY}, {"clock_settime", unix.SYS_CLOCK_SETTIME},
	{"adjtimex", unix.SYS_ADJTIMEX}, {"clock_adjtime", unix.SYS_CLOCK_ADJTIME}, {"acct", unix.SYS_ACCT}, {"quotactl", unix.SYS_QUOTACTL},
	{"quotactl_fd", unix.SYS_QUOTACTL_FD}, {"syslog", unix.SYS_SYSLOG}, {"vhangup", unix.SYS_VHANGUP},
}
