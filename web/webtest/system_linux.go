package webtest

import (
	"os/exec"
	"syscall"
)

// diesWithUs lets the system kill a program when this process dies.
func diesWithUs(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// room returns the directory for browser profiles: in memory if 4 GiB are free there, because
// a browser waits for the disk at every write to its storage. "" is the directory for
// temporary files.
func room() string {
	const memory = "/dev/shm"
	var s syscall.Statfs_t
	if syscall.Statfs(memory, &s) == nil && s.Bavail*uint64(s.Bsize) >= 4<<30 {
		return memory
	}
	return ""
}
