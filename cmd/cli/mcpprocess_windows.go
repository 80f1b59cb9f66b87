package main

import (
	"os/exec"
	"strconv"
	"syscall"
)

// detach gives a server no console, and ends all it started with it.
func detach(cmd *exec.Cmd) {
	const noWindow = 0x08000000 // CREATE_NO_WINDOW
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: noWindow}
	cmd.Cancel = func() error {
		if err := exec.Command("taskkill", "/t", "/f", "/pid", strconv.Itoa(cmd.Process.Pid)).Run(); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
}

// endGroup has nothing to do: there is no group that outlives its leader.
func endGroup(*exec.Cmd) {}
