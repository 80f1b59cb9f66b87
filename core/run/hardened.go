package run

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset/custom"
	"golem/core/trace"
)

// openHardened opens the module that answers for the worker before its model (SPEC §18). It
// sees the worker's files read-only, if it sees any.
func (o *opener) openHardened(ctx context.Context, box *toolbox) error {
	w := o.place.worker
	h := o.Project.Modules.Hardening(w)
	if h == nil || o.collected != nil && o.Project.Workers.Faulty(w, "hardened") {
		return nil
	}
	options, err := o.hardenedGrants(h)
	if err != nil {
		return fault.Of(err, fault.Grant).At(h.File, h.Line, 0)
	}
	told := len(box.undescribed)
	set, err := o.Toolsets.With(custom.Toolset(o.Modules, custom.Discovery{
		Modules: o.modules([]project.Module{h.Module}), Inert: o.inert, Run: o.place.id, Total: o.Project.Setup.Person.ModulesMemory(),
		Worker: boxNotes{box: box},
	})).Open(ctx, "custom", options, o.env())
	if err != nil {
		return misplaced(err, project.Toolset{File: h.File, Line: h.Line}, o.place)
	}
	box.opened = append(box.opened, set)
	if len(box.undescribed) > told {
		return nil
	}
	box.hardened, err = custom.Hardened(set, w.ID, h.Calls)
	return err
}

// hardenedFuel is the fuel of one call of a hardened module: about a second. It does less than
// a tool may, because the worker answers where it does not end.
const hardenedFuel = 2_000_000_000

// hardenedGrants returns the options of toolset custom for a hardened module.
func (o *opener) hardenedGrants(h *project.Hardened) (json.RawMessage, error) {
	grant := map[string]any{"fuel": hardenedFuel}
	if h.Files {
		if !hasFiles(o.place.worker) {
			return nil, fault.New(fault.Grant, "hardened.fs is true, and %s itself sees no files", o.place.worker.ID).
				Hinting("remove hardened.fs, or give the worker toolsets: {filesystem: {}}")
		}
		dirs := map[string]sandbox.Mode{}
		for _, m := range sandbox.Mounts(o.sight.files) {
			dirs[m.At] = sandbox.ReadOnly
		}
		if grant["fs"] = dirs; o.inert {
			grant["fs"] = true // there are no mounts to name
		}
	}
	return json.Marshal(map[string]any{"modules": map[string]any{h.Module.Stem(): grant}})
}

// checkHardened returns E_CONFIG if a hardened module may call a tool that the worker does not
// have.
func (o *opener) checkHardened(box *toolbox) error {
	h := o.Project.Modules.Hardening(o.place.worker)
	if h == nil || len(box.undescribed) > 0 {
		return nil
	}
	for _, name := range h.Calls {
		if _, ok := box.Get(name); !ok {
			return fault.New(fault.Config, "hardened.calls names %q, and %s has no such tool", name, o.place.worker.ID).
				Hinting("%s", fault.DidYouMean(name, box.Names())).At(h.File, h.Line, 0)
		}
	}
	return nil
}

// policy returns the worker's policy for a call. Of its hardened module, what asks for a call of
// the worker has asked already, before the worker began; what is blocked stays so.
func (c *activeCall) policy() approval.Policy {
	p := c.run.sight.policy
	if !c.req.hardened {
		return p
	}
	unasked := func(m map[string]approval.Setting) map[string]approval.Setting {
		if m[c.spec.Name] != approval.Ask {
			return m
		}
		m = maps.Clone(m)
		delete(m, c.spec.Name)
		return m
	}
	p.WorkerTools, p.ProjectTools = unasked(p.WorkerTools), unasked(p.ProjectTools)
	if c.spec.Confined && p.ProjectDefault == approval.Ask {
		p.ProjectDefault = "" // it can do no more than a model's answer
	}
	return p
}

// withoutFuel explains the end of a hardened module's fuel, which no setting raises.
func (c *activeCall) withoutFuel(err error) error {
	if f := fault.Of(err, fault.Tool); c.req.hardened && f.Code == fault.ToolFuel {
		return f.Hinting("a hardened module has %d units of fuel; the worker answers what takes more", hardenedFuel)
	}
	return err
}

// Answerer says who answers for hardened workers.
type Answerer string

// ByCode and ByModel let only the module or only the model of a hardened worker answer, in a
// test. "": the module answers first.
const (
	ByCode  Answerer = "hardened"
	ByModel Answerer = "worker"
)

// FallbackUnsure is the reason of a trace.Fallback whose module leaves the answer to the worker.
const FallbackUnsure = "unsure"

// Other reasons of a trace.Fallback.
const (
	fallbackFailed = "failed" // the call failed or was denied
	fallbackSchema = "schema" // the answer does not fit a schema
	fallbackInput  = "input"  // the module was not asked: it takes no such input
)

