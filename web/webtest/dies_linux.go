package webtest

import (
	"os/exec"
	"syscall"
)

// diesWithUs has a program killed when the tests are.
func diesWithUs(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
