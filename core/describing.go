package core

import (
	"context"
	"slices"

	"golem/core/approval"
	"golem/core/consent"
	"golem/core/describe"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
)

// Describe returns the description of a worker. in is the input for which the prompt is
// rendered; nil means that it is not rendered. It uses no model and runs no tool. See
// describe.Describer.Worker.
func (i *Instance) Describe(ctx context.Context, w *project.Worker, in *run.Input) (*describe.Description, error) {
	return i.describer(i.looker(), i.gate(nil, nil)).Worker(ctx, w, in)
}

// Plan returns what a run of the entry would do (golem run --dry-run). It uses no
// model, runs no tool and no module, and writes nothing.
func (i *Instance) Plan(ctx context.Context) (*describe.Plan, error) {
	entry, err := i.project.Workers.Entry()
	if err != nil {
		return nil, err
	}
	return i.describer(i.looker(), i.gate(nil, nil)).Plan(ctx, entry, i.models.Host)
}

// CallTree returns which worker may call which. It scans the project, uses no model and
// runs no tool. Workers that cannot be loaded are reported as faults.
func (i *Instance) CallTree(ctx context.Context) *describe.CallTree {
	return i.describer(i.looker(), i.gate(nil, nil)).CallTree(ctx)
}

func (i *Instance) describer(r *run.Runner, gate *approval.Gate) *describe.Describer {
	return &describe.Describer{Project: i.project, Checker: r.Checker(), Gate: gate, Trust: trusted{i.consent}}
}

// trusted is what a person trusted, for descriptions.
type trusted struct{ *consent.Consent }

// Servers returns the tools of a worker's servers.
func (t trusted) Servers(w *project.Worker) []describe.Remote {
	known := t.KnownTools(w)
	out := make([]describe.Remote, len(known))
	for n, k := range known {
		out[n] = describe.Remote(k)
	}
	return out
}

// Tools returns the tools that a worker would have, as far as they are known
// without running a module. Spec.Uses has names. It runs nothing.
func (i *Instance) Tools(ctx context.Context, w *project.Worker) []tool.Spec {
	return i.Checker().Specs(ctx, w)
}

// EntryTool returns the metadata of the tool that is the entry (project.Worker.Tool). To
// learn its tools, it runs a module that has no description.
func (i *Instance) EntryTool(ctx context.Context) (tool.Spec, error) {
	entry, err := i.project.Workers.Entry()
	if err != nil {
		return tool.Spec{}, err
	}
	set, err := i.runner(nil, i.gate(nil, nil), run.Keeping{}, nil).Callables(ctx, entry)
	if err != nil {
		return tool.Spec{}, err
	}
	t, ok := set.Get(entry.Tool)
	if !ok {
		return tool.Spec{}, fault.Of(entry.Missing(), fault.WorkerNotFound)
	}
	return t.Spec(), nil
}

// statusTo is a sink that calls a function with the text of each status line and ignores all
// other events. It may be nil.
type statusTo func(text string)

// Emit passes the text of a status line on.
func (say statusTo) Emit(e trace.Event) {
	if b, ok := e.Body.(trace.Status); ok && say != nil {
		say(b.Text)
	}
}

// Asking does nothing: nobody is asked.
func (say statusTo) Asking() (done func()) { return func() {} }

// WouldAsk returns the sorted names of the tools, reachable from the entry, whose
// calls would ask a person: an unattended run will deny them. To learn its tools, it runs a
// module that has no description. say gets a message if that takes a while; it may be nil.
func (i *Instance) WouldAsk(ctx context.Context, say func(text string)) ([]string, error) {
	entry, err := i.project.Workers.Entry()
	if err != nil {
		return nil, err
	}
	closure, err := i.project.Workers.Closure(entry)
	if err != nil {
		return nil, err
	}
	r := i.runner(statusTo(say), i.gate(nil, nil), run.Keeping{}, nil)
	d := i.describer(r, r.Gate)
	var names []string
	for _, w := range closure {
		set, err := r.Callables(ctx, w)
		if err != nil {
			return nil, err
		}
		for _, t := range set.All() {
			spec := t.Spec()
			if m, ok := t.(tool.Identifier); ok {
				if digest, err := m.Identity(context.Background()); err == nil {
					spec.Provider = digest
				}
			}
			if name := spec.Name; d.Forecast(w, spec).Call == describe.Asks && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		for _, u := range d.Remotes(w) {
			if u.Call == describe.Asks && !slices.Contains(names, u.Name) {
				names = append(names, u.Name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
