package approval

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

func contains(s, sub string) bool { return strings.Contains(s, sub) }

// Scenario 17: every setting in every mode; manual tools.
func TestMatrix(t *testing.T) {
	cases := []struct {
		setting Setting
		mode    Mode
		run     bool
		asked   int
		source  string
	}{
		{PreApproved, Interactive, true, 0, "setting"},
		{PreApproved, ApproveAll, true, 0, "setting"},
		{PreApproved, AutoDeny, true, 0, "setting"},
		{Ask, Interactive, true, 1, "user"},
		{Ask, ApproveAll, true, 0, "mode"},
		{Ask, AutoDeny, false, 0, "mode"},
		{Blocked, Interactive, false, 0, "setting"},
		{Blocked, ApproveAll, false, 0, "setting"},
		{Blocked, AutoDeny, false, 0, "setting"},
		// Other values: an empty mode asks, an unknown mode denies, an unknown setting blocks.
		{Ask, "", true, 1, "user"},
		{Ask, "yolo", false, 0, "mode"},
		{"maybe", ApproveAll, false, 0, "setting"},
	}
	for _, c := range cases {
		t.Run(string(c.setting)+"/"+string(c.mode), func(t *testing.T) {
			she := says(t, Yes)
			tl := plainTool("t", tool.Command)
			o := do(t, NewGate(c.mode, she), tl, Policy{
				WorkerTools: map[string]Setting{"t": c.setting}, Origins: map[string]Origin{"worker.tool:t": {By: Person}},
			}, `{}`)
			if o.ran() != c.run || tl.ran() > 1 || (tl.ran() == 1) != c.run {
				t.Errorf("ran %v (%d times), want %v: %v", o.ran(), tl.ran(), c.run, o.err)
			}
			if she.questions() != c.asked {
				t.Errorf("%d questions, want %d", she.questions(), c.asked)
			}
			if rec := o.record(t); rec.Run != c.run || rec.Source != c.source {
				t.Errorf("record %+v", rec)
			}
			if !c.run {
				wantDenied(t, o, "")
			}
		})
	}
}

// Scenario 17: a manual tool is refused to a model and runs for a person, who is asked if its
// setting is ask.
func TestManual(t *testing.T) {
	tl := plainTool("push", tool.Command)
	tl.spec.Exec = tool.ExecManual
	she := says(t, Yes)
	g := NewGate(Interactive, she)
	o := do(t, g, tl, Policy{WorkerTools: map[string]Setting{"push": PreApproved}}, `{`)
	wantDenied(t, o, "person")
	if tl.ran() != 0 || she.questions() != 0 {
		t.Fatal("a model started a manual tool")
	}
	o = doItem(t, g, Item{Tool: tl, Call: tool.Call{Name: "push", Args: tool.ReadArguments([]byte(`{}`))}})
	if !o.ran() || she.questions() != 1 {
		t.Fatalf("a person could not: %v, %d questions", o.err, she.questions())
	}
	tl.spec.Exec = "sometimes"
	wantDenied(t, do(t, NewGate(ApproveAll, nil), tl, Policy{}, `{}`), "")
}

// Scenario 18 (S0-37..41): a decision is remembered for the session, for the root and its
// children, by canonical arguments, and only by this gate.
func TestMemory(t *testing.T) {
	she := says(t, Session, Yes)
	g := NewGate(Interactive, she)
	tl := writeFile()
	if o := do(t, g, tl, Policy{}, `{"path":"/o.txt","content":"a"}`); !o.ran() || o.record(t).Remember != Session {
		t.Fatalf("first: %+v", o)
	}
	child := Item{Tool: writeFile(), FromModel: true, WorkerPath: []string{"main", "child"}, Call: tool.Call{ID: "0.2.1", Name: "write_file", Args: tool.ReadArguments([]byte("{ \"content\":\"\\u0061\",\n\"path\":\"o.txt\"}"))}}
	if o := doItem(t, g, child); !o.ran() || o.record(t).Source != "cache" {
		t.Fatalf("the child was asked again: %+v", o)
	}
	if o := do(t, g, tl, Policy{}, `{"path":"/o.txt","content":"b"}`); !o.ran() || o.record(t).Source != "user" {
		t.Fatalf("other arguments: %+v", o)
	}
	if o := do(t, g, tl, Policy{}, `{"content":"a","path":"/o.txt"}`); o.record(t).Source != "cache" {
		t.Errorf("reordered keys missed the cache: %+v", o)
	}
	if she.questions() != 2 {
		t.Errorf("%d questions, want exactly two", she.questions())
	}
	again := says(t, No)
	do(t, NewGate(Interactive, again), tl, Policy{}, `{"path":"/o.txt","content":"a"}`)
	if again.questions() != 1 {
		t.Error("a new session did not ask")
	}
}

