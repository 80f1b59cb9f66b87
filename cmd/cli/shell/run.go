package shell

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golem/cmd/cli/shell/confine"
	"golem/core/approval/sh"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Limits of a command.
const (
	maxCommand = 16 << 10 // bytes
	maxOutput  = 1 << 20  // bytes kept of standard output and error together
	maxTimeout = 3600     // seconds
	// patience is how long golem waits for the helper to end what it started,
	// before it ends the helper's group itself.
	patience = 15 * time.Second
	// outputDelay is how long golem reads output after the helper has ended.
	outputDelay = 10 * time.Second
)

type commandArgs struct {
	Command string `json:"command" jsonschema:"the command line"`
	Timeout int    `json:"timeout,omitempty" jsonschema:"seconds after which the command is ended; the worker's tool_timeout ends it in any case"`
}

// commandResult is the result of a command, as the model reads it.
type commandResult struct {
	Exit   int    `json:"exit"`
	Output string `json:"output"` // standard output and error, as they came
	Ended  string `json:"ended,omitempty"`
	// Changed are files that define the project and changed while the command ran.
	Changed []string `json:"changed_definitions,omitempty"`
}

// Tools returns run_command and the tools for commands in the background.
func (s *shell) Tools() []tool.Tool {
	run := tool.Func(s.spec("run_command", "Runs a command line and returns its exit code and output; what it leaves running is ended."), s.run)
	return append([]tool.Tool{run}, s.backgroundTools()...)
}

// run runs a command until it ends, its timeout passes or ctx ends.
func (s *shell) run(ctx context.Context, in commandArgs) (tool.Output, error) {
	if in.Timeout < 0 || in.Timeout > maxTimeout {
		return tool.Output{}, fault.New(fault.ToolInput, "timeout must be between 0 and %d seconds", maxTimeout)
	}
	own := ctx
	if in.Timeout > 0 {
		var cancel context.CancelFunc
		own, cancel = context.WithTimeout(ctx, time.Duration(in.Timeout)*time.Second)
		defer cancel()
	}
	var out capped
	show := s.show(&out)
	defer show.end()
	p, err := s.start(in.Command, show)
	if err != nil {
		return tool.Output{}, err
	}
	select {
	case <-p.ended:
	case <-own.Done():
		p.stop()
	}
	if ctx.Err() != nil {
		return tool.Output{}, context.Cause(ctx)
	}
	if errors.Is(p.err, fault.Platform) {
		return tool.Output{}, p.err
	}
	res := p.result()
	res.Output = out.String()
	if own.Err() != nil {
		res.Exit, res.Ended = -1, "ended after "+fault.Count(in.Timeout, "second")
	}
	return encode(res, fmt.Sprintf("exit %d", res.Exit))
}

// process is the helper process of one command.
type process struct {
	cmd     *exec.Cmd
	control io.Closer // closing it makes the helper end the command
	ended   chan struct{}
	err     error // the error of the helper; valid once ended is closed
	changed []string
}

// start starts a command in a helper. Its output goes to out.
func (s *shell) start(line string, out io.Writer) (*process, error) {
	if err := s.check(line); err != nil {
		return nil, err
	}
	env, err := s.environment()
	if err != nil {
		return nil, err
	}
	w := work{Line: line, Dir: s.dir, Env: env}
	if s.opts.SystemShell {
		w.System = systemShell
	}
	o := confine.Order{Dir: s.dir, Env: env}
	if o.Work, err = json.Marshal(w); err != nil {
		return nil, fault.New(fault.ToolInput, "the command cannot be passed on: %w", err)
	}
	golem, err := confine.Self()
	if err != nil {
		return nil, fault.New(fault.Tool, "golem cannot start itself to run a command: %s", plain(err))
	}
	if s.disk != nil { // make them now: Landlock needs existing directories
		if err := sandbox.MakeMounts(s.env.View); err != nil {
			return nil, err
		}
	}
	if o.Walls, err = s.walls(golem); err != nil {
		return nil, err
	}
	return s.supervised(o, golem, out)
}

// supervised starts the supervisor of a command.
func (s *shell) supervised(o confine.Order, golem string, out io.Writer) (*process, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return nil, fault.New(fault.ToolInput, "the command cannot be passed on: %w", err)
	}
	cmd := &exec.Cmd{Path: golem, Args: []string{confine.Name}, Dir: s.dir, Env: confine.Environment(o.Env), Stdout: out, Stderr: out, WaitDelay: outputDelay}
	detach(cmd)
	control, err := cmd.StdinPipe()
	if err != nil {
		return nil, fault.New(fault.Tool, "the command could not be started: %s", plain(err))
	}
	why, err := reporting(cmd)
	if err != nil {
		return nil, fault.New(fault.Tool, "the command could not be started: %s", plain(err))
	}
	before := s.defined(s.writing(o.Walls))
	if err := cmd.Start(); err != nil {
		_ = why()
		return nil, fault.New(fault.Tool, "the command could not be started: %s", plain(err))
	}
	p := &process{cmd: cmd, control: control, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		if _, err := control.Write(append(data, '\n')); err != nil {
			_ = control.Close()
		}
		wall := why()
		if p.err = cmd.Wait(); wall != "" {
			p.err = notConfined(wall)
		}
		endGroup(cmd)
		p.changed = s.ended(before, o.Walls)
	}()
	return p, nil
}

