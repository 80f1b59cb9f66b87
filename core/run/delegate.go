package run

import (
	"context"
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
)

// delegates returns the workers of allowed_workers. modules are the tools of the worker's
// modules, and described says that there are no others: one of them may provide a worker
// that no worker file defines.
func (o *opener) delegates(allowed []project.Allowed, modules []tool.Tool, described bool) ([]toolset.Delegate, error) {
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
			d, name := byFile(a, names[0]), names[0]
			names = names[1:]
			switch code := byModule(a.Worker.ID, modules); {
			case code.Module == nil:
			case a.Worker.Builtin():
				d = code // the project's tool takes precedence over golem's own worker
			case a.Worker.Hardened != nil: // the worker, whose own module answers
			case !o.unlisted():
				if err := o.collected.unlessCollected(bothNamed(name, code.Module, a.Worker)); err != nil {
					return nil, err
				}
				continue
			}
			out = append(out, d)
			continue
		}
		d := byModule(a.Name, modules)
		if d.Module != nil {
			out = append(out, d)
		} else if described { // otherwise one of the other modules may have the tool
			if err := o.collected.unlessCollected(o.collected.doubt(fault.Of(a.Missing, fault.WorkerNotFound), "whether it is a tool")); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// byFile returns the delegate for a worker that a worker file defines, offered as the
// tool name.
func byFile(a project.Allowed, name string) toolset.Delegate {
	w := a.Worker
	return toolset.Delegate{ID: w.ID, Tool: name, Description: w.Description, Input: w.Input, Output: w.Output, Callee: fileCallee{a}}
}

// fileCallee is a worker that a worker file defines.
type fileCallee struct{ project.Allowed }

// isHardened reports whether a delegate is a worker whose own module answers for it: it is
// called in place of a tool of its name.
func isHardened(d toolset.Delegate) bool {
	a, ok := d.Callee.(fileCallee)
	return ok && a.Worker.Hardened != nil
}

// Run runs the worker as a child of the worker run that makes the call.
func (a fileCallee) Run(ctx context.Context, c tool.Call) (tool.Output, error) {
	f := c.Host.(*toolHost).run // all calls in a run have it
	f.turn.reach(c.ID, callee{id: a.Worker.ID, file: true})
	return f.delegate(ctx, a.Worker, c)
}

// moduleCallee is a worker that the tool of a module provides.
type moduleCallee struct{ id, tool string }

// Named reports false: only its ID and the tool's name mean the worker.
func (moduleCallee) Named(string) bool { return false }

// Run calls the tool.
func (m moduleCallee) Run(ctx context.Context, c tool.Call) (tool.Output, error) {
	c.Host.(*toolHost).run.turn.reach(c.ID, callee{id: m.id})
	return c.Host.Call(ctx, m.tool, c.Args.JSON())
}

// byModule returns the delegate for a worker that a module's tool of the same name
// provides, so that code can replace a worker without a change in its callers (S3-24).
// Module is nil if no module has such a tool.
func byModule(id string, modules []tool.Tool) toolset.Delegate {
	name := tool.ToolName(id)
	i := slices.IndexFunc(modules, func(t tool.Tool) bool { return t.Spec().Name == name })
	if i < 0 {
		return toolset.Delegate{}
	}
	s := modules[i].Spec()
	return toolset.Delegate{
		ID: id, Tool: name, Description: s.Description, Input: s.Input, Output: s.Output, Module: custom.AsWorker(modules[i], id), Callee: moduleCallee{id, name},
	}
}

// mayNotCall returns the fault of a reference to a worker that w may not call. The fault
// does not tell whether the worker exists.
func mayNotCall(p *project.Project, w *project.Worker, ref string) error {
	if err := project.CheckReference(ref); err != nil {
		return err
	}
	ids := allowedIDs(p, w)
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

// allowedIDs returns the IDs of the workers that w may call.
func allowedIDs(p *project.Project, w *project.Worker) []string {
	workers, err := p.Workers.Delegates(w)
	if err != nil {
		return nil
	}
	ids := make([]string, len(workers))
	for i, one := range workers {
		ids[i] = one.ID
	}
	return ids
}

// delegate runs a child worker for one call: it answers once and has no history
// (S1-78..84, S4-08). If a limit or a policy forbids the call, nothing of the child is
// started.
func (f *workerRun) delegate(ctx context.Context, w *project.Worker, c tool.Call) (tool.Output, error) {
	if err := f.mayCall(f.tree.r.Project, w); err != nil {
		return tool.Output{}, err
	}
	task, err := splitArgs(w, c.Args)
	if err != nil {
		return tool.Output{}, err
	}
	var files []attachment
	if begun := f.tree.replay.begin(c.ID); begun != nil {
		files = attachmentsOf(begun.Files)
	} else if files, err = readAttachments(f.sight.files, f.worker, w, task.Attachments); err != nil {
		return tool.Output{}, err
	}
	prior, err := f.priors(task.Prior)
	if err != nil {
		return tool.Output{}, err
	}
	child, err := f.tree.start(ctx, w, f, c.ID)
	if err != nil {
		return tool.Output{}, err
	}
	defer child.close()
	child.task = task.short()
	child.begin()
	f.progress(c.ID, progressRunning, w.ID, child.task)
	start := f.tree.r.now()
	out, err := child.wholeConversation(ctx, task, prior, files)
	child.end(out, err, f.tree.r.now().Sub(start).Milliseconds())
	if err == nil && out.NeedsInput {
		return needsInput(out), nil
	}
	return out, err
}

// wholeConversation runs the whole conversation of a child.
func (f *workerRun) wholeConversation(ctx context.Context, task task, prior []prompt.Labelled, files []attachment) (tool.Output, error) {
	var err error
	if f.output, err = outputSchema(f.worker, task.object); err != nil {
		return tool.Output{}, err
	}
	if out, done, err := f.byCode(ctx, task, files); done {
		return out, err
	}
	if err = f.openModel(ctx); err != nil {
		return tool.Output{}, err
	}
	listed, err := f.sight.attach(files)
	if err != nil {
		return tool.Output{}, err
	}
	var system, text string
	if begun := f.tree.replay.begin(f.conversation.Name); begun != nil {
		system, text = begun.System, begun.Text
	} else {
		if system, err = f.instructions(ctx, task); err != nil {
			return tool.Output{}, err
		}
		text = prompt.Task(task.text, task.object, prior, listed)
		f.keepBegin(system, text, files)
	}
	f.conversation.Add(model.Message{Role: model.System, Text: system}, model.Message{Role: model.User, Text: text, Parts: attachedParts(files, &f.place)})
	return f.exchange(ctx)
}

// priors returns the earlier results that a call passes on.
func (f *workerRun) priors(names []string) ([]prompt.Labelled, error) {
	found, missing := f.conversation.Find(names, func(ref, worker string) bool {
		return slices.ContainsFunc(f.toolbox.workers, func(d toolset.Delegate) bool { return d.ID == worker && d.Named(ref) })
	})
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

func listOr(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}
