//go:build unix

package shell

import (
	"os"
	"os/exec"
	"syscall"
)

// systemShell is the system's shell and the arguments that precede the line.
var systemShell = []string{"/bin/sh", "-c"}

// parsedAsSh says that approval rules can parse a line for the system's shell.
const parsedAsSh = true

func systemLine(*exec.Cmd, work) {}

// detach starts the helper in a session of its own: it has no terminal, so that a
// command can neither ask a person nor read an answer, and gets no signals of the
// terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// endGroup kills the helper's process group. It ends the processes that the helper
// itself did not end.
func endGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // the error ESRCH means that no process is left

// signalOf returns the number of the signal that ended a process; 0 if none did.
func signalOf(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
