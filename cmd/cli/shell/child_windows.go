package shell

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// systemShell is the system's shell; systemLine adds the line.
var systemShell = []string{"cmd.exe"}

// parsedAsSh says that approval rules cannot parse the grammar of cmd.
const parsedAsSh = false

const noWindow = 0x08000000 // CREATE_NO_WINDOW

// systemLine passes the line to cmd unchanged, because cmd does not follow the usual
// rules of quoting.
func systemLine(cmd *exec.Cmd, w work) {
	cmd.Args = cmd.Args[:1]
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + w.Line + `"`}
}

// detach starts the command without a console window.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: noWindow} }

// endGroup ends the helper and all processes below it.
func endGroup(cmd *exec.Cmd) {
	if exec.Command("taskkill", "/t", "/f", "/pid", strconv.Itoa(cmd.Process.Pid)).Run() != nil {
		_ = cmd.Process.Kill()
	}
}

func signalOf(*os.ProcessState) int { return 0 }

// endAll does nothing: golem ends the process tree with taskkill.
func endAll(bool) {}
