package consent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/trust"
)

// SPEC §3: the question about an MCP server shows its command line. No argument can
// look like two, or like golem's own words.
func TestServerMeansTheCommandLine(t *testing.T) {
	got := serverMeans(map[string]any{"command": "npx", "args": []any{"--yes", "@example/notes", "a b", `q"t`, "", "x; rm", "größe", "C:\\n"}})
	if want := `. Its command line: npx --yes @example/notes "a b" "q\"t" "" "x; rm" "größe" C:\n`; !strings.HasSuffix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// answering answers the questions about tools, and counts them.
type answering struct {
	yes   []bool // in the order of the questions
	lines []string
}

// Approve gives the next answer.
func (a *answering) Approve(_ context.Context, r approval.Request) (approval.Decision, error) {
	a.lines = append(a.lines, r.Lines[0].Value)
	out := approval.Decision{ID: r.ID, Answer: approval.No}
	if n := len(a.lines) - 1; n < len(a.yes) && a.yes[n] {
		out.Answer = approval.Yes
	}
	return out, nil
}

// Two workers that need a server's tools at once: an answer counts from the moment it is
// given, a tool is asked about once, and a no to one tool is no answer about another.
func TestServerToolsOfTwoWorkers(t *testing.T) {
	tools := func(names string) (out trust.List) {
		for _, n := range strings.Fields(names) {
			out = append(out, trust.Widening{Path: "toolsets.mcp.s." + n, Value: n, Means: n})
		}
		return out
	}
	for name, one := range map[string]struct {
		other string // the tools of the other worker
		after bool   // it begins after the question about ours is answered, not before
		yes   []bool
		lines []string
		want  string // the tools that ours gets
	}{
		"the other one's no":           {"a b", false, nil, []string{"a\nb"}, ""},
		"the other one's yes":          {"a b", false, []bool{true}, []string{"a\nb"}, "a b"},
		"a no to one":                  {"a", false, []bool{false, true}, []string{"a", "b"}, "b"},
		"a yes to one":                 {"a", false, []bool{true, false}, []string{"a", "b"}, "a"},
		"our no counts at once":        {"a b", true, nil, []string{"a\nb"}, ""},
		"our yes counts at once":       {"a b", true, []bool{true}, []string{"a\nb"}, "a b"},
		"our no is no answer for more": {"b c", true, []bool{false, true}, []string{"a\nb", "c"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c, person := &Consent{Answers: &Answers{}, changes: &Changes{}}, &answering{yes: one.yes}
			gate := approval.NewGate(approval.Interactive, person)
			other := func() {
				if err := c.settleTools(t.Context(), trust.Widening{}, "s", tools(one.other), gate.Ask); err != nil {
					t.Error(err)
				}
			}
			begun := false
			ours := func(ctx context.Context, q approval.Question) (approval.Record, error) {
				if !one.after && !begun {
					begun = true
					other()
				}
				rec, err := gate.Ask(ctx, q)
				if one.after {
					other()
				}
				return rec, err
			}
			if err := c.settleTools(t.Context(), trust.Widening{}, "s", tools("a b"), ours); err != nil {
				t.Fatal(err)
			}
			for _, w := range tools("a b") {
				if c.judge.Trusts(w) != slices.Contains(strings.Fields(one.want), w.Value) {
					t.Errorf("%s: %v", w.Value, c.judge.Trusts(w))
				}
			}
			if !slices.Equal(person.lines, one.lines) {
				t.Errorf("asked %q, want %q", person.lines, one.lines)
			}
		})
	}
}

// unwritten is a File that fails the test if something is written to it.
type unwritten struct{ t *testing.T }

func (unwritten) Read() ([]byte, error) { return nil, nil }

func (u unwritten) Change(func([]byte) ([]byte, error)) error {
	u.t.Error("the pinned digest's yes is kept as the person's")
	return nil
}

// A pinned digest (GOLEM_TRUST) trusts the tools that a server lists first, for this
// run only.
func TestPinnedDigestIsNotKept(t *testing.T) {
	c := &Consent{Answers: &Answers{source: Source{File: unwritten{t}, Key: "/p"}, pinned: "sha256:x"}, changes: &Changes{}}
	first := trust.List{{Path: "toolsets.mcp.s.a", Value: "1" + pinnedAt(trust.Widening{Value: "s"})}}
	server, person := trust.Widening{Path: "toolsets.mcp.s", Value: "s"}, &answering{}
	ask := approval.NewGate(approval.Interactive, person).Ask
	if err := c.settleTools(t.Context(), server, "s", first, ask); err != nil || !c.judge.Trusts(first[0]) || len(person.lines) > 0 {
		t.Errorf("%v, %q", err, person.lines)
	}
	changed := trust.List{{Path: "toolsets.mcp.s.a", Value: "2" + pinnedAt(server)}}
	if err := c.settleTools(t.Context(), server, "s", changed, ask); err != nil || c.judge.Trusts(changed[0]) || len(person.lines) != 1 {
		t.Errorf("%v, %q", err, person.lines)
	}
}

// If the first list of a server is empty, the pinned digest does not trust a later one.
func TestPinnedDigestOfNoTools(t *testing.T) {
	c := &Consent{Answers: &Answers{source: Source{File: unwritten{t}, Key: "/p"}, pinned: "sha256:x"}, changes: &Changes{}}
	server, person := trust.Widening{Path: "toolsets.mcp.s", Value: "s"}, &answering{}
	ask := approval.NewGate(approval.Interactive, person).Ask
	later := trust.List{{Path: "toolsets.mcp.s.a", Value: "1" + pinnedAt(server)}}
	for n, all := range []trust.List{nil, later} {
		if err := c.settleTools(t.Context(), server, "s", all, ask); err != nil || len(person.lines) != n {
			t.Errorf("%v, %q", err, person.lines)
		}
	}
	if c.judge.Trusts(later[0]) {
		t.Error("the list after an empty one is trusted")
	}
}

// full is a File of a full disk.
type full struct{}

func (full) Read() ([]byte, error) { return nil, nil }

func (full) Change(func([]byte) ([]byte, error)) error {
	return fault.New(fault.Config, "no space left on device")
}

// A yes that cannot be saved counts for this run, as the question says; the trace has a
// warning.
func TestYesThatCannotBeSaved(t *testing.T) {
	c := &Consent{Answers: &Answers{source: Source{File: full{}, Key: "/p"}}, changes: &Changes{}}
	tools := trust.List{{Path: "toolsets.mcp.s.a", Value: "1"}}
	var events []trace.Body
	ask := func(ctx context.Context, q approval.Question) (approval.Record, error) {
		rec, err := approval.NewGate(approval.Interactive, &answering{yes: []bool{true}}).Ask(ctx, q)
		events = run.Outcome(q, rec)
		return rec, err
	}
	if err := c.settleTools(t.Context(), trust.Widening{}, "s", tools, ask); err != nil || !c.judge.Trusts(tools[0]) {
		t.Errorf("%v", err)
	}
	if len(events) != 2 || !strings.Contains(events[1].(trace.Warning).Message, "could not be saved: no space left") {
		t.Errorf("%+v", events)
	}
}