// notConfined returns the fault of a command that was not run because a wall could not be
// made.
func notConfined(wall string) error {
	return fault.New(fault.Platform, "no command was run: golem cannot confine it here, although this kernel has Landlock: %s", wall).
		Hinting("golem docs shell/walls says what is needed; a container or a security policy may forbid it")
}

// walls returns what the worker's commands may reach now; nil if golem cannot confine
// them. golem's own program is among it, because the process of the command is golem.
func (s *shell) walls(golem string) (*confine.Walls, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.conf.kernel.Files {
		return nil, nil
	}
	w := &confine.Walls{ABI: s.conf.kernel.ABI, Spaces: s.conf.kernel.Spaces, Network: s.conf.network}
	w.Places = append(s.conf.places[:len(s.conf.places):len(s.conf.places)], place{Path: golem})
	if s.disk == nil {
		return w, s.protect(w)
	}
	disk, why := sandbox.InReach(s.env.View)
	if why != "" {
		return nil, fault.New(fault.Escalation, "no command was run: %s", why).
			Hinting("commands cannot be kept from single files where they write; a person can move the file, or change the worker's mounts")
	}
	for _, d := range disk {
		w.Places = append(w.Places, place{Path: filepath.FromSlash(d.Source), Write: d.Write, List: d.List, Exact: true})
	}
	return w, s.protect(w)
}

// check returns the fault of a command line that must not be started.
func (s *shell) check(line string) error {
	if strings.TrimSpace(line) == "" || len(line) > maxCommand || strings.ContainsRune(line, 0) {
		return fault.New(fault.ToolInput, "the command is empty, has more than %d bytes, or contains a NUL byte", maxCommand)
	}
	if !s.opts.SystemShell {
		if _, err := parse(line); err != nil {
			return fault.New(fault.ToolInput, "the command cannot be parsed: %s", err).Hinting("the syntax is that of bash")
		}
	}
	if err := s.redirections(line); err != nil {
		return err
	}
	if fails := s.conf.kernel.Fails; fails != "" {
		return notConfined(fails)
	}
	if s.disk == nil && s.refused == "" {
		return nil
	}
	if s.refused != "" || !s.conf.kernel.Files {
		return fault.New(fault.Escalation, "commands of %s cannot be confined to what it sees: %s", s.env.Worker, cmp.Or(s.refused, s.conf.kernel.Lacks))
	}
	return nil
}

// redirections checks the files to which a line redirects output like the worker's own
// writes: it returns an error for a file that defines the project (E_PROTECTED), which
// no approval allows to write, and for a name that leads through a link (E_PATH).
func (s *shell) redirections(line string) error {
	for _, c := range (sh.Grammar{}).Parse(line).Commands {
		if c.Redirects() != tool.WritesFile || c[1].Unknown {
			continue
		}
		full := c[1].Text
		if !filepath.IsAbs(full) {
			full = filepath.Join(s.dir, full)
		}
		rel, err := filepath.Rel(s.host.Root, full)
		name := filepath.ToSlash(rel)
		if err != nil || !fs.ValidPath(name) || s.env.View == nil || s.dir != s.host.Root {
			continue // for other files the kernel decides
		}
		if err := sandbox.CanWrite(s.env.View, name); errors.Is(err, fault.Protected) || errors.Is(err, fault.Path) {
			return err // E_PATH: through a link, which may lead to such a file
		}
	}
	return nil
}

// stop ends the command and everything that it started, and waits until that is done.
func (p *process) stop() {
	_ = p.control.Close()
	late := time.AfterFunc(patience, func() { endGroup(p.cmd) })
	defer late.Stop()
	<-p.ended
}

// result returns how the command ended, without its output. Call it once ended is
// closed.
func (p *process) result() commandResult {
	res := commandResult{Changed: p.changed}
	var exit *exec.ExitError
	switch {
	case errors.As(p.err, &exit):
		if res.Exit = exit.ExitCode(); res.Exit < 0 {
			res.Ended = exit.String()
		}
	case errors.Is(p.err, exec.ErrWaitDelay):
		res.Ended = "a process it started keeps its output open"
	case p.err != nil:
		res.Exit, res.Ended = -1, "its output could not be read"
	}
	return res
}
