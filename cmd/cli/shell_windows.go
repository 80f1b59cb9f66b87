package main

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"

	"golem/core/tool"
)

// shellGrammar is nil: rules know nothing of cmd's grammar.
var shellGrammar tool.Grammar

func shellCommand(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd.exe")
	// cmd does not follow the usual rules for quoting: the line goes as it is.
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + line + `"`}
	return cmd
}

// detach gives the command no console, and ends all it started with it.
func detach(cmd *exec.Cmd) {
	const noWindow = 0x08000000 // CREATE_NO_WINDOW
	cmd.SysProcAttr.CreationFlags |= noWindow
	cmd.Cancel = func() error {
		if err := exec.Command("taskkill", "/t", "/f", "/pid", strconv.Itoa(cmd.Process.Pid)).Run(); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
}

// endGroup has nothing to do: there is no group that outlives its leader.
func endGroup(*exec.Cmd) {}
