package shell

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// Limits of commands in the background.
const (
	maxBackground = 8       // commands that run at the same time
	maxUnread     = 1 << 20 // bytes of unread output that are kept
	maxWait       = 60      // seconds that read_command waits at most
)

type startArgs struct {
	Command string `json:"command" jsonschema:"the command line"`
}

type readArgs struct {
	ID   string `json:"id" jsonschema:"the id that start_command returned"`
	Wait int    `json:"wait,omitempty" jsonschema:"seconds to wait for new output or for the end, at most 60"`
}

type stopArgs struct {
	ID string `json:"id" jsonschema:"the id that start_command returned"`
}

// backgroundResult is the result about a command in the background, as the model reads
// it.
type backgroundResult struct {
	ID      string `json:"id"`
	Running bool   `json:"running"`
	Exit    *int   `json:"exit,omitempty"` // nil while it runs
	Output  string `json:"output"`         // the output since the last read
	Ended   string `json:"ended,omitempty"`
	// Changed are files that define the project and changed while the command ran.
	Changed []string `json:"changed_definitions,omitempty"`
}

// background is one command in the background.
type background struct {
	*process
	out *unread
}

// backgroundTools returns the tools that start, read and stop commands in the
// background. Reading and stopping need no approval: they reach only commands whose
// start was approved.
func (s *shell) backgroundTools() []tool.Tool {
	start := s.spec("start_command", "Starts a command line in the background and returns an id at once; it ends with the worker at the latest. Read its output with read_command, end it with stop_command.")
	start.Rules = []string{"run_command"}
	own := func(name, description string) tool.Spec {
		return tool.Spec{Name: name, Description: description, Risk: tool.Read, Toolset: "shell", Provider: "builtin"}
	}
	return []tool.Tool{
		tool.Func(start, s.begun),
		tool.Func(own("read_command", "Returns the output of a command in the background since the last read, and whether it still runs."), s.read),
		tool.Func(own("stop_command", "Ends a command in the background, with all that it started, and returns the rest of its output."), s.end),
	}
}

func (s *shell) begun(_ context.Context, in startArgs) (tool.Output, error) {
	s.mu.Lock()
	running := 0
	for _, b := range s.started {
		if !b.done() {
			running++
		}
	}
	s.mu.Unlock()
	if running >= maxBackground {
		return tool.Output{}, fault.New(fault.Limit, "%d commands run in the background, and no more may", maxBackground).
			Hinting("end one with stop_command")
	}
	out := &unread{news: make(chan struct{}, 1)}
	p, err := s.start(in.Command, out)
	if err != nil {
		return tool.Output{}, err
	}
	s.mu.Lock()
	id := strconv.Itoa(len(s.started) + 1)
	s.started[id] = &background{p, out}
	s.mu.Unlock()
	return encode(backgroundResult{ID: id, Running: true}, "started as "+id)
}

func (s *shell) known(id string) (*background, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.started[id]; b != nil {
		return b, nil
	}
	ids := slices.Sorted(maps.Keys(s.started))
	return nil, fault.New(fault.NotFound, "no command in the background has the id %q", id).Hinting("ids: %s", orNone(strings.Join(ids, ", ")))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (s *shell) read(ctx context.Context, in readArgs) (tool.Output, error) {
	b, err := s.known(in.ID)
	if err != nil {
		return tool.Output{}, err
	}
	if in.Wait < 0 || in.Wait > maxWait {
		return tool.Output{}, fault.New(fault.ToolInput, "wait must be between 0 and %d seconds", maxWait)
	}
	if in.Wait > 0 && b.out.empty() {
		late := time.NewTimer(time.Duration(in.Wait) * time.Second)
		defer late.Stop()
		select {
		case <-b.out.news:
		case <-b.ended:
		case <-late.C:
		case <-ctx.Done():
			// limits.tool_timeout can be shorter than the wait. Then the command just goes on.
			if !errors.Is(context.Cause(ctx), fault.Timeout) {
				return tool.Output{}, context.Cause(ctx)
			}
		}
	}
	return b.outcomeOf(in.ID)
}

func (s *shell) end(_ context.Context, in stopArgs) (tool.Output, error) {
	b, err := s.known(in.ID)
	if err != nil {
		return tool.Output{}, err
	}
	b.stop()
	return b.outcomeOf(in.ID)
}

func (b *background) done() bool {
	select {
	case <-b.ended:
		return true
	default:
		return false
	}
}

func (b *background) outcomeOf(id string) (tool.Output, error) {
	res := backgroundResult{ID: id, Running: !b.done(), Output: b.out.drain()}
	if res.Running {
		return encode(res, "runs")
	}
	end := b.result()
	res.Exit, res.Ended, res.Changed = &end.Exit, end.Ended, end.Changed
	return encode(res, fmt.Sprintf("exit %d", end.Exit))
}

// unread is a buffer for output that the model has not read yet. If it gets too long,
// the oldest output is dropped.
type unread struct {
	mu   sync.Mutex
	text []byte
	lost int
	news chan struct{} // receives a value after a write
}

// Write never fails.
func (u *unread) Write(p []byte) (int, error) {
	u.mu.Lock()
	u.text = append(u.text, p...)
	if over := len(u.text) - maxUnread; over > maxUnread/4 {
		u.text, u.lost = append([]byte(nil), u.text[over:]...), u.lost+over
	}
	u.mu.Unlock()
	select {
	case u.news <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (u *unread) empty() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	select {
	case <-u.news: // its output was taken already, or is still in text
	default:
	}
	return len(u.text) == 0
}

func (u *unread) drain() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	text := string(u.text)
	if u.lost > 0 {
		text = fmt.Sprintf("[%d bytes left out]\n", u.lost) + text
	}
	u.text, u.lost = nil, 0
	return strings.ToValidUTF8(text, "\uFFFD")
}
