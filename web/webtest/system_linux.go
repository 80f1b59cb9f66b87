package webtest

import (
	"os/exec"
	"syscall"
)

// diesWithUs has a program killed when the tests are.
func diesWithUs(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// room is where profiles lie: in memory if there is enough of it, since a
// browser waits for the disk at every write to its storage.
func room() string {
	const memory = "/dev/shm"
	var s syscall.Statfs_t
	if syscall.Statfs(memory, &s) == nil && s.Bavail*uint64(s.Bsize) >= 4<<30 {
		return memory
	}
	return ""
}
