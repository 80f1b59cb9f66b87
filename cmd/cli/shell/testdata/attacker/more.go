package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// victim has everything that an attacker looks for. It writes its number of shared memory
// to DIR/shm and then "ready", and DIR/hit if a signal comes or its memory changes.
func victim(dir string) {
	got := make(chan os.Signal, 10)
	signal.Notify(got)
	id, ok := sys(unix.SYS_SHMGET, shmKey, 4096, unix.IPC_CREAT|0o600)
	if !ok {
		id, _ = sys(unix.SYS_SHMGET, shmKey, 4096, 0o600)
	}
	_ = os.WriteFile(filepath.Join(dir, "shm"), []byte(fmt.Sprint(id)), 0o600)
	_ = os.WriteFile("/dev/shm/"+abstract, []byte("secret"), 0o600)
	defer os.Remove("/dev/shm/" + abstract)
	name := append([]byte(abstract), 0)
	_, _ = sys(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&name[0])), unix.O_CREAT|unix.O_RDWR, 0o600, 0)
	note := func(what string) { _ = os.WriteFile(filepath.Join(dir, "hit"), []byte(what), 0o600) }
	for _, name := range []string{"@" + abstract, filepath.Join(dir, "socket")} {
		for _, network := range []string{"unix", "unixgram"} {
			at := name + network
			if network == "unix" {
				if l, err := net.Listen(network, at); err == nil {
					go func() {
						if _, err := l.Accept(); err == nil {
							note("a connection to " + at)
						}
					}()
				}
				continue
			}
			if c, err := net.ListenPacket(network, at); err == nil {
				go func() {
					if _, _, err := c.ReadFrom(make([]byte, 9)); err == nil {
						note("a message to " + at)
					}
				}()
			}
		}
	}
	_ = os.WriteFile(filepath.Join(dir, "ready"), nil, 0o600)
	for sig := range got {
		if sig != unix.SIGURG { // Go's runtime sends it to itself
			if sig == unix.SIGTERM {
				_, _ = sys(unix.SYS_SHMCTL, id, unix.IPC_RMID, 0)
				_, _ = sys(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(&name[0])))
				return
			}
			note("signal " + sig.String())
		}
	}
}

func shared(dir string) {
	_, ok := sys(unix.SYS_SHMGET, shmKey, 4096, 0)
	hit("shared", ok, "shmget")
	for id := range uintptr(64) {
		_, ok := sys(unix.SYS_SHMAT, id, 0, unix.SHM_RDONLY)
		hit("shared", ok, "shmat", id)
	}
	for _, nr := range []uintptr{unix.SYS_SEMGET, unix.SYS_MSGGET} {
		_, ok = sys(nr, shmKey, 1, 0)
		hit("shared", ok, nr)
	}
	name := append([]byte(abstract), 0)
	_, ok = sys(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&name[0])), unix.O_RDONLY, 0, 0)
	hit("shared", ok, "mq_open")
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_CREATE | os.O_RDWR} {
		f, err := os.OpenFile("/dev/shm/"+abstract, flag, 0o600)
		hit("shared", err == nil, "/dev/shm", flag)
		if err == nil {
			f.Close()
		}
	}
}

func watches(dir string) {
	for _, flags := range []uintptr{0, unix.IN_NONBLOCK} {
		fd, ok := sys(unix.SYS_INOTIFY_INIT1, flags)
		path := append([]byte(dir), 0)
		watched := false
		if ok {
			_, watched = sys(unix.SYS_INOTIFY_ADD_WATCH, fd, uintptr(unsafe.Pointer(&path[0])), unix.IN_ALL_EVENTS)
		}
		hit("inotify", watched, dir)
	}
	_, ok := sys(unix.SYS_FANOTIFY_INIT, unix.FAN_REPORT_FID, 0)
	hit("inotify", ok, "fanotify")
}

func sockets(dir string) {
	for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_SEQPACKET} {
		for _, family := range []int{unix.AF_UNIX, unix.AF_VSOCK, unix.AF_PACKET, unix.AF_ALG, unix.AF_BLUETOOTH} {
			_, err := unix.Socket(family, kind, 0)
			hit("sockets", err == nil, "socket", family, kind)
		}
		pair, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
		hit("sockets", err == nil && kind == unix.SOCK_DGRAM, "a pair of datagram sockets")
		if err != nil {
			continue
		}
		for _, name := range []string{"@" + abstract, filepath.Join(dir, "socket")} {
			for _, network := range []string{"unix", "unixgram"} {
				err := unix.Connect(pair[0], &unix.SockaddrUnix{Name: name + network})
				hit("sockets", err == nil, "connect", name, kind)
				err = unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: name + network})
				hit("sockets", err == nil && kind == unix.SOCK_DGRAM, "send", name, kind) // the others ignore the name
			}
		}
	}
	_, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_SOCK_DIAG)
	hit("sockets", err == nil, "netlink")
}

