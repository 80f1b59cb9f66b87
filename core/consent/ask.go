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

// checkPin holds the list against a digest that a person pinned; then all of
// it is trusted, or nothing runs.
func (c *Consent) checkPin(ctx context.Context) error {
	if c.pinned == "" {
		return nil
	}
	list := c.Widenings(ctx)
	if got := list.Digest(); got != c.pinned {
		return fault.New(fault.Trust, "%s is %s, but the list of what this project's files allow has the digest %s", c.pinnedBy, brief(c.pinned), got).
			Hinting("look at the list with golem check, then update %s", c.pinnedBy)
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

// Before asks once, before a run begins, for what the entry's closure needs
// and nobody trusted yet. A no, or nobody there, runs untrusted.
func (c *Consent) Before(ctx context.Context, entry *project.Worker, r *run.Runner) ([]trace.Body, error) {
	if err := c.checkPin(ctx); err != nil {
		return nil, err
	}
	needed := c.needed(ctx, entry)
	open := c.judge.Untrusted(needed)
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
	q.Asking = r.Asking
	rec, err := r.Gate.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	answer := run.Answered(q, rec)
	if !rec.Run {
		c.unattended.Store(c.unattended.Load() || rec.Nobody)
		return append(notes("not trusted", open), answer), nil
	}
	out := []trace.Body{answer}
	if err := c.Trust(open); err != nil {
		out = append(out, trace.Warning{Code: fault.Trust, Message: "your yes counts for this run, but could not be saved: " + fault.Of(err, fault.Config).Text()})
	}
	return out, nil
}

// Asks returns what Before would ask about; nil where it asks nothing.
func (c *Consent) Asks(ctx context.Context, entry *project.Worker) (trust.List, error) {
	if err := c.checkPin(ctx); err != nil || c.neverAsk {
		return nil, err
	}
	return c.judge.Untrusted(c.needed(ctx, entry)), nil
}

// question is a trust question about a list.
func (c *Consent) question(l trust.List, call string, path []string, shown func(approval.Request)) approval.Question {
	q := approval.Question{
		Kind: approval.KindTrust, Title: "This project asks for more than its sandbox. Allow it?",
		Call: call, WorkerPath: path, Shown: shown,
	}
	if c.source.Origin != nil {
		q.Lines = c.source.Origin()
	}
	for _, w := range l {
		value := w.Value
		if w.Module != "" {
			value += " (module sha256:" + w.Module + ")"
		}
		q.Lines = append(q.Lines, approval.Line{Path: w.Path, Value: value, Means: w.Means, Where: w.At})
	}
	return q
}

func notes(what string, l trust.List) []trace.Body {
	out := make([]trace.Body, len(l))
	for n, w := range l {
		out[n] = trace.Warning{Code: fault.Trust, Message: fmt.Sprintf("%s: %s: %s: %s", what, w.At, w.Path, w.Value)}
	}
	return out
}

// Provider fails with E_TRUST if the project's files say something about a
// provider that nobody trusted.
func (c *Consent) Provider(name string) error {
	if open := c.judge.Untrusted(c.providerWidenings(name)); len(open) > 0 {
		return c.untrusted(open[0], "nobody trusted it")
	}
	return nil
}

// Model settles, before a model is opened, whether a person trusts what
// the project says of its provider. Workers that the question before the run
// did not cover are asked about now.
func (c *Consent) Model(ctx context.Context, w *project.Worker, ask run.Asker) error {
	provider, _, _ := strings.Cut(w.Model, ":")
	return c.use(ctx, w, c.providerWidenings(provider), ask)
}

// Settings fails unless a person trusts what the project's files add to each
// request of a worker. It asks where nobody has answered yet.
func (c *Consent) Settings(ctx context.Context, w *project.Worker, ask run.Asker) error {
	return c.use(ctx, w, c.extras(w), ask)
}

// use settles what a worker is about to use. What the question before the
// run covered is not asked again.
func (c *Consent) use(ctx context.Context, w *project.Worker, list trust.List, ask run.Asker) error {
	open := c.judge.Untrusted(list)
	if len(open) == 0 {
		return nil
	}
	why := "nobody trusted it"
	if !c.neverAsk && !c.asked(w) {
		q := c.question(open, "", nil, nil)
		q.Settled = func() (bool, bool) { return true, len(c.judge.Untrusted(open)) == 0 }
		rec, err := ask(ctx, q)
		switch {
		case err != nil:
			return err
		case rec.Run:
			return c.Trust(open)
		}
		c.unattended.Store(c.unattended.Load() || rec.Nobody)
		why = rec.Reason
	}
	return c.untrusted(open[0], why)
}

// asked says whether the question before the run covered a worker's provider.
func (c *Consent) asked(w *project.Worker) bool {
	entry, err := c.Project.Entry()
	if err != nil {
		return false
	}
	closure, err := c.Project.Closure(entry)
	if err != nil {
		return false
	}
	for _, in := range closure {
		if in.ID == w.ID && in.File == w.File {
			return true
		}
	}
	return false
}

// untrusted is the fault of using what nobody trusted.
func (c *Consent) untrusted(w trust.Widening, why string) error {
	file, line := project.Place(w.At)
	return fault.New(fault.Trust, "%s: %s is not used: %s", w.Path, w.Value, why).At(file, line, 0).Hinting("%s", trustHint())
}

// trustHint says how a person says yes here.
func trustHint() string {
	return "if you trust the project's author, say yes when golem asks before a run, or use golem trust or --trust"
}

// Granted refuses a tool of a module with hosts, with values of the person, or with
// files by a library's word, that nobody trusted, and commands that reach beyond the
// project.
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

// Grant is the first grant of a tool's module that needs trust and that no person
// trusted: a host, a value of the person, or the files where a library's worker
// grants them. digest is that of the module. A module that the worker does not have
// cannot be trusted, since nobody can tell what it was granted.
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
