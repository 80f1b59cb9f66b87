package run

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/prompt"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/custom"
	"golem/core/trace"
)

// delegates returns the workers of allowed_workers. modules are the tools of the
// worker's modules: one of them may provide a worker that no worker file defines.
func (f *frame) delegates(allowed []project.Allowed, modules []tool.Tool) ([]toolset.Delegate, error) {
	var ids []string
	for _, a := range allowed {
		if a.Worker != nil {
			ids = append(ids, a.Name)
		}
	}
	names := tool.ToolNames(ids)
	var out []toolset.Delegate
	for _, a := range allowed {
		if a.Worker != nil {
			d, name := f.byFile(a, names[0]), names[0]
			names = names[1:]
			switch code := f.byModule(a.Worker.ID, modules); {
			case code.Module == nil:
			case a.Worker.Builtin():
				d = code // the project's tool takes precedence over golem's own worker
			case !f.unlisted():
				if err := f.failed(bothNamed(name, code.Module, a.Worker)); err != nil {
					return nil, err
				}
				continue
			}
			out = append(out, d)
			continue
		}
		d := f.byModule(a.Name, modules)
		if d.Module != nil {
			out = append(out, d)
		} else if len(f.undescribed) == 0 { // otherwise one of the undescribed modules may have the tool
			if err := f.failed(f.collected.doubt(fault.Of(a.Missing, fault.WorkerNotFound), "whether it is a tool")); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// byFile returns the delegate for a worker that a worker file defines, offered as the
// tool name.
func (f *frame) byFile(a project.Allowed, name string) toolset.Delegate {
	w := a.Worker
	return toolset.Delegate{
		ID: w.ID, Tool: name, Description: w.Description, Input: w.Input, Output: w.Output, Named: a.Named,
		Run: func(ctx context.Context, c tool.Call) (tool.Output, error) {
			f.current.reach(c.ID, callee{id: w.ID, file: true})
			return f.delegate(ctx, w, c)
		},
	}
}

// byModule returns the delegate for a worker that a module's tool of the same name
// provides, so that code can replace a worker without a change in its callers (S3-24).
// Module is nil if no module has such a tool.
func (f *frame) byModule(id string, modules []tool.Tool) toolset.Delegate {
	name := tool.ToolName(id)
	i := slices.IndexFunc(modules, func(t tool.Tool) bool { return t.Spec().Name == name })
	if i < 0 {
		return toolset.Delegate{}
	}
	s := modules[i].Spec()
	return toolset.Delegate{
		ID: id, Tool: name, Description: s.Description, Input: s.Input, Output: s.Output, Module: custom.AsWorker(modules[i], id),
		Run: func(ctx context.Context, c tool.Call) (tool.Output, error) {
			f.current.reach(c.ID, callee{id: id})
			return c.Host.Call(ctx, name, c.Args)
		},
	}
}

// mayNotCall returns the fault of a reference to a worker that this one may not call.
// The fault does not tell whether the worker exists.
func (f *frame) mayNotCall(ref string) error {
	if err := project.CheckReference(ref); err != nil {
		return err
	}
	ids := f.allowed()
	not := fault.New(fault.NotAllowed, "the worker %q may not be called", ref)
	for _, id := range ids {
		if path.Base(id) == ref {
			return not.Hinting("did you mean %s", id)
		}
	}
	if near := fault.Nearest(ref, ids); near != "" {
		return not.Hinting("did you mean %s", near)
	}
	return not.Hinting("allowed workers: %s", listOr(ids, "none"))
}

// allowed returns the IDs of the workers that this one may call.
func (f *frame) allowed() []string {
	workers, err := f.tree.r.Project.Delegates(f.worker)
	if err != nil {
		return nil
	}
	ids := make([]string, len(workers))
	for i, w := range workers {
		ids[i] = w.ID
	}
	return ids
}

// delegate runs a child worker for one call: it answers once and has no history
// (S1-78..84, S4-08). If a limit or a policy forbids the call, nothing of the child is
// started.
func (f *frame) delegate(ctx context.Context, w *project.Worker, c tool.Call) (tool.Output, error) {
	if err := f.permit(w); err != nil {
		return tool.Output{}, err
	}
	task, err := splitArgs(w, c.Args)
	if err != nil {
		return tool.Output{}, err
	}
	var files []attachment
	if begun := f.tree.begun(c.ID); begun != nil {
		files = attachmentsOf(begun.Files)
	} else if files, err = f.readAttachments(w, task.Attachments); err != nil {
		return tool.Output{}, err
	}
	prior, err := f.priors(task.Prior)
	if err != nil {
		return tool.Output{}, err
	}
	child, err := f.tree.frame(ctx, w, f, c.ID)
	if err != nil {
		return tool.Output{}, err
	}
	defer child.close()
	child.task = task.short()
	child.begin()
	f.progress(c.ID, progressRunning, w.ID, child.task)
	start := f.tree.r.now()
	out, err := child.single(ctx, task, prior, files)
	child.end(out, err, f.tree.r.now().Sub(start).Milliseconds())
	if err == nil && out.NeedsInput {
		return needsInput(out), nil
	}
	return out, err
}

// single runs the whole conversation of a child.
func (f *frame) single(ctx context.Context, task task, prior []prompt.Labelled, files []attachment) (tool.Output, error) {
	if err := f.openModel(ctx); err != nil {
		return tool.Output{}, err
	}
	if err := f.settleOutput(task.object); err != nil {
		return tool.Output{}, err
	}
	listed, err := f.attach(files)
	if err != nil {
		return tool.Output{}, err
	}
	var system, text string
	if begun := f.tree.begun(f.conversation.Name); begun != nil {
		system, text = begun.System, begun.Text
	} else {
		if system, err = f.instructions(ctx, task); err != nil {
			return tool.Output{}, err
		}
		text = prompt.Task(task.text, task.object, prior, listed)
		f.keepBegin(system, text, files)
	}
	f.conversation.Add(model.Message{Role: model.System, Text: system}, model.Message{Role: model.User, Text: text, Parts: f.parts(files)})
	return f.exchange(ctx)
}

// permit checks depth and cycles (S0-07, S0-08).
func (f *frame) permit(w *project.Worker) error {
	depth, limit, warn := f.depth+1, f.worker.Delegation.MaxDepth, f.worker.Delegation.WarnDepth
	for n := f; n != nil; n = n.parent {
		limit = min(limit, n.worker.Delegation.MaxDepth)
	}
	if depth > limit {
		return fault.New(fault.Depth, "%s is too deep: depth %d, and max_depth is %d", arrow(f.chain, w.ID), depth, limit).
			Hinting("do the work without another worker, or raise delegation.max_depth")
	}
	if f.inChain(w) && (!w.Delegation.AllowRecursion || !f.allowsItself(w)) {
		return fault.New(fault.Cycle, "%s is a cycle", arrow(f.chain, w.ID)).
			Hinting("call another worker, or set delegation.allow_recursion and let %s list itself", w.ID)
	}
	if depth > warn {
		f.tree.mu.Lock()
		first := !f.tree.warned
		f.tree.warned = true
		f.tree.mu.Unlock()
		if first {
			f.emit(trace.Warning{Code: fault.Depth, Message: "workers call each other deeper than warn_depth: " + arrow(f.chain, w.ID)})
		}
	}
	return nil
}

func (f *frame) inChain(w *project.Worker) bool {
	for n := f; n != nil; n = n.parent {
		if n.worker.File == w.File {
			return true
		}
	}
	return false
}

func (f *frame) allowsItself(w *project.Worker) bool {
	own, err := f.tree.r.Project.Delegates(w)
	return err == nil && slices.ContainsFunc(own, func(o *project.Worker) bool { return o.File == w.File })
}

// priors returns the earlier results that a call passes on.
func (f *frame) priors(names []string) ([]prompt.Labelled, error) {
	found, missing := f.conversation.Find(names, f.refersTo)
	if missing != "" {
		return nil, fault.New(fault.ToolInput, "prior contains %q, and no earlier call of this run has that name", missing).
			Hinting("name a tool or worker whose result is already here, or leave prior out")
	}
	out := make([]prompt.Labelled, len(found))
	for i, r := range found {
		out[i] = prompt.Labelled{Name: r.Label(), Text: r.Text}
	}
	return out, nil
}

// refersTo reports whether a reference stands for a worker that this one may call.
func (f *frame) refersTo(ref, worker string) bool {
	return slices.ContainsFunc(f.workers, func(d toolset.Delegate) bool { return d.ID == worker && d.Named != nil && d.Named(ref) })
}

// task is what a caller wants from a worker: a text or an object, and extras.
type task struct {
	text         string
	object       json.RawMessage
	Instructions string   `json:"instructions"`
	Attachments  []string `json:"attachments"`
	Prior        []string `json:"prior"`
}

// short returns the task for progress and questions, cut to maxTask bytes.
func (t task) short() string {
	if t.object != nil {
		return shortTask(shortObject(t.object))
	}
	return shortTask(t.text)
}

// extras are the arguments of a delegation tool in addition to the worker's own input,
// unless the worker's schema has a field of that name.
var extras = []string{"instructions", "attachments", "prior"}

// splitArgs splits a delegation tool's arguments into input and extras, and checks the
// input against the worker's schema.
func splitArgs(w *project.Worker, args json.RawMessage) (task, error) {
	var t task
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(args, &fields); err != nil {
		return t, fault.New(fault.ToolInput, "the arguments of %s are not an object: %w", w.ID, err)
	}
	own := schemaFields(w.Input)
	rest := map[string]json.RawMessage{}
	for _, k := range extras {
		if v, ok := fields[k]; ok && !own[k] {
			rest[k] = v
			delete(fields, k)
		}
	}
	raw, err := json.Marshal(rest)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	if err != nil {
		return t, fault.New(fault.ToolInput, "instructions, attachments or prior of %s: %w", w.ID, err)
	}
	return t, t.input(w, fields, own)
}

// input sets the task's text or object and checks it.
func (t *task) input(w *project.Worker, fields map[string]json.RawMessage, own map[string]bool) error {
	if own == nil {
		input := bytes.TrimSpace(fields["input"])
		if w.Input == nil && len(input) > 0 && input[0] == '{' { // worker_call accepts an object (S1-84)
			t.object = input
			return nil
		}
		if err := json.Unmarshal(input, &t.text); err != nil {
			return fault.New(fault.ToolInput, "input of %s must be a string", w.ID)
		}
		return checkInput(w, Input{Text: t.text}, len(t.Attachments) > 0)
	}
	object, err := json.Marshal(fields)
	if err != nil {
		return fault.New(fault.ToolInput, "the input of %s: %w", w.ID, err)
	}
	t.object = object
	return checkInput(w, Input{JSON: object}, false)
}

// checkText returns E_TOOL_INPUT if an input is empty and the worker does not allow that.
func checkText(w *project.Worker, in Input, attachments bool) error {
	if strings.TrimSpace(in.Text) == "" && len(in.JSON) == 0 && !attachments && !w.AllowEmptyInput {
		return fault.New(fault.ToolInput, "the input of %s is empty", w.ID).
			Hinting("give a task; with allow_empty_input: true the worker also runs without one")
	}
	return nil
}

// checkInput checks an input against the worker's schema; without one, against its rule
// on empty input. It runs before a model sees anything.
func checkInput(w *project.Worker, in Input, attachments bool) error {
	if w.Input == nil {
		return checkText(w, in, attachments)
	}
	schema, err := tool.Compile(w.Input)
	if err != nil {
		return fault.New(fault.Schema, "the input schema of %s is not valid: %w", w.ID, err).At(w.File, 0, 0)
	}
	if vs := schema.Validate(in.Raw()); len(vs) > 0 {
		return tool.InputFault(w.ID, vs)
	}
	return nil
}

// schemaFields returns the properties of an object schema; nil if it is not one.
func schemaFields(schema json.RawMessage) map[string]bool {
	if schema == nil {
		return nil
	}
	var s struct {
		Type       any                        `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil || (s.Type != "object" && s.Properties == nil) {
		return nil
	}
	out := make(map[string]bool, len(s.Properties))
	for k := range s.Properties {
		out[k] = true
	}
	return out
}

// needsInput returns a child's question in the form that its caller reads.
func needsInput(out tool.Output) tool.Output {
	var fields map[string]any
	if json.Unmarshal(out.Data, &fields) != nil || fields == nil {
		fields = map[string]any{"question": out.Text}
	}
	fields["status"] = string(NeedsInput)
	data, err := json.Marshal(fields)
	if err != nil { // unreachable: the fields came from JSON
		return out
	}
	return tool.Output{Kind: "json", Data: data, NeedsInput: true}
}

func listOr(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}
