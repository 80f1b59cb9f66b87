package run

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/tool"
)

// Doubles answers in the place of tools that reach beyond the files of a run, in a test of a
// worker (SPEC §17).
type Doubles interface {
	// Stands reports whether calls of a tool do not run, but have the result that Result
	// returns. A call that turns out to have a higher risk than its tool must not run
	// either.
	Stands(spec tool.Spec) bool
	// Result returns what a call returns in the place of its tool.
	Result(id, name string, args json.RawMessage) (tool.Output, error)
	// Serve returns the tools of a worker's MCP servers, none of which is started, and what
	// the servers say about their use. ok is false if the servers are to be started.
	Serve(worker string, servers []string) (tools []tool.Spec, words string, ok bool)
	Observer
}

// Observer gets what the world answers in a run.
type Observer interface {
	// Ended gets each call of a tool that has ended.
	Ended(id string, spec tool.Spec, args json.RawMessage, out tool.Output, failed *fault.Fault)
	// Listed gets the tools of the MCP servers of a worker, once they are started.
	Listed(worker string, tools []tool.Spec, words string)
}

// reaches reports whether a call with this risk has effects beyond the run's files.
func reaches(risk tool.Risk) bool { return risk == tool.Network || risk == tool.Command }

// double returns what the gate calls in the place of the tool, if the run has doubles that
// stand in for it.
func (c *activeCall) double(tl tool.Tool) tool.Tool {
	d := c.run.tree.r.Doubles
	if d == nil || c.spec.Kind == tool.Worker || !d.Stands(c.spec) {
		return tl
	}
	c.doubled = true
	return standIn{c.spec, d, c.req.id, c.req.args.Written()}
}

// guarded returns an error if a call would reach beyond the run's files although its tool
// does not say so.
func (c *activeCall) guarded(risk tool.Risk) error {
	d := c.run.tree.r.Doubles
	if d == nil || c.doubled || c.spec.Kind == tool.Worker || !reaches(risk) {
		return nil
	}
	spec := c.spec
	if spec.Risk = risk; !d.Stands(spec) {
		return nil
	}
	return fault.New(fault.Replay, "%s would reach beyond the files of the test, and it does not run in a test", spec.Name)
}

// standIn is a tool that is answered in its place.
type standIn struct {
	spec    tool.Spec
	doubles Doubles
	id      string
	args    json.RawMessage
}

// Spec returns the spec of the tool.
func (s standIn) Spec() tool.Spec { return s.spec }

// Call returns the result of the call.
func (s standIn) Call(context.Context, tool.Call) (tool.Output, error) {
	return s.doubles.Result(s.id, s.spec.Name, s.args)
}

// served are the tools of MCP servers that are not started.
type served struct {
	tools []tool.Tool
	words string
}

var _ tool.Changing = served{}

// Tools returns the tools.
func (s served) Tools() []tool.Tool { return s.tools }

// Close does nothing.
func (s served) Close() error { return nil }

// Refresh reports that nothing has changed.
func (s served) Refresh(context.Context) (bool, error) { return false, nil }

// Instructions returns what the servers say about their use.
func (s served) Instructions() string { return s.words }

// inert is a tool that only has a spec: its calls are answered by a double.
type inert struct{ spec tool.Spec }

// Spec returns the spec.
func (t inert) Spec() tool.Spec { return t.spec }

// Call fails: nothing runs.
func (t inert) Call(context.Context, tool.Call) (tool.Output, error) {
	return tool.Output{}, fault.New(fault.Replay, "%s does not run in a test", t.spec.Name)
}

// serve returns the tools of the worker's MCP servers as the doubles have them; false if the
// servers are to be started.
func (o *opener) serve(ts project.Toolset) (served, bool) {
	if o.Doubles == nil || ts.Name != "mcp" || o.inert || o.tree.looks {
		return served{}, false
	}
	var configs map[string]json.RawMessage
	if json.Unmarshal(ts.Options, &configs) != nil {
		configs = nil
	}
	specs, words, ok := o.Doubles.Serve(o.place.worker.ID, slices.Sorted(maps.Keys(configs)))
	if !ok {
		return served{}, false
	}
	out := served{words: words}
	for _, spec := range specs {
		out.tools = append(out.tools, inert{spec})
	}
	return out, true
}

// doubled reports whether no tool of a toolset that works on the real files runs.
func (o *opener) doubled(ts project.Toolset) bool {
	return o.Doubles != nil && o.Doubles.Stands(tool.Spec{Name: ts.Name, Toolset: ts.Name, Outside: true, Risk: tool.Command})
}

// listed tells the doubles which tools MCP servers have.
func (o *opener) listed(ts project.Toolset, set tool.Toolset) {
	if o.Doubles == nil || ts.Name != "mcp" || o.inert || o.tree.looks {
		return
	}
	words := ""
	if speaks, ok := set.(interface{ Instructions() string }); ok {
		words = speaks.Instructions()
	}
	var specs []tool.Spec
	for _, t := range set.Tools() {
		specs = append(specs, t.Spec())
	}
	o.Doubles.Listed(o.place.worker.ID, specs, words)
}
