package consent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
	"golem/core/trust"
)

// checkPin compares the list of widenings with the digest that a person pinned. If it
// is the same, the whole list is trusted; otherwise checkPin returns E_TRUST, and
// nothing may run.
func (c *Consent) checkPin(ctx context.Context) error {
	if c.pinned == "" {
		return nil
	}
	list := c.Widenings(ctx)
	if got := list.Digest(); got != c.pinned {
		return fault.New(fault.Trust, "%s is %s, but the list of what this project's files allow has the digest %s", c.pinnedBy, brief(c.pinned), got).
			Hinting("the files changed, or an older golem made the digest: now it also covers the files that servers start, and whole fingerprints; look at the list with golem check, then update %s", c.pinnedBy)
	}
	c.judge.Trust(list)
	return nil
}

func brief(s string) string {
	if text, _ := approval.Visible(s); len(text) <= 80 {
		return text
	}
	return "another text"
}

// Before asks a person, before a run begins, to trust those widenings of the entry's
// closure that are not trusted yet. It returns the lines for the trace. If the answer
// is no, or nobody is there, the run goes on without that trust. The error is E_TRUST
// for a wrong pinned digest, or that of ctx.
func (c *Consent) Before(ctx context.Context, entry *project.Worker, r *run.Runner) ([]trace.Body, error) {
	if err := c.checkPin(ctx); err != nil {
		return nil, err
	}
	needed := c.needed(ctx, entry)
	open := c.judge.Untrusted(needed)
	for _, w := range needed {
		c.before.Store(w.Key(), true)
	}
	if c.source.Trust {
		return notes("trusted for this run", needed), nil
	}
	if len(open) == 0 {
		return nil, nil
	}
	if c.neverAsk {
		return notes("not trusted", open), nil
	}
	q := c.question(open, "0", nil, func(req approval.Request) { Announce(r.Sink, req) })
	q.Asking, q.Answered = r.Asking, c.storing(open)
	rec, err := r.Gate.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	out := run.Outcome(q, rec)
	if !rec.Run {
		c.unattended.Store(c.unattended.Load() || rec.Nobody)
		return append(notes("not trusted", open), out...), nil
	}
	return out, nil
}

// Asks returns the widenings that Before would ask about; nil if Before would not ask.
func (c *Consent) Asks(ctx context.Context, entry *project.Worker) (trust.List, error) {
	if err := c.checkPin(ctx); err != nil || c.neverAsk {
		return nil, err
	}
	return c.judge.Untrusted(c.needed(ctx, entry)), nil
}

// storing returns a Question.Answered that stores a yes to a list.
func (c *Consent) storing(l trust.List) func(yes bool) error {
	return func(yes bool) error {
		if !yes {
			return nil
		}
		return c.Trust(l)
	}
}

// question returns the question whether a person trusts a list.
func (c *Consent) question(l trust.List, call string, path []string, shown func(approval.Request)) approval.Question {
	q := approval.Question{
		Kind: approval.KindTrust, Title: "This project asks for more than its sandbox. Allow it?",
		Call: call, WorkerPath: path, Shown: shown,
	}
	if c.source.Origin != nil {
		q.Lines = c.source.Origin()
	}
	for _, w := range l.ByDanger() {
		value := w.Value
		if w.Module != "" {
			value += " (module sha256:" + w.Module + ")"
		}
		means := w.Means
		if why := c.again(w); why != "" {
			means = why + "; " + means
		}
		q.Lines = append(q.Lines, approval.Line{Path: w.Path, Value: value + w.Files(), Means: means, Where: w.At, Danger: w.Danger.String()})
	}
	return q
}

func notes(what string, l trust.List) []trace.Body {
	out := make([]trace.Body, len(l))
	for n, w := range l {
		out[n] = trace.Warning{Code: fault.Trust, Message: fmt.Sprintf("%s: %s: %s: %s", what, w.At, w.Path, w.Value+w.Files())}
	}
	return out
}

// Provider returns E_TRUST if the project's files have a setting for a provider that
// needs trust and is not trusted. It asks nobody.
func (c *Consent) Provider(name string) error {
	if open := c.judge.Untrusted(c.providerWidenings(name)); len(open) > 0 {
		return c.untrusted(open[0], "nobody trusted it")
	}
	return nil
}

// Model returns E_TRUST if the project's files have a setting for the provider of w's
// model that is not trusted. Call it before a model is opened. It asks the person if
// the question before the run did not cover the worker.
func (c *Consent) Model(ctx context.Context, w *project.Worker, ask run.Asker) error {
	provider, _, _ := strings.Cut(w.Model, ":")
	return c.use(ctx, c.providerWidenings(provider), ask)
}

