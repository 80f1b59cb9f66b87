package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
)

// The arguments that a person is shown are those that are remembered and that run (SPEC §7).
func TestOneDecodedValue(t *testing.T) {
	she := says(t, Yes)
	tl := writeFile()
	o := do(t, NewGate(Interactive, she), tl, Policy{}, ` {"path":"a/b.md" , "content":"x\u0041\u2028"}`)
	if !o.ran() {
		t.Fatal(o.err)
	}
	r := she.asked[0]
	if string(r.Args) != tl.args[0] || string(r.Args) != "{\"content\":\"xA\u2028\",\"path\":\"/a/b.md\"}" {
		t.Errorf("shown %s, run %s", r.Args, tl.args[0])
	}
	if r.Type != "file_write" || r.Diff == "" || len(r.Paths) != 1 || r.Risk != "medium" || !r.Offers(Always) || !contains(r.Rule, "write") {
		t.Errorf("request %+v", r)
	}
}

// Arguments are parsed strictly (S0-62). For a call with invalid arguments nobody is asked,
// and there is no record.
func TestStrictArguments(t *testing.T) {
	tl := plainTool("t", tool.Command)
	tl.spec.Input = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"list":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}}},"required":["path"]}`)
	g := NewGate(Interactive, says(t))
	for args, want := range map[string]string{
		`{bad`:                                  "",
		`[]`:                                    "object",
		`"x"`:                                   "object",
		`null`:                                  "path", // it means {}
		`""`:                                    "path",
		`{"path":"a","path":"b"}`:               "",
		`{"path":"a","Path":"b"}`:               "",
		`{"path":"a"} {}`:                       "",
		`{"path":"a","paht":"b"}`:               "paht",
		`{"path":"a","list":[{"n":1},{"m":1}]}`: "/list/1",
		"{\"path\":\"\xff\"}":                   "",
		`{"path":7}`:                            "/path",
		`{}`:                                    "path",
	} {
		o := do(t, g, tl, Policy{}, args)
		f := fault.Of(o.err, fault.Tool)
		if f == nil || f.Code != fault.ToolInput || !contains(f.Message, want) || f.Hint == "" {
			t.Errorf("%s: got %v, want E_TOOL_INPUT with %q and a hint", args, o.err, want)
		}
		if len(o.records) != 0 {
			t.Errorf("%s: recorded", args)
		}
	}
	if tl.ran() != 0 {
		t.Error("it ran")
	}
	// If a schema itself says which other keys are allowed, only the schema decides. Without
	// a schema, every key is allowed.
	for _, schema := range []string{`{"type":"object","properties":{"a":{}},"additionalProperties":true}`, `{"type":"object","patternProperties":{"^x":{}}}`, `{"type":"object"}`, ``} {
		tl.spec.Input = json.RawMessage(schema)
		if schema == "" {
			tl.spec.Input = nil
		}
		if o := do(t, NewGate(ApproveAll, nil), tl, Policy{}, `{"zz":1}`); !o.ran() {
			t.Errorf("%s: %v", schema, o.err)
		}
	}
	if o := do(t, NewGate(ApproveAll, nil), tl, Policy{}, ``); !o.ran() || tl.args[len(tl.args)-1] != "{}" {
		t.Errorf("no arguments: %v", o.err)
	}
}

// If the preview of a call fails, nobody is asked. If the call is also blocked, only that is
// reported.
func TestPreviewFails(t *testing.T) {
	tl := writeFile()
	g := NewGate(ApproveAll, nil)
	o := do(t, g, tl, Policy{}, `{"path":".."}`)
	if !errors.Is(o.err, fault.Path) || o.record(t).Run || tl.ran() != 0 {
		t.Errorf("%+v", o)
	}
	wantDenied(t, do(t, g, tl, Policy{ProjectTools: map[string]Setting{"write_file": Blocked}}, `{"path":".."}`), "blocked")
	broken := seeingTool{plainTool("t", tool.Read), func(tool.Call) (tool.Preview, error) { panic("oh\x1b[31m") }}
	o = do(t, g, broken, Policy{}, `{}`)
	if !errors.Is(o.err, fault.Tool) || contains(o.err.Error(), "\x1b") || broken.ran() != 0 {
		t.Errorf("%v", o.err)
	}
}

// A panic of a tool makes the call fail, and does not end the run.
func TestPanicBecomesFault(t *testing.T) {
	tl := plainTool("t", tool.Read)
	tl.body = func(context.Context, tool.Call) (tool.Output, error) {
		var none []int
		return tool.Output{Text: fmt.Sprint(none[len(none)])}, nil
	}
	left := 0
	it := Item{Tool: tl, FromModel: true, Call: tool.Call{Args: tool.ReadArguments([]byte(`{}`))}, By: entering{enter: func(ctx context.Context, _ tool.Risk) (context.Context, func(), error) {
		return ctx, func() { left++ }, nil
	}}}
	o := doItem(t, NewGate(Interactive, nil), it)
	if !errors.Is(o.err, fault.Tool) || !contains(o.err.Error(), "t crashed") || left != 1 {
		t.Errorf("%v, left %d times", o.err, left)
	}
	tl.body = func(context.Context, tool.Call) (tool.Output, error) { return tool.Output{}, errors.New("plain") }
	if o := doItem(t, NewGate(Interactive, nil), it); !errors.Is(o.err, fault.Tool) {
		t.Errorf("%v", o.err)
	}
	it.By = entering{enter: func(context.Context, tool.Risk) (context.Context, func(), error) { return nil, nil, context.Canceled }}
	before := tl.ran()
	if o := doItem(t, NewGate(Interactive, nil), it); !errors.Is(o.err, fault.Interrupted) || tl.ran() != before {
		t.Errorf("%v", o.err)
	}
}

// S0-70: preApproved consults neither memory nor mode. A remembered decision
// comes before the mode.
func TestCacheBeforeMode(t *testing.T) {
	she := says(t, Never)
	g := NewGate(Interactive, she)
	tl := writeFile()
	do(t, g, tl, Policy{}, `{"path":"/a"}`)
	g.mode = ApproveAll
	wantDenied(t, do(t, g, tl, Policy{}, `{"path":"/a"}`), "")
	if o := do(t, g, tl, Policy{WorkerTools: map[string]Setting{"write_file": PreApproved}}, `{"path":"/a"}`); !o.ran() {
		t.Error("preApproved consulted the memory")
	}
	wantDenied(t, do(t, g, tl, Policy{WorkerTools: map[string]Setting{"sandbox.write": PreApproved, "write_file": Blocked}}, `{"path":"/a"}`), "blocked")
	g = NewGate(Interactive, says(t, Session))
	do(t, g, tl, Policy{}, `{"path":"/a"}`)
	g.mode = AutoDeny
	if o := do(t, g, tl, Policy{}, `{"path":"/a"}`); !o.ran() || o.record(t).Source != "cache" {
		t.Errorf("%+v", o)
	}
	wantDenied(t, do(t, g, tl, Policy{}, `{"path":"/b"}`), "auto_deny")
}

// SPEC §3: a manifest's approve_all covers only calls that stay in the sandbox.
func TestSandboxOnly(t *testing.T) {
	for risk, asks := range map[tool.Risk]bool{tool.Read: false, tool.Write: false, tool.Destructive: false, tool.Network: true, tool.Command: true, "": true} {
		she := says(t, No)
		g := NewGate(ApproveAll, she)
		g.SandboxOnly = true
		do(t, g, plainTool("t", risk), Policy{ProjectDefault: Ask}, `{}`)
		if (she.questions() == 1) != asks {
			t.Errorf("risk %q: %d questions", risk, she.questions())
		}
	}
}

// SECURITY 13: after untrusted content was read, calls that reach the network ask even if
// they are preApproved, and no earlier answer for any arguments covers them.
func TestTaint(t *testing.T) {
	tl := plainTool("fetch", tool.Network)
	she := says(t, Always, Session)
	g := NewGate(Interactive, she)
	g.TaintAsk = true
	clean := Item{Tool: tl, FromModel: true, Call: tool.Call{Args: tool.ReadArguments([]byte(`{"u":1}`))}}
	tainted := clean
	tainted.By = afterTaint{}
	doItem(t, g, clean) // asked; the answer is Always
	doItem(t, g, clean) // remembered
	doItem(t, g, tainted)
	if she.questions() != 2 || she.asked[1].Offers(Always) {
		t.Fatalf("asked %+v", she.asked)
	}
	doItem(t, g, tainted) // this exact call was approved after the untrusted content
	tainted.Policy = Policy{WorkerTools: map[string]Setting{"fetch": PreApproved}}
	doItem(t, g, tainted)
	if she.questions() != 2 {
		t.Errorf("asked %d times", she.questions())
	}
	she.answers = append(she.answers, Decision{Answer: No})
	tainted.Call.Args = tool.ReadArguments([]byte(`{"u":2}`))
	o := doItem(t, g, tainted)
	if she.questions() != 3 || o.ran() || o.record(t).Setting != Ask {
		t.Errorf("preApproved egress after taint: %+v", o)
	}
	read := Item{Tool: plainTool("r", tool.Read), FromModel: true, By: afterTaint{}, Call: tool.Call{Args: tool.ReadArguments([]byte(`{}`))}}
	if o := doItem(t, g, read); !o.ran() {
		t.Error(o.err)
	}
}

// Only the grants of a module count: the risk that it declares never lets it do more.
func TestAModulesOwnRiskWidensNothing(t *testing.T) {
	for name, c := range map[string]struct {
		spec tool.Spec
		out  bool // whether it can reach the network
	}{
		"nothing": {tool.Spec{}, false},
		"files":   {tool.Spec{Grants: []tool.Grant{{Name: "files"}}}, false},
		"hosts":   {tool.Spec{Hosts: []string{"a.example"}}, true},
		"network": {tool.Spec{Network: true}, true},
	} {
		for _, risk := range []tool.Risk{"", tool.Destructive, tool.Command} {
			tl := plainTool("m", risk)
			tl.spec.Kind, tl.spec.Toolset, tl.spec.Hosts, tl.spec.Network, tl.spec.Grants = tool.Wasm, "custom", c.spec.Hosts, c.spec.Network, c.spec.Grants
			want := !c.out && risk != tool.Command
			tainted := NewGate(AutoDeny, nil)
			tainted.TaintAsk, tainted.Rules = true, said{trusts: true}
			pre := Policy{WorkerDefaults: map[string]Setting{"custom": PreApproved}}
			if o := doItem(t, tainted, Item{Tool: tl, FromModel: true, By: afterTaint{}, Policy: pre, Call: tool.Call{Args: tool.ReadArguments([]byte("{}"))}}); o.ran() != want {
				t.Errorf("%s, risk %q: after untrusted content ran %v", name, risk, o.ran())
			}
			if f := tainted.Forecast(tl.spec, pre); f.AsksOnceTainted == want {
				t.Errorf("%s, risk %q: %+v", name, risk, f)
			}
			manifest := NewGate(ApproveAll, approverFunc(func(_ context.Context, r Request) (Decision, error) { return Decision{ID: r.ID, Answer: No}, nil }))
			manifest.SandboxOnly = true
			if o := do(t, manifest, tl, Policy{}, "{}"); o.ran() != want {
				t.Errorf("%s, risk %q: under a manifest's approve_all ran %v", name, risk, o.ran())
			}
		}
	}
}

// Two tools with the same name do not share a decision, and neither do two mounts with the
// same name.
func TestKeyIsProviderToolAndMount(t *testing.T) {
	she := says(t, Session, No, No, No)
	g := NewGate(Interactive, she)
	args := `{"path":"/a"}`
	do(t, g, writeFile(), Policy{}, args)
	for _, change := range []func(*tool.Spec){
		func(s *tool.Spec) { s.Provider = "0123abcd" },
		func(s *tool.Spec) { s.Toolset = "custom" },
	} {
		other := writeFile()
		change(&other.spec)
		do(t, g, other, Policy{}, args)
	}
	elsewhere := Item{Tool: writeFile(), FromModel: true, Call: tool.Call{Args: tool.ReadArguments([]byte(args))}, By: inLibrary{}}
	doItem(t, g, elsewhere)
	if she.questions() != 4 {
		t.Errorf("%d questions, want 4", she.questions())
	}
}

// diskFile is a file with a writing tool, which compares the file with its preview before it
// writes, as the filesystem toolset does.
type diskFile struct {
	mu       sync.Mutex
	content  string
	expected map[string]string // call → content its preview saw
}

func (d *diskFile) tool() seeingTool {
	base := plainTool("write_file", tool.Write)
	base.body = func(_ context.Context, c tool.Call) (tool.Output, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.content != d.expected[c.ID] {
			return tool.Output{}, fault.New(fault.Conflict, "changed meanwhile")
		}
		d.content = string(c.Args.JSON())
		return tool.Output{}, nil
	}
	return seeingTool{base, func(c tool.Call) (tool.Preview, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.expected[c.ID] = d.content
		return tool.Preview{Diff: "-" + d.content, Paths: []tool.PathUse{{Op: "write", Mount: "root", Path: "/a"}}}, nil
	}}
}

// If a file changes after a person was shown the call, the write is a conflict. If nobody was
// shown the call, it is not.
func TestChangedMeanwhile(t *testing.T) {
	for _, mode := range []Mode{ApproveAll, Interactive} {
		d := &diskFile{content: "old", expected: map[string]string{}}
		g := NewGate(mode, says(t, Yes))
		it := Item{Tool: d.tool(), FromModel: true, Call: tool.Call{ID: "0.1", Args: tool.ReadArguments([]byte(`{}`))}}
		it.By = entering{enter: func(ctx context.Context, _ tool.Risk) (context.Context, func(), error) {
			d.content = "another call was first"
			return ctx, nil, nil
		}}
		o := doItem(t, g, it)
		if mode == Interactive && !errors.Is(o.err, fault.Conflict) || mode == ApproveAll && o.err != nil {
			t.Errorf("%s: %v", mode, o.err)
		}
	}
	// A call that waits for its turn is previewed again before the person is asked.
	d := &diskFile{content: "old", expected: map[string]string{}}
	first, second := make(chan bool), make(chan bool)
	var diffs []string
	g := NewGate(Interactive, approverFunc(func(_ context.Context, r Request) (Decision, error) {
		if diffs = append(diffs, r.Diff); len(diffs) == 1 {
			close(first)
			<-second
			d.mu.Lock()
			d.content = "new"
			d.mu.Unlock()
		}
		return Decision{ID: r.ID, Answer: No}, nil
	}))
	var wg sync.WaitGroup
	call := func(id string) {
		_, err := g.Call(t.Context(), Item{Tool: d.tool(), FromModel: true, Call: tool.Call{ID: id, Args: tool.ReadArguments([]byte(`{"id":` + id + `}`))}})
		if !errors.Is(err, fault.Denied) {
			t.Error(err)
		}
	}
	wg.Go(func() { call("1") })
	<-first
	wg.Go(func() { call("2") })
	for seen := false; !seen; {
		runtime.Gosched()
		d.mu.Lock()
		_, seen = d.expected["2"]
		d.mu.Unlock()
	}
	close(second)
	wg.Wait()
	if len(diffs) != 2 || diffs[0] != "-old" || diffs[1] != "-new" {
		t.Errorf("%q", diffs)
	}
}

// A call is stopped if its second preview has other arguments, other paths or a higher risk.
func TestPreviewThatChanges(t *testing.T) {
	for name, second := range map[string]tool.Preview{
		"args": {Args: tool.ReadArguments([]byte(`{"path":"/b"}`)), Paths: []tool.PathUse{{Op: "write", Path: "/a"}}},
		"path": {Paths: []tool.PathUse{{Op: "write", Path: "/b"}}},
		"risk": {Risk: tool.Command, Paths: []tool.PathUse{{Op: "write", Path: "/a"}}},
	} {
		looks := 0
		tl := seeingTool{plainTool("t", tool.Write), func(tool.Call) (tool.Preview, error) {
			if looks++; looks == 1 {
				return tool.Preview{Paths: []tool.PathUse{{Op: "write", Path: "/a"}}}, nil
			}
			return second, nil
		}}
		o := do(t, NewGate(ApproveAll, nil), tl, Policy{}, `{"path":"/a"}`)
		if !errors.Is(o.err, fault.Conflict) || tl.ran() != 0 || looks != 2 {
			t.Errorf("%s: %v, ran %d", name, o.err, tl.ran())
		}
	}
}

// Only one question is open at a time, and a call that waits uses the answers given before.
func TestOneQuestionAtATime(t *testing.T) {
	var open, most, asked atomic.Int64
	ids := sync.Map{}
	g := NewGate(Interactive, approverFunc(func(_ context.Context, r Request) (Decision, error) {
		most.Store(max(most.Load(), open.Add(1)))
		defer open.Add(-1)
		asked.Add(1)
		if _, twice := ids.LoadOrStore(r.ID, true); twice {
			t.Errorf("request id %s was used twice", r.ID)
		}
		return Decision{ID: r.ID, Answer: Session}, nil
	}))
	tl := writeFile()
	var wg sync.WaitGroup
	const calls, files = 200, 7
	for i := range calls {
		wg.Go(func() {
			_, err := g.Call(t.Context(), Item{Tool: tl, FromModel: true, Call: tool.Call{Args: tool.ReadArguments(fmt.Appendf(nil, `{"path":"/%d"}`, i%files))}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most.Load() != 1 || asked.Load() != files || tl.ran() != calls {
		t.Errorf("%d at once, %d asked, %d ran", most.Load(), asked.Load(), tl.ran())
	}
}

// The empty mode is Interactive.
func TestEmptyMode(t *testing.T) {
	if NewGate("", nil).Mode() != Interactive {
		t.Error("the empty mode is interactive")
	}
}

// The hint for models is not in a denial of a call that a person started.
func TestDenialOfAPersonsCall(t *testing.T) {
	o := doItem(t, NewGate(Interactive, nil), Item{Tool: writeFile(), Call: tool.Call{Args: tool.ReadArguments([]byte(`{"path":"/a"}`))}})
	if f := fault.Of(o.err, fault.Tool); f == nil || f.Code != fault.Denied || f.Hint != "" {
		t.Errorf("%v", o.err)
	}
}

// inLibrary is a Caller whose mounts are those of a library.
type inLibrary struct{ Outside }

func (inLibrary) SourceOf(mount string) string { return "lib/" + mount }
