package core

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/harden"
	"golem/core/mcp"
	"golem/core/model"
	"golem/core/options"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/trace"
	"golem/core/worktest"
)

// Write asks the model for code.
func (c *codeWriter) Write(ctx context.Context, r harden.Request) (source string, spent harden.Spent, err error) {
	input, err := json.Marshal(r)
	if err != nil {
		return "", spent, err
	}
	runner := c.of.looker()
	runner.Models, runner.Gate, runner.Front, runner.Trust, runner.Keeping = c.of.models, c.gate, c.front, c.of.consent, run.Keeping{}
	res := c.of.values.redact(runner.Run(ctx, c.worker, run.Input{JSON: input}))
	spent = harden.Spent{In: res.Usage.In, Out: res.Usage.Out, Cost: res.Usage.Cost, Partial: res.Usage.Unpriced}
	if res.Error != nil {
		return "", spent, res.Error
	}
	return harden.Fenced(res.Output.Text), spent, nil
}

// Link makes the project as it would be with the code.
func (h *hardening) Link(ctx context.Context, written string) (harden.Code, error) {
	source, module, err := h.link(ctx, written)
	if err != nil {
		return nil, err
	}
	files, err := h.filesFor(source, module)
	if err != nil {
		return nil, harden.Broken{Err: err}
	}
	return h.withFiles(files)
}

// known returns the report about the code that the worker has, if a model could learn nothing
// from the cases; nil otherwise.
func (h *hardening) known(ctx context.Context) (*harden.Report, error) {
	if !h.how.Again {
		return nil, nil
	}
	code, err := h.withFiles(nil)
	if err != nil {
		return nil, err
	}
	return harden.Known(ctx, h.worker.ID, code, h.cases, h.writtenOf())
}

// writtenOf returns the list of the cases of which the worker's module was written.
func (h *hardening) writtenOf() harden.CaseList {
	list, err := sandbox.ReadFile(h.root, h.places.Cases(), harden.MaxCaseList)
	if err != nil {
		return harden.CaseList{}
	}
	module, err := sandbox.ReadFile(h.root, h.places.Module, largestModule)
	if err != nil {
		return harden.CaseList{}
	}
	return harden.ReadList(list, module)
}

// withFiles makes the project with other files, in memory.
func (h *hardening) withFiles(files map[string][]byte) (harden.Code, error) {
	tree := sandbox.Overlay(h.root)
	for name, data := range files {
		err := sandbox.MkdirAll(tree, path.Dir(name), 0o755)
		if err == nil {
			err = tree.WriteFile(name, data)
		}
		if err != nil {
			return nil, harden.Broken{Err: fault.Of(err, fault.Path)}
		}
	}
	p, o := h.of.platform, h.of.options
	p.Env, p.DotEnv, p.HTTP, p.Models, p.Fetch, p.MCP = map[string]string{}, nil, nil, nil, nil, mcp.Host{}
	p.Person, p.State, p.Git, p.ReadScript = Person{Home: p.Home}, state.Store{}, nil, nil
	p.Files, o.Files = Tree{tree}, tree
	o.Opening = options.Opening{Entry: o.Entry, NoProject: o.NoProject, Model: "script:none", Sandbox: options.Memory}
	o.TrustDigest, o.Origin = "", nil
	inst, err := Open(p, o)
	if err != nil {
		return nil, harden.Broken{Err: err}
	}
	w, err := inst.project.Workers.InFile(h.worker.File)
	if err == nil && w.Hardened == nil {
		err = fault.New(fault.Config, "golem cannot add the key hardened to %s", h.worker.File)
	}
	if err != nil {
		return nil, harden.Broken{Err: err}
	}
	return &candidate{inst, w}, nil
}

// candidate is code as it would run after it was applied, in memory and without a model.
type candidate struct {
	inst   *Instance
	worker *project.Worker
}

// Call runs the worker with the input of a case. What the code calls is decided and answered
// as in the test of the case, in memory.
func (c *candidate) Call(ctx context.Context, e worktest.Example) harden.Result {
	in := run.Input{JSON: e.Input}
	if json.Unmarshal(e.Input, &in.Text) == nil {
		in.JSON = nil
	}
	setting := cmp.Or(e.Setting, &worktest.Case{})
	tree, err := treeOf(c.inst, *setting)
	if err != nil {
		return harden.Result{Fault: fault.Of(err, fault.Path)}
	}
	seen, doubles := &codeObserver{}, worktest.NewDoubles(setting.Results, nil, c.inst.values)
	r := c.inst.looker()
	r.Gate = c.inst.testGate(worktest.NewPerson(setting.Answers, &worktest.Observer{}, doubles, nil))
	r.Files, r.Front, r.Values, r.Models = tree, quietFront{seen}, testValues{}, noModels{c.inst.models}
	r.Doubles, r.Keeping = doubles, run.Keeping{}
	out := seen.result(r.Run(ctx, c.worker, in))
	if out.Written, err = writtenIn(c.inst, tree, *setting); err != nil && out.Fault == nil {
		out.Fault = fault.Of(err, fault.Path)
	}
	return out
}

// result returns what a run did, of whose worker the model could not answer.
func (seen *codeObserver) result(res run.Result) harden.Result {
	out := harden.Result{Fuel: seen.fuel, MS: seen.ms, Fault: res.Error, Tried: seen.tried}
	switch b := seen.fallback; {
	case b == nil && res.Error == nil:
		out.Output = worktest.ValueOf(res.Output)
	case b == nil: // the input was refused before
	case b.Reason == run.FallbackUnsure:
		out.Unsure, out.Fault = b.Message, nil
		if out.Unsure == "" {
			out.Unsure = "it does not say why"
		}
	case b.Error != nil:
		out.Fault = b.Error
	default:
		out.Fault = fault.New(fault.OutputSchema, "%s", b.Message)
	}
	return out
}

// codeObserver sees the call of a hardened module.
type codeObserver struct {
	fallback *trace.Fallback
	fuel, ms int64

	mu    sync.Mutex
	tried []string
}

// Emit notes what the call of the code used, what it was refused, and whether the worker
// answered in its place.
func (o *codeObserver) Emit(e trace.Event) {
	switch b := e.Body.(type) {
	case trace.Fallback:
		o.fallback = &b
	case trace.ToolEnd:
		if e.ID == codeCall {
			o.fuel, o.ms = b.Fuel, b.MS
			if b.Error != nil && b.Error.Code == fault.Grant {
				o.refused("", fault.Grant)
			}
		} else if b.Error != nil && strings.HasPrefix(e.ID, codeCall+".") {
			o.refused(b.Tool, b.Error.Code)
		}
	case trace.Warning:
		if (b.Code == fault.NotAllowed || b.Code == fault.Grant) && e.ID == codeCall {
			o.refused(b.Message, b.Code)
		}
	}
}

// codeCall is the id of the module's call in a run of its worker.
const codeCall = "0.1"

// refused notes a call that the code may not make.
func (o *codeObserver) refused(what string, code fault.Code) {
	switch code {
	case fault.NotAllowed:
	case fault.Grant:
		what = "files or hosts that it was not granted"
	case fault.Protected, fault.Path, fault.Escalation, fault.ReadOnly:
		what += ": " + string(code)
	default:
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tried = append(o.tried, what)
}

// noModels opens none: only the code may answer.
type noModels struct{ run.Models }

// Open returns an error.
func (noModels) Open(context.Context, *project.Worker) (model.Model, error) {
	return nil, fault.New(fault.Model, "only the code answers here")
}
