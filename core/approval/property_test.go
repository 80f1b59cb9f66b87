package approval

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"golem/core/tool"
)

var (
	anySetting = rapid.SampledFrom([]Setting{"", "", PreApproved, Ask, Blocked, "odd"})
	anyRisk    = rapid.SampledFrom([]tool.Risk{tool.Read, tool.Write, tool.Network, tool.Destructive, tool.Command, ""})
	anyAnswer  = rapid.SampledFrom([]Answer{Yes, No, Session, Always, Never, "", "YES"})
	anyMode    = rapid.SampledFrom([]Mode{Interactive, ApproveAll, AutoDeny, "", "odd"})
)

func anyPolicy(t *rapid.T) Policy {
	p := Policy{
		WorkerTools:    map[string]Setting{"t": anySetting.Draw(t, "worker tool")},
		WorkerDefaults: map[string]Setting{"filesystem": anySetting.Draw(t, "worker default")},
		ProjectTools:   map[string]Setting{"alias": anySetting.Draw(t, "project tool")},
		ProjectDefault: anySetting.Draw(t, "project default"),
	}
	if rapid.Bool().Draw(t, "rules") {
		p.Rules = []Rule{{Tool: "t", When: map[string]string{"a": "x*"}, Decide: anySetting.Draw(t, "rule")}}
	}
	if rapid.Bool().Draw(t, "mounts") {
		p.Mounts = map[string]MountPolicy{"root": {"write": anySetting.Draw(t, "mount")}}
	}
	return p
}

func blockedSomewhere(p Policy, previewed bool) bool {
	sets := append(slices.Collect(maps.Values(p.WorkerTools)), p.ProjectDefault)
	sets = append(sets, slices.Collect(maps.Values(p.WorkerDefaults))...)
	sets = append(sets, slices.Collect(maps.Values(p.ProjectTools))...)
	if previewed {
		for _, m := range p.Mounts {
			sets = append(sets, m["write"])
		}
	}
	return slices.Contains(sets, Blocked) || slices.Contains(sets, "odd")
}

// A call runs only with preApproved, a yes (now or remembered) or approve_all, and never if it
// is blocked. There is exactly one record for each call, and it says what happened.
func TestNothingRunsUnapproved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mode := anyMode.Draw(t, "mode")
		granted := map[string]bool{} // what a person said yes to, by arguments; "*" for any
		var last Answer
		asked := 0
		g := NewGate(mode, approverFunc(func(_ context.Context, r Request) (Decision, error) {
			asked++
			last = anyAnswer.Draw(t, "answer")
			switch {
			case last == Session:
				granted[string(r.Args)] = true
			case last == Always && r.Offers(Always):
				granted["*"] = true
			}
			return Decision{ID: r.ID, Answer: last}, nil
		}))
		g.SandboxOnly = rapid.Bool().Draw(t, "sandbox only")
		policy := anyPolicy(t)
		base := plainTool("t", anyRisk.Draw(t, "risk"))
		base.spec.Rules = []string{"alias"}
		previewed := rapid.Bool().Draw(t, "previewed")
		var tl tool.Tool = base
		if previewed {
			tl = seeingTool{base, func(tool.Call) (tool.Preview, error) {
				return tool.Preview{Paths: []tool.PathUse{{Op: "write", Mount: "root", Path: "/a"}}}, nil
			}}
		}
		for range rapid.IntRange(1, 6).Draw(t, "calls") {
			asked, last = 0, ""
			ranBefore, records := base.ran(), []Record(nil)
			args := `{"a":"` + rapid.SampledFrom([]string{"x", "y", "xy"}).Draw(t, "a") + `"}`
			had := granted[args] || granted["*"]
			_, err := g.Call(context.Background(), Item{Tool: tl, FromModel: true, Policy: policy, Call: tool.Call{Args: tool.ReadArguments([]byte(args))}, By: observed(func(r Record) { records = append(records, r) })})
			if len(records) != 1 || records[0].Run != (err == nil) || base.ran()-ranBefore > 1 || (base.ran() > ranBefore) != (err == nil) {
				t.Fatalf("ran %d, records %+v, err %v", base.ran()-ranBefore, records, err)
			}
			r := records[0]
			if asked > 1 || asked == 1 && r.Source != "user" {
				t.Fatalf("asked %d, record %+v", asked, r)
			}
			if err != nil {
				continue
			}
			ok := r.Setting == PreApproved || asked == 1 && (last == Yes || last == Session || last == Always) || had ||
				mode == ApproveAll && !(g.SandboxOnly && escapes(base.spec.Risk, base.spec))
			if !ok || blockedSomewhere(policy, previewed) {
				t.Fatalf("ran unapproved: %+v, answer %q", r, last)
			}
		}
	})
}

