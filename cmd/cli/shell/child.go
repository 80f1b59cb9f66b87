package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"golem/cmd/cli/shell/confine"
)

// work tells the command's process what to run. It is sent as JSON.
type work struct {
	Line string   `json:"line"`
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`
	// System is the system's shell and the arguments that precede the line. If it is
	// empty, golem interprets the line itself.
	System []string `json:"system,omitempty"`
}

// IsHelper reports whether this process was started to run a command. The program calls it
// first, and calls Helper if it is true.
func IsHelper() bool { return confine.StageOf() != confine.NotHere }

// starting is locked for reading while a program starts. The helper locks it for
// writing, and never unlocks it, before it ends the programs. Otherwise it could stop a
// process between vfork and exec, which would block the helper, because the two share
// memory until exec.
var starting sync.RWMutex

func begin(cmd *exec.Cmd) error {
	starting.RLock()
	defer starting.RUnlock()
	return cmd.Start()
}

// command reads its work from standard input and runs it. It is the process of the
// command itself: on Linux it is within its walls.
func command() int {
	var w work
	if err := json.NewDecoder(os.Stdin).Decode(&w); err != nil {
		return confine.ExitNoStart
	}
	return w.run(context.Background())
}

func (w work) run(ctx context.Context) int {
	if len(w.System) > 0 {
		return w.runSystem()
	}
	file, err := parse(w.Line)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	r, err := interp.New(
		interp.StdIO(nil, os.Stdout, os.Stderr), interp.Env(expand.ListEnviron(w.Env...)), interp.Dir(w.Dir),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return program }),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, "golem: the command could not be started:", err)
		return confine.ExitNoStart
	}
	return exitOf(r.Run(ctx, file))
}

// parse parses a command line in bash syntax.
func parse(line string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
}

func exitOf(err error) int {
	var status interp.ExitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// program starts a program for the interpreter and waits for it. Its error is the exit
// status.
func program(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	path, err := interp.LookPathDir(hc.Dir, hc.Env, args[0])
	if err != nil {
		fmt.Fprintln(hc.Stderr, err)
		return interp.ExitStatus(confine.ExitNotFound)
	}
	cmd := &exec.Cmd{Path: path, Args: args, Dir: hc.Dir, Env: exported(hc.Env), Stdin: hc.Stdin, Stdout: hc.Stdout, Stderr: hc.Stderr}
	if err := begin(cmd); err != nil {
		fmt.Fprintf(hc.Stderr, "%s: %v\n", args[0], plain(err))
		return interp.ExitStatus(confine.ExitNoStart)
	}
	return ended(cmd.Wait())
}

// runSystem runs the line with the system's shell and returns its exit code.
func (w work) runSystem() int {
	cmd := exec.Command(w.System[0], append(w.System[1:len(w.System):len(w.System)], w.Line)...)
	systemLine(cmd, w)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.Dir, w.Env, os.Stdout, os.Stderr
	if err := begin(cmd); err != nil {
		fmt.Fprintf(os.Stderr, "golem: the system's shell could not be started: %v\n", plain(err))
		return confine.ExitNoStart
	}
	return exitOf(ended(cmd.Wait()))
}

// ended converts the error of Wait to an exit status as shells define it: 128 plus the
// signal's number for a program that a signal ended.
func ended(err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return nil // success, or output that could not be copied because its reader has ended
	}
	if signal := signalOf(exit.ProcessState); signal > 0 {
		return interp.ExitStatus(128 + signal)
	}
	return interp.ExitStatus(exit.ExitCode())
}

func exported(env expand.Environ) []string {
	var out []string
	env.Each(func(name string, v expand.Variable) bool {
		if v.Exported && v.Kind == expand.String {
			out = append(out, name+"="+v.String())
		}
		return true
	})
	return out
}

// plain returns an error without the file name, for messages that name the file
// already.
func plain(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