// Scenario 19: the answers n, then y; a; d for a call that comes twice.
func TestAnswers(t *testing.T) {
	she := &person{t: t, answers: []Decision{{Answer: No, Reason: "not on a Friday"}, {Answer: Yes}, {Answer: Always}}}
	g := NewGate(Interactive, she)
	tl := writeFile()
	const first = `{"path":"/a","content":"1"}`
	wantDenied(t, do(t, g, tl, Policy{}, first), "not on a Friday")
	if o := do(t, g, tl, Policy{}, first); !o.ran() || she.questions() != 2 {
		t.Fatalf("the same call must be asked again after n: %+v", o)
	}
	if o := do(t, g, tl, Policy{}, first); !o.ran() || o.record(t).Remember != Always {
		t.Fatalf("a: %+v", o)
	}
	if o := do(t, g, tl, Policy{}, `{"path":"/b","content":"2"}`); !o.ran() || o.record(t).Source != "cache" {
		t.Fatalf("other arguments after a: %+v", o)
	}
	if she.questions() != 3 {
		t.Errorf("%d questions", she.questions())
	}

	never := says(t, Never)
	g = NewGate(Interactive, never)
	wantDenied(t, do(t, g, tl, Policy{}, first), "user said no")
	o := do(t, g, tl, Policy{}, first)
	wantDenied(t, o, "")
	if o.record(t).Source != "cache" || never.questions() != 1 {
		t.Errorf("d was not remembered: %+v", o)
	}
}

// SECURITY 8: the answer Always is neither offered nor accepted for the risks destructive and
// command and for unknown risks. The answer Session is.
func TestAlwaysIsNotForDangerousCalls(t *testing.T) {
	for _, risk := range []tool.Risk{tool.Destructive, tool.Command, "", "odd"} {
		she := says(t, Always, Yes, Session)
		g := NewGate(Interactive, she)
		tl := plainTool("t", risk)
		if o := do(t, g, tl, Policy{}, `{"a":1}`); !o.ran() || o.record(t).Remember != "" {
			t.Errorf("%q: %+v", risk, o)
		}
		if she.asked[0].Offers(Always) {
			t.Errorf("%q: a was offered", risk)
		}
		do(t, g, tl, Policy{}, `{"a":1}`)
		do(t, g, tl, Policy{}, `{"a":2}`)
		if o := do(t, g, tl, Policy{}, `{"a":2}`); she.questions() != 3 || o.record(t).Source != "cache" {
			t.Errorf("%q: %d questions, last %+v", risk, she.questions(), o)
		}
	}
	// An earlier answer Always does not cover a call whose preview raises its risk.
	she := says(t, Always, No)
	g := NewGate(Interactive, she)
	tl := seeingTool{plainTool("edit", tool.Write), func(c tool.Call) (tool.Preview, error) {
		p := tool.Preview{Risk: tool.Read} // does not lower the risk
		if contains(string(c.Args.JSON()), "wipe") {
			p.Risk = tool.Destructive
		}
		return p, nil
	}}
	do(t, g, tl, Policy{}, `{"a":"x"}`)
	if o := do(t, g, tl, Policy{}, `{"a":"y"}`); o.record(t).Source != "cache" {
		t.Errorf("%+v", o)
	}
	wantDenied(t, do(t, g, tl, Policy{}, `{"a":"wipe"}`), "")
	if she.questions() != 2 || she.asked[1].Risk != "high" || she.asked[0].Risk != "medium" {
		t.Errorf("asked %+v", she.asked)
	}
}

// Scenario 20: there is one request, with risk and worker path. Waiting for the answer counts
// against no timeout, because the timeout begins when the call may run.
func TestPropagation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = time.Second
		var order []string
		slow := approverFunc(func(_ context.Context, r Request) (Decision, error) {
			order = append(order, "asked")
			if r.Risk != "high" || r.Type != "command" || strings.Join(r.WorkerPath, " → ") != "root → a → b" || r.Call != "0.1.1.1" {
				t.Errorf("request %+v", r)
			}
			time.Sleep(2 * timeout)
			return Decision{ID: r.ID, Answer: Yes}, nil
		})
		tl := plainTool("bash", tool.Command)
		tl.body = func(ctx context.Context, _ tool.Call) (tool.Output, error) {
			order = append(order, "ran")
			return tool.Output{}, ctx.Err()
		}
		left := false
		it := Item{
			Tool: tl, FromModel: true, WorkerPath: []string{"root", "a", "b"}, Call: tool.Call{ID: "0.1.1.1", Name: "bash", Args: tool.ReadArguments([]byte(`{"command":"ls"}`))},
			By: ordered{&order, entering{enter: func(ctx context.Context, risk tool.Risk) (context.Context, func(), error) {
				order = append(order, "enter "+string(risk))
				ctx, cancel := context.WithTimeout(ctx, timeout)
				return ctx, func() { cancel(); left = true }, nil
			}}, new(Request)},
		}
		if _, err := NewGate(Interactive, slow).Call(t.Context(), it); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(order, ", "); got != "asking, shown, asked, answered, enter command, ran" || !left {
			t.Errorf("order %s, left %v", got, left)
		}
	})
}

