package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/toolset"
)

// What a command may take and leave.
const (
	maxCommand      = 64 << 10 // bytes
	maxShellOutput  = 1 << 20  // bytes kept of standard output and error together
	maxShellTimeout = 3600     // seconds
	shellGrace      = 300 * time.Millisecond
)

// shellEnv are the variables a command gets; keys are never among them.
var shellEnv = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SHELL",
	// Windows cannot start programs without these.
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES",
}

// shellToolset is the native toolset "shell": one tool that runs a command
// line. It is outside the sandbox, which is why its risk is command: it asks
// each time unless a person has configured otherwise.
func shellToolset(h *host, root string, memory bool) toolset.Factory {
	return toolset.Factory{
		Name:    "shell",
		Outside: true,
		Open: func(context.Context, toolset.Env, any) (tool.Toolset, error) {
			if memory {
				return nil, fault.New(fault.Config, "the toolset shell cannot be used with --sandbox memory, because commands work on the disk").
					Hinting("leave out --sandbox memory, or remove the toolset shell")
			}
			return shell{h: h, root: root}, nil
		},
	}
}

type shell struct {
	h    *host
	root string
}

// Close has nothing to free.
func (shell) Close() error { return nil }

type commandArgs struct {
	Command string `json:"command" jsonschema:"the command line, given to the system's shell"`
	Timeout int    `json:"timeout,omitempty" jsonschema:"seconds after which the command is ended; the worker's tool_timeout ends it in any case"`
}

// Tools is run_command.
func (s shell) Tools() []tool.Tool {
	return []tool.Tool{tool.Func(tool.Spec{
		Name: "run_command",
		Description: "Runs a command line with the system's shell (sh, on Windows cmd) in the project directory and returns its exit code and output. " +
			"It works on the real disk, outside the sandbox; it has no standard input and no terminal, and what it leaves running in the background is ended.",
		Risk: tool.Command, Toolset: "shell", Provider: "builtin", Shell: shellGrammar,
	}, s.run)}
}

// commandResult is what the model reads.
type commandResult struct {
	Exit   int    `json:"exit"`
	Output string `json:"output"` // standard output and error, as they came
	Ended  string `json:"ended,omitempty"`
}

func (s shell) run(ctx context.Context, in commandArgs) (tool.Output, error) {
	if strings.TrimSpace(in.Command) == "" || len(in.Command) > maxCommand || strings.ContainsRune(in.Command, 0) {
		return tool.Output{}, fault.New(fault.ToolInput, "the command is empty, has more than %d bytes, or contains a NUL byte", maxCommand)
	}
	if in.Timeout < 0 || in.Timeout > maxShellTimeout {
		return tool.Output{}, fault.New(fault.ToolInput, "timeout must be between 0 and %d seconds", maxShellTimeout)
	}
	own := ctx
	if in.Timeout > 0 {
		var cancel context.CancelFunc
		own, cancel = context.WithTimeout(ctx, time.Duration(in.Timeout)*time.Second)
		defer cancel()
	}
	var out capped
	cmd := shellCommand(own, in.Command)
	cmd.Dir, cmd.Env = s.root, s.environment()
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = shellGrace
	detach(cmd)
	err := cmd.Run()
	endGroup(cmd)
	if ctx.Err() != nil {
		return tool.Output{}, context.Cause(ctx)
	}
	res := commandResult{Output: out.String()}
	var exit *exec.ExitError
	switch {
	case own.Err() != nil:
		res.Exit, res.Ended = -1, fmt.Sprintf("ended after %d seconds", in.Timeout)
	case errors.As(err, &exit):
		res.Exit = exit.ExitCode()
		if res.Exit < 0 {
			res.Ended = exit.String()
		}
	case errors.Is(err, exec.ErrWaitDelay):
		res.Ended = "a process it started keeps its output open"
	case err != nil:
		return tool.Output{}, fault.New(fault.Tool, "the shell could not be started: %s", cause(err))
	}
	data, err := json.Marshal(res)
	if err != nil {
		return tool.Output{}, fault.New(fault.Tool, "the output could not be encoded: %w", err)
	}
	return tool.Output{Kind: "json", Data: data, Summary: fmt.Sprintf("exit %d", res.Exit), Untrusted: true}, nil
}

func (s shell) environment() []string {
	env := []string{"TERM=dumb", "NO_COLOR=1", "GOLEM=1"}
	for name, value := range s.h.env {
		if slices.Contains(shellEnv, strings.ToUpper(name)) {
			env = append(env, name+"="+value)
		}
	}
	slices.Sort(env)
	return env
}

// capped keeps the beginning and the end of what is written to it.
type capped struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte
	total int
}

// Write never fails, so that the command is not disturbed.
func (c *capped) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.total += n
	if room := maxShellOutput/2 - len(c.head); room > 0 {
		k := min(room, n)
		c.head = append(c.head, p[:k]...)
		p = p[k:]
	}
	c.tail = append(c.tail, p...)
	if over := len(c.tail) - maxShellOutput/2; over > maxShellOutput/2 {
		c.tail = append([]byte(nil), c.tail[over:]...)
	}
	return n, nil
}

// String is the output as text.
func (c *capped) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := c.tail[max(len(c.tail)-maxShellOutput/2, 0):]
	cut := c.total - len(c.head) - len(tail)
	text := string(c.head)
	if cut > 0 {
		text += fmt.Sprintf("\n[%d bytes left out]\n", cut)
	}
	return strings.ToValidUTF8(text+string(tail), "\uFFFD")
}
