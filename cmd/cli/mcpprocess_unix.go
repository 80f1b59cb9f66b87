//go:build unix

package main

import (
	"os/exec"
	"syscall"
	"time"
)

// detach gives a server a session of its own: it has no terminal, and all it starts can
// be ended together.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		err := syscall.Kill(group, syscall.SIGTERM)
		time.AfterFunc(killGrace/2, func() { syscall.Kill(group, syscall.SIGKILL) })
		return err
	}
}

// endGroup ends what a server has left running.
func endGroup(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // ESRCH: there is nothing left
}
