//go:build unix

package mcphost

import (
	"os/exec"
	"syscall"
	"time"
)

// detach starts a server in a session of its own: it has no terminal, and all processes
// that it starts can be ended together.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		err := syscall.Kill(group, syscall.SIGTERM)
		time.AfterFunc(killGrace/2, func() { syscall.Kill(group, syscall.SIGKILL) })
		return err
	}
}

// endGroup kills the processes that a server left running.
func endGroup(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the error ESRCH means that no process is left
}
