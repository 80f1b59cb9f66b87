package worktest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/run"
	"golem/core/tool"
)

// Beyond reports whether a call of a tool reaches beyond the files of a test: one of risk
// network or command, of an MCP server, and of a module that may reach hosts (SPEC §17).
func Beyond(s tool.Spec) bool {
	return s.Risk == tool.Network || s.Risk == tool.Command || s.Network || s.Outside || s.Toolset == "mcp" || len(s.Hosts) > 0 ||
		s.Kind != tool.Wasm && s.Kind != tool.Worker && s.Risk == ""
}

// Doubles answers in the place of tools that reach beyond the files of a test: with the
// results of the case, then with those of its recording. It is safe for concurrent use.
type Doubles struct {
	results []Result
	effects []model.Effect
	served  map[string]model.Served
	redact  tool.Redactor

	beyond names // of tools that were called

	mu       sync.Mutex
	used     []bool   // of effects
	unserved []string // MCP servers of which neither the case nor the recording has a tool
	missed   *fault.Fault
}

// names is a set of names. It is safe for concurrent use.
type names struct{ set sync.Map }

// note adds the name of a tool that reaches beyond the files, and reports whether it does.
func (n *names) note(s tool.Spec) bool {
	beyond := Beyond(s)
	if beyond {
		n.set.Store(s.Name, true)
	}
	return beyond
}

// Reaches implements Outside.
func (n *names) Reaches(name string) bool {
	_, ok := n.set.Load(name)
	return ok
}

var _ run.Doubles = (*Doubles)(nil)

// NewDoubles returns the doubles of a case, with its recording; nil if there is none.
// redact removes what was removed from the recording.
func NewDoubles(results []Result, recording []byte, redact tool.Redactor) *Doubles {
	effects, served := model.ReadEffects(recording)
	return &Doubles{results: results, effects: effects, served: served, redact: redact, used: make([]bool, len(effects))}
}

// Stands implements run.Doubles.
func (d *Doubles) Stands(s tool.Spec) bool { return d.beyond.note(s) }

// Reaches implements Outside.
func (d *Doubles) Reaches(name string) bool { return d.beyond.Reaches(name) }

// Result implements run.Doubles: the first result of the case that fits the call; else the
// first of the recording for the same call, preferring one of the same id, that was not used.
func (d *Doubles) Result(id, name string, args json.RawMessage) (tool.Output, error) {
	for _, r := range d.results {
		if r.Tool == name && fits(r.When, args) {
			return r.output()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	key, best := model.EffectKey(name, args, d.redact), -1
	for i, e := range d.effects {
		if d.used[i] || e.Call != key {
			continue
		}
		if e.ID == id {
			best = i
			break
		}
		if best < 0 {
			best = i
		}
	}
	if best < 0 {
		f := noResult(name)
		if d.missed == nil {
			d.missed = f
		}
		return tool.Output{}, f
	}
	d.used[best] = true
	return d.effects[best].Output()
}

// output returns the result in the form of a tool.
func (r Result) output() (tool.Output, error) {
	switch {
	case r.Error != nil:
		return tool.Output{}, r.Error
	case r.JSON != nil:
		return tool.Output{Kind: "json", Data: r.JSON}, nil
	}
	return tool.Output{Text: r.Text}, nil
}

// fits reports whether a call has the arguments of when.
func fits(when map[string]json.RawMessage, args json.RawMessage) bool {
	if len(when) == 0 {
		return true
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) != nil {
		return false
	}
	for name, want := range when {
		got, there := given[name]
		if !there {
			return false
		}
		a, errA := tool.Canonical(want)
		b, errB := tool.Canonical(got)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			return false
		}
	}
	return true
}

// Missed returns the fault of the first call without a result; nil if there is none.
func (d *Doubles) Missed() *fault.Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.missed
}