// ordered is a Caller that notes what it is told of a question.
type ordered struct {
	order *[]string
	Caller
	request *Request // the one that is shown
}

func (o ordered) Asking() func() {
	*o.order = append(*o.order, "asking")
	return func() { *o.order = append(*o.order, "answered") }
}

func (o ordered) Shown(r Request) {
	*o.order = append(*o.order, "shown")
	*o.request = r
}

// Scenario 21, at the gate: settings under rule names, blocked in mode approve_all, nobody who
// can be asked, and the two modes that need no person.
func TestNobody(t *testing.T) {
	policy := Policy{WorkerTools: map[string]Setting{"write_file": Blocked, "worker.call": Ask}}
	child := &fakeTool{spec: tool.Spec{Name: "helper", Kind: tool.Worker, Target: "helper", Rules: []string{"worker.call"}}}
	for _, nobody := range []Approver{nil, approverFunc(func(context.Context, Request) (Decision, error) { return Decision{}, ErrNobody })} {
		g := NewGate(Interactive, nobody)
		o := do(t, g, child, policy, `{}`)
		wantDenied(t, o, "nobody could be asked")
		if !o.record(t).Nobody {
			t.Error("Nobody is not set")
		}
		wantDenied(t, do(t, g, writeFile(), policy, `{"path":"/a"}`), "blocked")
	}
	wantDenied(t, do(t, NewGate(ApproveAll, nil), writeFile(), policy, `{"path":"/a"}`), "blocked")
	if o := do(t, NewGate(ApproveAll, nil), child, policy, `{}`); !o.ran() {
		t.Error(o.err)
	}
	o := do(t, NewGate(AutoDeny, nil), child, policy, `{}`)
	wantDenied(t, o, "auto_deny")
	if o.record(t).Nobody {
		t.Error("--deny-all was asked for: nobody is not the reason")
	}
	she := says(t, Yes)
	if o := do(t, NewGate(Interactive, she), child, policy, `{}`); !o.ran() || she.questions() != 1 {
		t.Errorf("%+v", o)
	}
	if set, rule := NewGate("", nil).Setting(child.spec, policy); set != Ask || !contains(rule, "worker.call") {
		t.Errorf("setting %s %s", set, rule)
	}
}

// Every error of the approver counts as no (SECURITY 9, SPEC §7).
func TestBrokenApproverDenies(t *testing.T) {
	cases := map[string]approverFunc{
		"error": func(context.Context, Request) (Decision, error) {
			return Decision{Answer: Yes}, errors.New("pipe closed")
		},
		"panic":    func(context.Context, Request) (Decision, error) { panic("boom") },
		"other id": func(context.Context, Request) (Decision, error) { return Decision{ID: "x", Answer: Yes}, nil },
		"no id":    func(context.Context, Request) (Decision, error) { return Decision{Answer: Session}, nil },
		"nonsense": func(_ context.Context, r Request) (Decision, error) { return Decision{ID: r.ID, Answer: "YES"}, nil },
		"empty":    func(_ context.Context, r Request) (Decision, error) { return Decision{ID: r.ID}, nil },
	}
	for name, a := range cases {
		t.Run(name, func(t *testing.T) {
			tl := writeFile()
			g := NewGate(Interactive, a)
			for range 2 { // the gate still works, and remembers nothing
				o := do(t, g, tl, Policy{}, `{"path":"/a"}`)
				wantDenied(t, o, "")
				if o.record(t).Source != "user" || o.record(t).Remember != "" {
					t.Errorf("%+v", o.record(t))
				}
			}
			if tl.ran() != 0 {
				t.Error("it ran")
			}
		})
	}
}

// A run that is stopped while a person is asked is interrupted, not denied.
func TestInterruptedQuestion(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := NewGate(Interactive, approverFunc(func(ctx context.Context, r Request) (Decision, error) {
		cancel()
		<-ctx.Done()
		return Decision{ID: r.ID, Answer: Yes}, nil // too late
	}))
	tl := writeFile()
	records := 0
	for range 2 { // first while asking, then while waiting for the turn
		_, err := g.Call(ctx, Item{Tool: tl, FromModel: true, Call: tool.Call{Args: tool.ReadArguments([]byte(`{"path":"/a"}`))}, By: observed(func(r Record) {
			records++
			if r.Run {
				t.Error("recorded as run")
			}
		})})
		if !errors.Is(err, fault.Interrupted) {
			t.Errorf("got %v", err)
		}
	}
	if tl.ran() != 0 || records != 2 {
		t.Errorf("ran %d, %d records", tl.ran(), records)
	}
}
