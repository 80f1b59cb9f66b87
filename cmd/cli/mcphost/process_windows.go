package mcphost

import (
	"os/exec"
	"strconv"
	"syscall"
)

// detach starts a server without a console, and makes its end also end all processes
// that it started.
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

// endGroup does nothing: on Windows no process group outlives its leader.
func endGroup(*exec.Cmd) {}