// Serve implements run.Doubles: the recorded tools, and those that results: names. No
// server is started.
func (d *Doubles) Serve(worker string, servers []string) (tools []tool.Spec, words string, ok bool) {
	kept := d.served[worker]
	for _, t := range kept.Tools {
		tools = append(tools, tool.Spec{Name: t.Name, Description: t.Description, Input: t.Input, Output: t.Output, Risk: t.Risk, Toolset: "mcp", Provider: "test"})
	}
	for _, r := range d.results {
		server, _, found := strings.Cut(r.Tool, "__")
		known := slices.ContainsFunc(tools, func(s tool.Spec) bool { return s.Name == r.Tool })
		if found && !known && slices.Contains(servers, server) {
			tools = append(tools, tool.Spec{Name: r.Tool, Input: json.RawMessage(`{"type":"object"}`), Risk: tool.Command, Toolset: "mcp", Provider: "test"})
		}
	}
	for _, server := range servers {
		if !slices.ContainsFunc(tools, func(s tool.Spec) bool { return strings.HasPrefix(s.Name, server+"__") }) {
			d.mu.Lock()
			d.unserved = append(d.unserved, server)
			d.mu.Unlock()
		}
	}
	return tools, kept.Words, true
}

// Unserved returns E_REPLAY for the first call of a tool of an MCP server whose tools nobody
// knows in the test, so that the call found no tool; nil if there is none.
func (d *Doubles) Unserved(calls []Call) *fault.Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range calls {
		if server, _, found := strings.Cut(c.Tool, "__"); found && slices.Contains(d.unserved, server) {
			return noResult(c.Tool)
		}
	}
	return nil
}

// noResult returns the fault of a call that does not run, and has no result.
func noResult(name string) *fault.Fault {
	return fault.New(fault.Replay, "%s does not run in a test, and neither results: of the case nor its recording has a result for this call", name).
		Hinting("add to results: {tool: %s, when: {…}, return: …}; or record the case again", name)
}

// Ended does nothing: what happens in a test is not recorded.
func (d *Doubles) Ended(string, tool.Spec, json.RawMessage, tool.Output, *fault.Fault) {}

// Listed does nothing.
func (d *Doubles) Listed(string, []tool.Spec, string) {}

// Recorder lets every tool run, and writes into a recording what the tools returned that do
// not run in a test.
type Recorder struct {
	recording *model.Recorder // nil: nothing is written
	redact    tool.Redactor
	names
}

var _ run.Doubles = (*Recorder)(nil)

// NewRecorder returns a Recorder that writes with rec, which may be nil.
func NewRecorder(rec *model.Recorder, redact tool.Redactor) *Recorder {
	return &Recorder{recording: rec, redact: redact}
}

// Stands returns false: every tool runs.
func (r *Recorder) Stands(s tool.Spec) bool {
	r.note(s)
	return false
}

// Result is never called.
func (r *Recorder) Result(_, name string, _ json.RawMessage) (tool.Output, error) {
	return tool.Output{}, fault.New(fault.Replay, "%s was not run", name)
}

// Serve lets the servers start.
func (r *Recorder) Serve(string, []string) (tools []tool.Spec, words string, ok bool) {
	return nil, "", false
}

// Ended writes the result of a call.
func (r *Recorder) Ended(id string, s tool.Spec, args json.RawMessage, out tool.Output, failed *fault.Fault) {
	if Beyond(s) && r.recording != nil {
		r.recording.Effect(model.EffectOf(id, s.Name, args, out, failed, r.redact))
	}
}

// Listed writes the tools of MCP servers.
func (r *Recorder) Listed(worker string, tools []tool.Spec, words string) {
	if r.recording == nil {
		return
	}
	list := model.Served{Served: worker, Words: words}
	for _, s := range tools {
		list.Tools = append(list.Tools, model.ServedTool{Name: s.Name, Description: s.Description, Input: s.Input, Output: s.Output, Risk: s.Risk})
	}
	r.recording.Served(list)
}
