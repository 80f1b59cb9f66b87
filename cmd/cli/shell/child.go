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

// helperName is the name under which golem starts itself to run one command. No
// person types it: the process has no arguments and reads its order from standard input.
const helperName = "golem-command"

// order is what the helper is to do.
type order struct {
	Line string   `json:"line"`
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`
	// System is the system's shell and its arguments before the line; empty: the
	// line is interpreted here.
	System []string `json:"system,omitempty"`
}

// Exit codes of a helper that could not do its work.
const (
	exitNotFound = 127
	exitNoStart  = 126
)

// IsHelper reports whether this process was started to run a command.
func IsHelper() bool { return len(os.Args) == 1 && os.Args[0] == helperName }

// Helper runs the command that golem orders, ends all that it has started, and
// returns its exit code. It is a process of its own, so that golem can confine it,
// and so that what a command leaves is found and ended: also when golem itself was
// killed.
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
		_ = dec.Decode(&nothing) // returns when golem closes its end, or is gone
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

// starting is held for reading while a program starts, and for ever once the helper ends
// what it has started. A process that is stopped before it has become its program would
// keep the helper, whose memory it shares until then, from going on (vfork).
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

// parse reads a command line as bash does.
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

// program starts a program for the interpreter and waits for it.
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

// runSystem hands the line to the system's shell.
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

// ended is the end of a program as shells tell it: 128 and the signal's number for
// one that a signal ended.
func ended(err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return nil // output that was not copied is of a reader that has gone
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

// plain is an error without the name of the file, which the message has.
func plain(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
