//go:build unix

package shell

import (
	"os"
	"os/exec"
	"syscall"
	"time"

	"golem/core/approval/sh"
	"golem/core/tool"
)

// systemShell is the system's shell with its arguments before the line.
var systemShell = []string{"/bin/sh", "-c"}

// systemGrammar is what rules take the system's shell for.
var systemGrammar tool.Grammar = sh.Grammar{}

// grace is how long what a command has started may take to end politely.
const grace = 150 * time.Millisecond

func systemLine(*exec.Cmd, order) {}

// detach gives the helper a session of its own: it has no terminal to ask a person
// on or to read an answer from, and no signal of the terminal reaches it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// endGroup ends the helper's process group at once: what is left if the helper
// itself did not do it.
func endGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // ESRCH: there is nothing left

// signalOf is the number of the signal that ended a process; 0: none did.
func signalOf(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