// byCode lets the worker's hardened module answer. done is false if the model is to answer,
// because there is no such module or its answer does not count.
func (f *workerRun) byCode(ctx context.Context, t task, files []attachment) (out tool.Output, done bool, err error) {
	h := f.tree.r.Project.Modules.Hardening(f.worker)
	if h == nil || f.toolbox.hardened == nil || f.tree.r.Answers == ByModel {
		return out, false, nil
	}
	args, why := f.codeInput(h, t, files)
	if why != "" && f.tree.r.Answers == ByCode {
		return out, true, refusedByCode(f.worker.ID, trace.Fallback{Tool: f.toolbox.hardened.Spec().Name, Reason: fallbackInput, Message: why})
	}
	if why != "" {
		f.emit(trace.Fallback{Tool: f.toolbox.hardened.Spec().Name, Reason: fallbackInput, Message: why})
		return out, false, nil
	}
	f.conversation.Calls++
	req := callRequest{
		id: childID(f.id, f.conversation.Calls), parent: f.id, name: f.toolbox.hardened.Spec().Name, args: tool.ReadArguments(args), model: true,
		hardened: true,
	}
	got, flt := f.call(ctx, req)
	if stopped := cause(ctx); stopped != nil {
		return out, true, stopped
	}
	body := trace.Fallback{Tool: req.name, Call: req.id}
	switch {
	case flt != nil:
		body.Reason, body.Error = fallbackFailed, flt
	default:
		if got.Refused != "" {
			told := f.event(trace.Warning{Code: fault.Grant, Message: got.Refused})
			told.ID, told.Parent = req.id, f.id
			f.events.emit(told)
		}
		body.Reason, body.Message, out = f.judge(got)
	}
	if body.Reason == "" {
		return out, true, nil
	}
	if h.OrError || f.tree.r.Answers == ByCode {
		return tool.Output{}, true, refusedByCode(f.worker.ID, body)
	}
	f.emit(body)
	return tool.Output{}, false, nil
}

// firstByCode answers the first message of a conversation by the module of the root: with the
// answer that was kept, or, if one answer is all that is wanted, with a new one. done is false
// if the model is to answer.
func firstByCode(ctx context.Context, s *Session, t task, files []attachment) (out tool.Output, done bool, err error) {
	f := s.run
	if kept := s.tree.replay.code(); kept != nil {
		f.conversation.Calls = max(f.conversation.Calls, kept.Calls)
		return kept.Output.Tool(), true, nil
	}
	if !s.single {
		return out, false, nil
	}
	out, done, err = f.byCode(ctx, t, files)
	if done && err == nil {
		f.keepEntry(conversation.Entry{T: conversation.CodeEntry, Calls: f.conversation.Calls, Output: conversation.OutputOf(out)})
	}
	return out, done, err
}

// answeredByCode ends an exchange that the module of the root has answered. The conversation has
// the message and the answer, so that a later message can refer to them.
func answeredByCode(ctx context.Context, s *Session, in Input, out tool.Output, err error) (tool.Output, error) {
	if err == nil {
		err = s.add(ctx, in, task{text: in.Text, object: in.JSON}, nil)
	}
	if err != nil {
		return tool.Output{}, err
	}
	s.run.conversation.Add(model.Message{Role: model.Assistant, Text: out.String()})
	return out, nil
}

// codeInput returns the arguments of the module for a task. why says why it is not asked, ""
// if it is.
func (f *workerRun) codeInput(h *project.Hardened, t task, files []attachment) (args json.RawMessage, why string) {
	switch {
	case len(files) > 0:
		return nil, "the call has attachments, which only the worker reads"
	case t.Instructions != "":
		return nil, "the call has instructions, which only the worker follows"
	case len(t.Prior) > 0:
		return nil, "the call has prior results, which only the worker reads"
	}
	in := Input{Text: t.text, JSON: t.object}
	if h.OnlyValid && checkInput(f.worker, in, false) != nil {
		return nil, "the input does not fit input_schema"
	}
	if len(t.object) > 0 {
		return t.object, ""
	}
	field, _ := textField(f.toolbox.hardened.Spec().Input)
	if field == "" {
		return nil, "the input is a text, and the module takes none"
	}
	return json.RawMessage("{" + string(quote(field)) + ":" + string(quote(t.text)) + "}"), ""
}

// judge returns the module's result as the worker's answer, or why it does not count.
func (f *workerRun) judge(got tool.Output) (reason, message string, out tool.Output) {
	if why, unsure := unsureOf(got); unsure {
		return FallbackUnsure, why, out
	}
	if got.NeedsInput || len(got.Parts) > 0 {
		return fallbackSchema, "the result is not one text or one value", out
	}
	out, problems := answerOf(model.Turn{Text: got.String()}, f.output, f.worker.Output)
	if problems != "" {
		return fallbackSchema, problems, tool.Output{}
	}
	out.Untrusted = got.Untrusted
	return "", "", out
}

// unsureOf reports whether a result is {"unsure": "why"}, by which a hardened module leaves the
// answer to the worker.
func unsureOf(out tool.Output) (why string, unsure bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(out.String()), &fields) != nil || len(fields) != 1 || fields["unsure"] == nil {
		return "", false
	}
	return why, json.Unmarshal(fields["unsure"], &why) == nil
}

// refusedByCode returns the fault of a worker with otherwise: error whose module did not answer.
func refusedByCode(id string, b trace.Fallback) *fault.Fault {
	hint := "hardened.otherwise: worker lets the worker answer"
	switch {
	case b.Error != nil:
		f := *b.Error
		return f.Hinting("%s", hint)
	case b.Reason == FallbackUnsure:
		return fault.New(fault.Tool, "the hardened module of %s is unsure: %s", id, b.Message).Hinting("%s", hint)
	}
	return fault.New(fault.OutputSchema, "the answer of the hardened module of %s does not fit: %s", id, b.Message).Hinting("%s", hint)
}

// mayCallBack returns E_NOT_ALLOWED if a hardened module calls what hardened.calls does not name.
func (h *toolHost) mayCallBack(name string) error {
	if !h.hardened {
		return nil
	}
	if rights := h.run.worker.Hardened; rights != nil && slices.Contains(rights.Calls, name) {
		return nil
	}
	not := fault.New(fault.NotAllowed, "the hardened module of %s may not call %s", h.run.worker.ID, fault.Quoted(name)).
		Hinting("name it in hardened.calls of the worker, if it may")
	if h.warned.CompareAndSwap(false, true) { // once a call: it may try without end
		at := h.at
		at.Body = trace.Warning{Code: not.Code, Message: not.Message}
		h.run.events.emit(at)
	}
	return not
}
