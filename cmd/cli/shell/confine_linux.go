package shell

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// minABI is the first Landlock version that can also forbid truncating files: that of
// Linux 6.2. With an older one, a command could empty files outside its places.
const minABI = 3

// Access rights of Landlock.
const (
	readAccess  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_EXECUTE
	writeAccess = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK
	// specialAccess is granted nowhere: it is the right to make devices.
	specialAccess = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	// fileAccess is the set of rights that a rule for a single file may contain.
	fileAccess = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// machine returns how the kernel of this machine can confine commands.
func machine() Kernel {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	k := Kernel{Network: auditArch != 0}
	switch {
	case errno != 0:
		k.Lacks = "this Linux has no Landlock, or it is turned off"
	case abi < minABI:
		k.Lacks = "the Landlock of this Linux is too old (6.2 is needed)"
	default:
		k.Files, k.abi = true, int(abi)
	}
	return k
}

// startConfined confines one thread of the operating system and runs start on it. A
// process that start creates there is confined in the same way, with all its children.
// golem's other threads keep their rights.
func (c *confinement) startConfined(start func() error) error { return onThread(c.apply, start) }

// onThread runs first and, if it returns no error, then on a new thread that ends with
// them.
func onThread(first, then func() error) error {
	ended := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked, so that the thread ends with this goroutine
		err := first()
		if err == nil {
			err = then()
		}
		ended <- err
	}()
	return <-ended
}

// apply confines the calling thread. This cannot be undone.
func (c *confinement) apply() error {
	if !c.kernel.Files && !c.kernel.Network {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := dropPowers(); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if c.kernel.Files {
		if err := c.landlock(); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	if c.kernel.Network {
		if err := filterSyscalls(c.network); err != nil {
			return fmt.Errorf("seccomp: %w", err)
		}
	}
	return nil
}

// filePowers are the capabilities that commands keep if golem runs as root. Most of
// them are about files, which Landlock limits in any case.
var filePowers = []uintptr{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL,
	unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_NET_BIND_SERVICE,
}

// dropPowers removes the other capabilities, which matters if golem runs as root: with
// CAP_PERFMON, for example, a command could read the memory and the environment of
// golem in spite of Landlock.
func dropPowers() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && err != unix.EINVAL {
		return err
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0); err != nil || has == 0 || slices.Contains(filePowers, c) {
			continue // the kernel does not know it, or it is gone
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && os.Geteuid() == 0 {
			return err
		}
	}
	return nil
}

func (c *confinement) landlock() error {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: readAccess | writeAccess | specialAccess}
	if c.kernel.abi >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if c.kernel.abi >= 4 && !c.network {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if c.kernel.abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	return restrict(attr, c.places)
}

// restrict confines the calling thread with a Landlock ruleset that allows the places.
// It skips a place that does not exist.
func restrict(attr unix.LandlockRulesetAttr, places []place) error {
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	for _, p := range places {
		if err := allow(int(fd), p); err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func allow(ruleset int, p place) error {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC}
	if p.exact {
		how.Resolve = unix.RESOLVE_NO_SYMLINKS
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, p.path, &how)
	if err == unix.ENOENT || err == unix.EACCES || err == unix.ENOTDIR || err == unix.ELOOP {
		return nil // golem itself cannot reach it, so that it needs no rule
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}
	access := uint64(readAccess)
	if p.write {
		access |= writeAccess
	}
	if p.list {
		access = unix.LANDLOCK_ACCESS_FS_READ_DIR
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= fileAccess
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// shield runs start in a Landlock domain of its own below that of the helper, so that a
// command cannot send signals to the helper, which has to end the command's processes.
// On kernels before 6.12, which cannot do this, it only runs start.
func shield(start func() error) error {
	if machine().abi < 6 {
		return start()
	}
	return onThread(func() error {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
		return restrict(unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_SIGNAL}, nil)
	}, start)
}

// filterSyscalls installs a seccomp filter. Without network, no socket can be made;
// with it, only sockets of IP and netlink (routes), never those of a daemon on this
// machine. io_uring is denied because it could make sockets past the filter, and the
// kernel's key ring because its keys do not belong to the command.
func filterSyscalls(network bool) error {
	const (
		nr, arch, arg0 = 0, 4, 16 // offsets in struct seccomp_data; little endian
		deny           = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	)
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	ret := func(v uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: v} }
	// unless skips the next instruction if the loaded value is not v.
	unless := func(v uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: v, Jf: 1}
	}
	prog := []unix.SockFilter{
		load(arch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: auditArch, Jt: 1},
		ret(deny), // a system call of another ABI of this machine, such as the 32-bit one
		load(nr),
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: 0x40000000, Jf: 1}, // x32
		ret(deny),
	}
	for _, call := range []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL} {
		prog = append(prog, unless(call), ret(deny))
	}
	prog = append(prog, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SOCKET, Jt: 1}, ret(unix.SECCOMP_RET_ALLOW))
	if network {
		prog = append(prog, load(arg0))
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} {
			prog = append(prog, unless(family), ret(unix.SECCOMP_RET_ALLOW))
		}
	}
	prog = append(prog, ret(deny))
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&fprog)), 0, 0)
}

// self returns the path of golem's own program. The link in /proc is right even if the
// file was replaced meanwhile.
func self() (string, error) {
	const link = "/proc/self/exe"
	if _, err := os.Stat(link); err == nil {
		return link, nil
	}
	return os.Executable()
}
