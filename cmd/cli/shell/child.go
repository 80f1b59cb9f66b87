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
)

// helperName is the argv[0] with which golem starts itself as a helper that runs one
// command. People do not use it: the process has no arguments and reads its order from
// standard input.
const helperName = "golem-command"

// order tells the helper which command to run. It is sent as JSON.
type order struct {
	Line string   `json:"line"`
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`
	// System is the system's shell and the arguments that precede the line. If it is
	// empty, the helper interprets the line itself.
	System []string `json:"system,omitempty"`
}

// Exit codes of the helper, or of a program in the line, that could not be started.
const (
	exitNotFound = 127
	exitNoStart  = 126
)

// IsHelper reports whether this process was started as a helper that runs one command.
// The program calls it first, and calls Helper if it is true.
func IsHelper() bool { return len(os.Args) == 1 && os.Args[0] == helperName }

// Helper runs the command that golem sends on standard input, ends everything that the
// command has started, and returns the exit code for the process. It runs in a process
// of its own so that golem can confine it, and so that processes which a command leaves
// behind are found and ended, even if golem itself was killed.
func Helper() int {
	adopt()
	var o order
	dec := json.NewDecoder(os.Stdin)
	if err := dec.Decode(&o); err != nil {
		return exitNoStart
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		var nothing any
		_ = dec.Decode(&nothing) // returns when golem closes its end of the pipe or has exited
		cancel()
		starting.Lock()
		endAll(true)
		os.Exit(exitNoStart)
	}()
	code := o.run(ctx)
	if ctx.Err() != nil {
		select {} // the goroutine above ends the process
	}
	starting.Lock()
	endAll(false)
	return code
}

// starting is locked for reading while a program starts. The helper locks it for
// writing, and never unlocks it, before it ends the programs. Otherwise it could stop a
// process between vfork and exec, which would block the helper, because the two share
// memory until exec.
var starting sync.RWMutex

func begin(cmd *exec.Cmd) error {
	starting.RLock()
	defer starting.RUnlock()
	return shield(cmd.Start)
}

func (o order) run(ctx context.Context) int {
	if len(o.System) > 0 {
		return o.runSystem()
	}
	file, err := parse(o.Line)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	r, err := interp.New(
		interp.StdIO(nil, os.Stdout, os.Stderr), interp.Env(expand.ListEnviron(o.Env...)), interp.Dir(o.Dir),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return program }),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, "golem: the command could not be started:", err)
		return exitNoStart
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
		return interp.ExitStatus(exitNotFound)
	}
	cmd := &exec.Cmd{Path: path, Args: args, Dir: hc.Dir, Env: exported(hc.Env), Stdin: hc.Stdin, Stdout: hc.Stdout, Stderr: hc.Stderr}
	if err := begin(cmd); err != nil {
		fmt.Fprintf(hc.Stderr, "%s: %v\n", args[0], plain(err))
		return interp.ExitStatus(exitNoStart)
	}
	return ended(cmd.Wait())
}

// runSystem runs the line with the system's shell and returns its exit code.
func (o order) runSystem() int {
	cmd := exec.Command(o.System[0], append(o.System[1:len(o.System):len(o.System)], o.Line)...)
	systemLine(cmd, o)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = o.Dir, o.Env, os.Stdout, os.Stderr
	if err := begin(cmd); err != nil {
		fmt.Fprintf(os.Stderr, "golem: the system's shell could not be started: %v\n", plain(err))
		return exitNoStart
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