// Settings does as Model does, for what the project's files add to each request to w's
// model (model_settings.extra), and for the files that a command has changed.
func (c *Consent) Settings(ctx context.Context, w *project.Worker, ask run.Asker) error {
	if err := c.use(ctx, c.byCommands(usedBy(w)), ask); err != nil {
		return err
	}
	return c.use(ctx, c.extras(w), ask)
}

// use returns nil if a list that a worker needs is trusted, or if a person says yes to
// it now. Otherwise it returns E_TRUST. It does not ask again what the question before
// the run covered.
func (c *Consent) use(ctx context.Context, list trust.List, ask run.Asker) error {
	open := c.judge.Untrusted(list)
	if len(open) == 0 {
		return nil
	}
	why := "nobody trusted it"
	if !c.neverAsk && !c.covered(open) {
		q := c.question(open, "", nil, nil)
		q.Settled, q.Answered = func() (bool, bool) { return true, len(c.judge.Untrusted(open)) == 0 }, c.storing(open)
		rec, err := ask(ctx, q)
		switch {
		case err != nil:
			return err
		case rec.Run:
			return nil
		}
		c.unattended.Store(c.unattended.Load() || rec.Nobody)
		why = rec.Reason
	}
	return c.untrusted(open[0], why)
}

// covered reports whether the question before the run was about all of these widenings, as
// they are now and not as they were before a file changed.
func (c *Consent) covered(l trust.List) bool {
	return !slices.ContainsFunc(l, func(w trust.Widening) bool {
		_, known := c.before.Load(w.Key())
		return !known
	})
}

// untrusted returns the fault for the use of a setting that is not trusted; why is the
// reason.
func (c *Consent) untrusted(w trust.Widening, why string) error {
	file, line := project.Place(w.At)
	return fault.New(fault.Trust, "%s: %s is not used: %s", w.Path, w.Value, why).At(file, line, 0).Hinting("%s", trustHint())
}

// trustHint returns the hint that says how a person can trust a project.
func trustHint() string {
	return "if you trust the project's author, say yes when golem asks before a run, or use golem trust or --trust"
}

// Granted returns E_TRUST if a call of a tool needs a grant that is not trusted. Such
// grants are the hosts and the values of the person that a module gets, the files that
// a library's worker grants to a module, and what lets the commands of the shell
// toolset reach beyond the project.
func (c *Consent) Granted(ctx context.Context, w *project.Worker, t tool.Tool) error {
	spec := t.Spec()
	if spec.Toolset == "shell" && spec.Risk == tool.Command {
		if open := c.Untrusted(c.commands(w)); len(open) > 0 {
			return c.untrusted(open[0], "nobody trusted it")
		}
		return nil
	}
	identified, ok := t.(tool.Identifier)
	if !ok || len(spec.Hosts) == 0 && len(c.Project.LibraryFiles(w)) == 0 && len(c.Project.Secrets(w)) == 0 {
		return nil
	}
	digest, err := identified.Identity(ctx)
	if err != nil {
		return err
	}
	if g, open := c.Grant(w, spec, digest); open {
		return c.untrusted(g, "nobody trusted it")
	}
	return nil
}

// Grant returns the first grant of a tool's module that needs trust and is not trusted:
// a host, a value of the person, or files that a library's worker grants. open is false
// if there is none. digest is the SHA-256 of the module in hex. A module that the
// worker does not have is not trusted, because nobody can tell what it was granted.
func (c *Consent) Grant(w *project.Worker, spec tool.Spec, digest string) (g trust.Widening, open bool) {
	if spec.Kind != tool.Wasm {
		return g, false
	}
	found, _ := c.Project.Modules(w) // none if there is a fault
	n := slices.IndexFunc(found, func(m project.Module) bool { return m.Path == spec.Module })
	if n < 0 {
		return trust.Widening{Path: "toolsets.custom", Value: spec.Module, Module: digest}, true
	}
	stem := found[n].Stem()
	grants := c.Project.LibraryFiles(w)
	for _, s := range c.Project.Secrets(w) {
		grants = append(grants, s.Said)
	}
	if len(spec.Hosts) > 0 && w.Sandbox.Network {
		grants = append(grants, c.Project.Hosts(w)...)
	}
	for _, h := range grants {
		if h.Key != stem {
			continue
		}
		if g := asWidening(h, digest, ""); !c.judge.Trusts(g) {
			return g, true
		}
	}
	return g, false
}

// Announce sends a front end the event of a question that is asked before the run
// begins.
func Announce(sink trace.Sink, r approval.Request) {
	if data, err := json.Marshal(r); err == nil {
		sink.Emit(trace.Event{ID: "0", Body: trace.Ask{Request: data}})
	}
}
