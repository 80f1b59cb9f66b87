// Command golem runs LLM workers from the command line. It gives the core a disk, a
// terminal, an HTTP client and the environment, and turns the result into standard
// output and an exit code (SPEC §12).
//
// Results go to standard output and everything else to standard error. If both are the
// same terminal, the answer is streamed once, as part of the view on standard error;
// otherwise standard output gets exactly the answer, once, at the end.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/home"
	"golem/cmd/cli/shell"
)

// version, commit and date (of the commit) are set by the linker (see Makefile); if they
// are not, BuildOf takes what Go noted of the repository.
var version, commit, date = "", "", ""

func main() {
	if shell.IsHelper() {
		os.Exit(shell.Helper())
	}
	shell.Private()
	c := console.New(home.ReadEnv(os.Environ()), console.WorkingDir())
	info, _ := debug.ReadBuildInfo()
	c.Build = console.BuildOf(version, commit, date, info)
	os.Exit(execute(c, os.Args[1:]))
}

// execute runs one command line and returns the exit code.
func execute(c *console.Console, args []string) int {
	c.Args = args
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		c.Home = home.New(c.Env, c.Dir, nil, nil) // completion says nothing
	}
	root := newRoot(c)
	root.SetArgs(withCommand(c, root, args))
	err := root.ExecuteContext(context.Background())
	var code console.ExitCode
	var bare *console.Bare
	switch {
	case c.Pieces.Err() != nil:
		c.Say("standard output: %s", disk.Cause(c.Pieces.Err()))
		return console.ExitFailed
	case err == nil:
		return console.ExitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &bare):
		fmt.Fprint(c.Err, hung(c.Err, bare.Command.UsageString()))
		return console.ExitUsage
	}
	var f *fault.Fault
	var l fault.List
	if !errors.As(err, &f) && !errors.As(err, &l) {
		err = fault.New(fault.Usage, "%w", err).Hinting("golem --help lists commands and flags")
	}
	c.Report(err)
	return exitOf(err)
}

// exitOf returns the exit code of an error that a command returned.
func exitOf(err error) int {
	switch {
	case errors.Is(err, fault.Interrupted):
		return console.ExitInterrupted
	case disk.IsFull(err):
		return console.ExitFailed
	}
	return console.ExitUsage
}
