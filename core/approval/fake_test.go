package approval

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
)

// fakeTool is a tool that records the arguments of its calls.
type fakeTool struct {
	spec tool.Spec
	body func(ctx context.Context, c tool.Call) (tool.Output, error)

	mu   sync.Mutex
	args []string
}

func (f *fakeTool) Spec() tool.Spec { return f.spec }

func (f *fakeTool) Call(ctx context.Context, c tool.Call) (tool.Output, error) {
	f.mu.Lock()
	f.args = append(f.args, string(c.Args.JSON()))
	f.mu.Unlock()
	if f.body != nil {
		return f.body(ctx, c)
	}
	return tool.Output{Text: "done"}, nil
}

func (f *fakeTool) ran() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.args)
}

// seeingTool is a fakeTool with a preview.
type seeingTool struct {
	*fakeTool
	see func(c tool.Call) (tool.Preview, error)
}

func (s seeingTool) Preview(_ context.Context, c tool.Call) (tool.Preview, error) { return s.see(c) }

func plainTool(name string, risk tool.Risk) *fakeTool {
	return &fakeTool{spec: tool.Spec{Name: name, Risk: risk, Provider: "builtin", Toolset: "filesystem"}}
}

// writeFile returns a tool whose preview writes the file that the argument path names, in
// the root mount.
func writeFile() seeingTool {
	return seeingTool{plainTool("write_file", tool.Write), func(c tool.Call) (tool.Preview, error) {
		var in struct{ Path, Content string }
		if err := json.Unmarshal(c.Args.JSON(), &in); err != nil {
			return tool.Preview{}, err
		}
		if in.Path == "" || in.Path == ".." {
			return tool.Preview{}, fault.New(fault.Path, "path %q leaves the sandbox", in.Path)
		}
		if in.Path[0] != '/' {
			in.Path = "/" + in.Path
		}
		args, err := json.Marshal(map[string]string{"path": in.Path, "content": in.Content})
		return tool.Preview{Args: tool.ReadArguments(args), Diff: "+" + in.Content, Paths: []tool.PathUse{{Op: "write", Mount: "root", Path: in.Path}}}, err
	}}
}

// person answers questions from a list. A question after the last answer fails the test.
type person struct {
	t       *testing.T
	mu      sync.Mutex
	answers []Decision
	asked   []Request
}

func says(t *testing.T, answers ...Answer) *person {
	p := &person{t: t}
	for _, a := range answers {
		p.answers = append(p.answers, Decision{Answer: a})
	}
	return p
}

func (p *person) Approve(_ context.Context, r Request) (Decision, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r)
	if len(p.asked) > len(p.answers) {
		p.t.Errorf("question %d was not expected: %s %s", len(p.asked), r.Tool, r.Args)
		return Decision{ID: r.ID, Answer: No}, nil
	}
	d := p.answers[len(p.asked)-1]
	if d.ID == "" {
		d.ID = r.ID
	}
	return d, nil
}

func (p *person) questions() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

// approverFunc makes a function an Approver.
type approverFunc func(ctx context.Context, r Request) (Decision, error)

func (f approverFunc) Approve(ctx context.Context, r Request) (Decision, error) { return f(ctx, r) }

// outcome is the result of one call.
type outcome struct {
	out     tool.Output
	err     error
	records []Record
}

func (o outcome) ran() bool { return o.err == nil }

// do calls a tool as a model would.
func do(t *testing.T, g *Gate, tl tool.Tool, p Policy, args string) outcome {
	t.Helper()
	return doItem(t, g, Item{Tool: tl, Policy: p, FromModel: true, WorkerPath: []string{"main"}, Call: tool.Call{ID: "0.1", Name: tl.Spec().Name, Args: tool.ReadArguments([]byte(args))}})
}

func doItem(t *testing.T, g *Gate, it Item) outcome {
	t.Helper()
	var o outcome
	if it.By == nil {
		it.By = Outside{}
	}
	it.By = noting{it.By, func(r Record) { o.records = append(o.records, r) }}
	o.out, o.err = g.Call(t.Context(), it)
	if o.err != nil {
		var f *fault.Fault
		if !errors.As(o.err, &f) {
			t.Errorf("the error is no fault: %v", o.err)
		}
	}
	return o
}

// record returns the record of the call; the test fails unless there is exactly one.
func (o outcome) record(t *testing.T) Record {
	t.Helper()
	if len(o.records) != 1 {
		t.Fatalf("%d records, want exactly 1: %+v (err %v)", len(o.records), o.records, o.err)
	}
	return o.records[0]
}

func wantDenied(t *testing.T, o outcome, text string) {
	t.Helper()
	f := fault.Of(o.err, fault.Tool)
	if f == nil || f.Code != fault.Denied {
		t.Fatalf("got %v, want E_DENIED", o.err)
	}
	if !contains(f.Message, "was not run") || !contains(f.Message, text) || f.Hint == "" {
		t.Errorf("message %q hint %q, want \"was not run\", %q and a hint", f.Message, f.Hint, text)
	}
	if o.record(t).Run {
		t.Error("the record says that it ran")
	}
}

// noting is a Caller that passes its records on.
type noting struct {
	Caller
	note func(Record)
}

func (n noting) Observe(r Record) { n.note(r) }

// observed returns a Caller outside a run whose records go to note.
func observed(note func(Record)) Caller { return noting{Outside{}, note} }

// entering is a Caller whose calls enter through a function.
type entering struct {
	Outside
	enter func(context.Context, tool.Risk) (context.Context, func(), error)
}

func (e entering) Enter(ctx context.Context, risk tool.Risk) (context.Context, func(), error) {
	return e.enter(ctx, risk)
}

// afterTaint is a Caller that has read untrusted content.
type afterTaint struct{ Outside }

func (afterTaint) Tainted() bool { return true }
