//go:build !linux

package shell

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"

	"golem/cmd/cli/shell/confine"
)

// Helper runs the command that golem sends on standard input, ends everything that the
// command has started, and returns the exit code for the process. It runs in a process
// of its own so that what a command leaves behind is found and ended, even if golem
// itself was killed.
func Helper() int {
	var o confine.Order
	var w work
	dec := json.NewDecoder(os.Stdin)
	if dec.Decode(&o) != nil || json.Unmarshal(o.Work, &w) != nil {
		return confine.ExitNoStart
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		var nothing any
		_ = dec.Decode(&nothing) // returns when golem closes its end of the pipe or has exited
		cancel()
		starting.Lock()
		endAll(true)
		os.Exit(confine.ExitNoStart)
	}()
	code := w.run(ctx)
	if ctx.Err() != nil {
		select {} // the goroutine above ends the process
	}
	starting.Lock()
	endAll(false)
	return code
}

// Private does nothing: only Linux lets a program keep its memory to itself.
func Private() {}

// reporting returns a function without a report: nothing is confined here.
func reporting(*exec.Cmd) (wait func() string, err error) { return func() string { return "" }, nil }