// jsonValue returns a generator of JSON values with small parts, so that two values are often
// nearly the same.
func jsonValue(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.SampledFrom([]any{"a", "A", "\u00e9", "e\u0301", "", " a", "a\u200b", "1", nil, true, false, 1.0, 1.5, -1.0, 0.0}),
	}
	if depth > 0 {
		leaves = append(leaves,
			rapid.Map(rapid.SliceOfN(jsonValue(depth-1), 0, 3), func(v []any) any { return v }),
			rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "\u00e9", "e\u0301"}), jsonValue(depth-1), 0, 3), func(v map[string]any) any { return v }))
	}
	return rapid.OneOf(leaves...)
}

func anyArgs(t *rapid.T, label string) map[string]any {
	return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), jsonValue(2), 0, 3).Draw(t, label)
}

// spell returns a value as JSON with a random order of keys, white space and escapes.
func spell(t *rapid.T, v any) string {
	pad := rapid.SampledFrom([]string{"", " ", "\n\t"})
	switch v := v.(type) {
	case map[string]any:
		keys := rapid.Permutation(slices.Sorted(maps.Keys(v))).Draw(t, "order")
		parts := make([]string, len(keys))
		for i, k := range keys {
			parts[i] = pad.Draw(t, "pad") + spell(t, k) + pad.Draw(t, "pad") + ":" + spell(t, v[k])
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = pad.Draw(t, "pad") + spell(t, v[i])
		}
		return "[" + strings.Join(parts, ",") + "]"
	case string:
		if rapid.Bool().Draw(t, "escape") {
			var b strings.Builder
			for _, r := range v {
				b.WriteString(`\u` + string("0123456789abcdef"[r>>12&15]) + string("0123456789abcdef"[r>>8&15]) + string("0123456789abcdef"[r>>4&15]) + string("0123456789abcdef"[r&15]))
			}
			return `"` + b.String() + `"`
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A remembered decision covers the same arguments in every JSON spelling, and no others
// (SECURITY 8, S0-37).
func TestMemoryNeverWidens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asked := 0
		g := NewGate(Interactive, approverFunc(func(_ context.Context, r Request) (Decision, error) {
			asked++
			return Decision{ID: r.ID, Answer: Session}, nil
		}))
		tl := plainTool("t", tool.Command)
		call := func(args string) {
			if _, err := g.Call(context.Background(), Item{Tool: tl, FromModel: true, Call: tool.Call{Args: tool.ReadArguments([]byte(args))}}); err != nil {
				t.Fatalf("%s: %v", args, err)
			}
		}
		first, second := anyArgs(t, "first"), anyArgs(t, "second")
		call(spell(t, first))
		call(spell(t, first))
		if asked != 1 {
			t.Fatalf("asked %d times for one call", asked)
		}
		call(spell(t, second))
		if same := reflect.DeepEqual(first, second); (asked == 1) != same {
			t.Fatalf("%v and %v: same %v, asked %d", first, second, same, asked)
		}
	})
}
