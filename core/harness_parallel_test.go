package core_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golem/core"
	"golem/core/approval"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/ui"
)

// span is the time during which something ran.
type span struct {
	what     string
	from, to time.Time
}

func (s span) overlaps(o span) bool { return s.from.Before(o.to) && o.from.Before(s.to) }

// spans records when tools ran and when a person was asked.
type spans struct {
	ui.Script
	mu    sync.Mutex
	tools []span
	asked []span
}

// Approve says yes after two seconds.
func (s *spans) Approve(_ context.Context, r approval.Request) (approval.Decision, error) {
	from := time.Now()
	time.Sleep(2 * time.Second)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, span{r.Call, from, time.Now()})
	return approval.Decision{ID: r.ID, Answer: approval.Yes}, nil
}

// timed returns a toolset of tools that take a second.
func (s *spans) timed() toolset.Factory {
	type none struct{}
	return toolset.Factory{Name: "lab", Open: func(context.Context, toolset.Env, any) (tool.Toolset, error) {
		var out toolset.Tools
		for name, risk := range map[string]tool.Risk{"read": tool.Read, "write": tool.Write, "run": tool.Command, "ask": tool.Write} {
			out = append(out, tool.Func(tool.Spec{Name: name, Description: name, Risk: risk, Toolset: "lab", Provider: "builtin"},
				func(context.Context, none) (tool.Output, error) {
					from := time.Now()
					time.Sleep(time.Second)
					s.mu.Lock()
					defer s.mu.Unlock()
					s.tools = append(s.tools, span{name, from, time.Now()})
					return tool.Text("%s", name), nil
				}))
		}
		return out, nil
	}}
}

// SPEC §5 Parallel, with random trees: a tool that can change something runs alone in the whole
// tree. No call starts while a person is asked, and one question is open at a time. Reads and
// workers run in parallel, and no timeout counts the time of a question.
func TestParallelRulesHoldInTheWholeTree(t *testing.T) {
	together := false
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 3))
		tools := func() string {
			var calls []string
			for range 1 + random.IntN(3) {
				calls = append(calls, fmt.Sprintf("{tool: %s, args: {}}", []string{"read", "read", "write", "run", "ask"}[random.IntN(5)]))
			}
			return "calls: [" + strings.Join(calls, ", ") + "]"
		}
		files := map[string]string{"s.yaml": "script: 1\nworkers:\n"}
		worker := func(name string, below ...string) {
			steps := []string{tools(), tools()}
			if len(below) > 0 {
				var calls []string
				for _, b := range append(below, below...) {
					calls = append(calls, fmt.Sprintf("{tool: %s, args: {input: x}}", b))
				}
				steps = append(steps, "calls: ["+strings.Join(calls, ", ")+"]", tools())
			}
			file := "workers/" + name + ".worker"
			if name == "main" {
				file = "main.worker"
			}
			files[file] = "---\ndescription: d\ntoolsets: {lab: {approval: {tools: {write: preApproved}}}}\nallow_workers: [" + strings.Join(below, ", ") +
				"]\nlimits: {tool_timeout: 1500ms, worker_timeout: 10m, model_timeout: 1s}\n---\nW.\n"
			files["s.yaml"] += "  " + name + ":\n    - " + strings.Join(append(steps, "say: done"), "\n    - ") + "\n"
		}
		worker("main", "a", "b")
		worker("a", "c")
		worker("b")
		worker("c")
		synctest.Test(t, func(t *testing.T) {
			s := &spans{}
			res, _ := playWith(t, t.Context(), files, core.Options{}, s, s.timed(), nil)
			if res.Error != nil || len(res.Failed)+len(res.Declined)+len(res.Denied) > 0 {
				t.Fatalf("seed %d: %v %v", seed, res.Error, res.Failed)
			}
			for i, a := range s.tools {
				for _, b := range s.tools[:i] {
					if a.overlaps(b) {
						together = true
						if a.what != "read" || b.what != "read" {
							t.Errorf("seed %d: %v ran beside %v", seed, a, b)
						}
					}
				}
				for _, q := range s.asked {
					if a.from.After(q.from) && a.from.Before(q.to) { // at the same time, either may be first
						t.Errorf("seed %d: %v began while a person was asked: %v", seed, a, q)
					}
				}
			}
			for i, a := range s.asked {
				for _, b := range s.asked[:i] {
					if a.overlaps(b) {
						t.Errorf("seed %d: two questions at once", seed)
					}
				}
			}
		})
	}
	if !together {
		t.Error("nothing ever ran beside anything: the test shows nothing")
	}
}
