package shell

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golem/core/tool"
)

// systemShell is the system's shell; how it takes its line says systemLine.
var systemShell = []string{"cmd.exe"}

// systemGrammar is nil: rules know nothing of cmd's grammar.
var systemGrammar tool.Grammar

const noWindow = 0x08000000 // CREATE_NO_WINDOW

// systemLine hands cmd the line as it is: it does not follow the usual rules for
// quoting.
func systemLine(cmd *exec.Cmd, o order) {
	cmd.Args = cmd.Args[:1]
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + o.Line + `"`}
}

// detach gives the command no console.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: noWindow} }

// endGroup ends the helper and all below it.
func endGroup(cmd *exec.Cmd) {
	if exec.Command("taskkill", "/t", "/f", "/pid", strconv.Itoa(cmd.Process.Pid)).Run() != nil {
		_ = cmd.Process.Kill()
	}
}

func signalOf(*os.ProcessState) int { return 0 }

func adopt() {}

// endAll ends nothing: golem ends the tree with taskkill.
func endAll(bool) {}
