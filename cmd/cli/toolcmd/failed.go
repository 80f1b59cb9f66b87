package toolcmd

import (
	"context"
	"errors"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/ui"
	"golem/core/ui/plain"

	"golem/cmd/cli/console"
)

// listener shows on the terminal what a module does.
type listener struct {
	console *console.Console
	waits   *plain.Spinner
	verbose bool // also what it logs

	mu     sync.Mutex
	logged []string // its last lines, for a call that fails; none if verbose
}

// mostLogged is how many lines of a module are shown when its call fails.
const mostLogged = 20

// Log shows a line of the module, or keeps it for the case that the call fails.
func (l *listener) Log(level, text string) {
	if l.verbose {
		l.console.Say("%s: %s", level, text)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.logged = append(l.logged, level+": "+text); len(l.logged) > mostLogged {
		l.logged = l.logged[1:]
	}
}

// showLines shows the lines that were kept.
func (l *listener) showLines() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.logged {
		l.console.Say("%s", line)
	}
	l.logged = nil
}

// Compiling tells the person that golem compiles a module: in the status line of a terminal,
// else in a line.
func (l *listener) Compiling(path string) {
	if l.waits.Screen == nil {
		l.console.Say("compiling %s", ui.OneLine(path))
		return
	}
	l.waits.Wait("compiling " + path)
}

// callHints are hints for refusals of golem tool call, where flags and not a worker's
// file grant.
var callHints = map[fault.Code]string{
	fault.Grant:    "grant files with --fs DIR, a host with --allow-host HOST; in a worker, under toolsets.custom.modules",
	fault.ToolFuel: "give it less to do, or allow more with --fuel N",
}

// failedCall reports why a call failed, after what the module logged, and returns the exit
// code. The other lines of a message, such as where in the tool the error was, stand below it.
func failedCall(ctx context.Context, c *console.Console, heard *listener, err error) error {
	heard.showLines()
	below := ""
	var f *fault.Fault
	if errors.As(err, &f) {
		if callHints[f.Code] != "" {
			f = f.Hinting("%s", callHints[f.Code])
		}
		shown := *f
		shown.Message, below, _ = strings.Cut(f.Message, "\n")
		c.Report(&shown)
	} else {
		c.Report(err)
	}
	c.Below(below)
	switch {
	case ctx.Err() != nil:
		return console.ExitCode(console.ExitInterrupted)
	case errors.Is(err, fault.UnknownTool), errors.Is(err, fault.NotFound):
		return console.ExitCode(console.ExitUsage)
	}
	return console.ExitCode(console.ExitFailed)
}