func terminals() {
	var open []int
	for fd := range 3 {
		open = append(open, fd)
	}
	names, _ := filepath.Glob("/dev/pts/*")
	for _, name := range append(names, "/dev/tty", "/dev/tty0", "/dev/tty1", "/dev/console", "/dev/ptmx") {
		fd, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
		hit("terminals", err == nil, name)
		if err == nil {
			open = append(open, fd)
		}
	}
	for _, fd := range open {
		char := []byte("#")
		_, ok := sys(unix.SYS_IOCTL, uintptr(fd), unix.TIOCSTI, uintptr(unsafe.Pointer(&char[0])))
		hit("terminals", ok, "TIOCSTI", fd)
	}
}

// descriptors looks for what was inherited. Go's own are anonymous.
func descriptors() {
	for fd := 0; fd < 256; fd++ {
		to, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err != nil {
			continue
		}
		expected := strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/sys/fs/cgroup/") || fd < 3 && (strings.HasPrefix(to, "pipe:") || to == "/dev/null")
		hit("descriptors", !expected, fd, to)
	}
}

// kernel tries what changes the tree of files or the kernel, or leaves the walls.
func kernel(dir string) {
	var attr [256]byte
	p := uintptr(unsafe.Pointer(&attr[0]))
	root, tmp := []byte("/\x00"), []byte("tmpfs\x00")
	r, t := uintptr(unsafe.Pointer(&root[0])), uintptr(unsafe.Pointer(&tmp[0]))
	for name, args := range map[string][]uintptr{
		"unshare user": {unix.SYS_UNSHARE, unix.CLONE_NEWUSER}, "unshare mounts": {unix.SYS_UNSHARE, unix.CLONE_NEWNS}, "unshare net": {unix.SYS_UNSHARE, unix.CLONE_NEWNET},
		"mount": {unix.SYS_MOUNT, t, r, t, 0, 0}, "umount": {unix.SYS_UMOUNT2, r, unix.MNT_DETACH}, "chroot": {unix.SYS_CHROOT, r}, "open_tree": {unix.SYS_OPEN_TREE, ^uintptr(99), r, unix.OPEN_TREE_CLONE},
		"fsopen": {unix.SYS_FSOPEN, t, 0}, "bpf": {unix.SYS_BPF, 0, p, 64}, "perf": {unix.SYS_PERF_EVENT_OPEN, p, 0, ^uintptr(0), ^uintptr(0), 0},
		"userfaultfd": {unix.SYS_USERFAULTFD, 0}, "io_uring": {unix.SYS_IO_URING_SETUP, 4, p}, "keyctl": {unix.SYS_KEYCTL, 0, ^uintptr(2), 1}, "add_key": {unix.SYS_ADD_KEY, t, t, p, 8, ^uintptr(2)},
		"syslog": {unix.SYS_SYSLOG, 10}, "handle": {unix.SYS_OPEN_BY_HANDLE_AT, 0, p, 0}, "clone3": {unix.SYS_CLONE3, p, 64}, "sethostname": {unix.SYS_SETHOSTNAME, t, 5}, "acct": {unix.SYS_ACCT, 0},
		"clone user": {unix.SYS_CLONE, unix.CLONE_NEWUSER | uintptr(unix.SIGCHLD)},
	} {
		id, ok := sys(args[0], args[1:]...)
		if strings.HasPrefix(name, "clone") && ok && id == 0 {
			sys(unix.SYS_EXIT_GROUP, 0)
		}
		hit("kernel", ok, name)
	}
	_, err := os.ReadFile(filepath.Join(dir, "shm"))
	hit("files", err == nil, "read outside")
	hit("files", os.WriteFile(filepath.Join(dir, "new"), nil, 0o600) == nil, "write outside")
	_, err = os.ReadDir(dir)
	hit("files", err == nil, "list outside")
}

// foreign makes a system call of another ABI, which must end the process.
func foreign() {
	cmd := exec.Command(os.Args[0], "foreign")
	err := cmd.Run()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	hit("kernel", err == nil || !status.Signaled() || status.Signal() != unix.SIGSYS, "x32", err)
}

// leave leaves processes behind that do not want to be found: in a session of their own, by
// a double fork, and ignoring signals.
func leave(mark string) {
	for _, line := range []string{"setsid %s sleep %s &", "(setsid %s sleep %s & ) &", "%s sleep %s &", "trap '' TERM HUP; nohup setsid %s sleep %s >/dev/null 2>&1 &"} {
		cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf(line, os.Args[0], mark))
		hit("leaving", cmd.Run() != nil, line)
	}
	time.Sleep(20 * time.Millisecond)
}
