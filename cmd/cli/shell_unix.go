//go:build unix

package main

import (
	"context"
	"os/exec"
	"syscall"
	"time"

	"golem/core/approval/sh"
	"golem/core/tool"
)

// shellGrammar is what rules take a command line for.
var shellGrammar tool.Grammar = sh.Grammar{}

func shellCommand(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", "-c", line)
}

// detach gives the command a session of its own: it has no terminal to ask a
// person on or to read an answer from, and all it starts can be ended together.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		group := -cmd.Process.Pid
		err := syscall.Kill(group, syscall.SIGTERM)
		time.AfterFunc(shellGrace/2, func() { syscall.Kill(group, syscall.SIGKILL) })
		return err
	}
}

// endGroup ends what the command has left running.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // ESRCH: there is nothing left
	}
}
