package consent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/config"
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
func (c *Consent) Before(ctx context.Context, entry *project.Worker, gate *approval.Gate, front run.Front) ([]trace.Body, error) {
	if err := c.checkPin(ctx); err != nil {
		return nil, err
	}
	needed := c.beyond.needed(ctx, entry)
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
	q := c.question(open)
	q.Call, q.By, q.Answers = "0", Beforehand{front}, listAnswers{c, open}
	rec, err := gate.Ask(ctx, q)
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
	return c.judge.Untrusted(c.beyond.needed(ctx, entry)), nil
}

// listAnswers keeps the answers about a list.
type listAnswers struct {
	*Consent
	list trust.List
}

// Settled is yes if the whole list is trusted meanwhile.
func (a listAnswers) Settled() (yes, known bool) {
	return true, len(a.judge.Untrusted(a.list)) == 0
}

// Answered stores a yes.
func (a listAnswers) Answered(yes bool) error {
	if !yes {
		return nil
	}
	return a.Trust(a.list)
}

// question returns the question whether a person trusts a list.
func (c *Consent) question(l trust.List) approval.Question {
	q := approval.Question{
		Kind: approval.KindTrust, Title: "This project asks for more than its sandbox. Allow it?",
	}
	q.Lines = slices.Clone(c.source.Origin)
	for _, w := range l.ByDanger() {
		value := w.Value
		if w.Module != "" {
			value += " (module sha256:" + w.Module + ")"
		}
		means := w.Means
		if why := whyAskedAgain(w, c.stored); why != "" {
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
	if open := c.judge.Untrusted(c.beyond.providerWidenings(name)); len(open) > 0 {
		return untrusted(open[0], "nobody trusted it")
	}
	return nil
}

// Model returns E_TRUST if the project's files have a setting for the provider of w's
// model that is not trusted. Call it before a model is opened. It asks the person if
// the question before the run did not cover the worker.
func (c *Consent) Model(ctx context.Context, w *project.Worker, ask run.Asker) error {
	provider, _, _ := strings.Cut(w.Model, ":")
	return c.use(ctx, c.beyond.providerWidenings(provider), ask)
}

// Settings does as Model does, for what the project's files add to each request to w's
// model (model_settings.extra), and for the files that a command has changed.
func (c *Consent) Settings(ctx context.Context, w *project.Worker, ask run.Asker) error {
	if err := c.use(ctx, c.beyond.byCommands(usedBy(w)), ask); err != nil {
		return err
	}
	return c.use(ctx, slices.Concat(c.beyond.extras(w), c.beyond.serverTools(w)), ask)
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
		q := c.question(open)
		q.Answers = listAnswers{c, open}
		rec, err := ask(ctx, q)
		switch {
		case err != nil:
			return err
		case rec.Run:
			return nil
		}
		c.unattended.Store(c.unattended.Load() || rec.Nobody)
		why = rec.Reason
		if f := untrusted(open[0], why); rec.Source == "mode" {
			return f.InPage(untrusted(open[0], approval.DeniedInPage).Message, f.Page.Hint)
		}
	}
	return untrusted(open[0], why)
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
func untrusted(w trust.Widening, why string) *fault.Fault {
	if w.File == dotEnv { // its value is a fingerprint of the key, which says nothing to a person
		return fault.New(fault.Trust, "the key %s in .env is not used: %s", w.Path, why).At(w.File, 0, 0).
			Hinting("golem login keeps a key of yours outside the project, where it needs no trust; to use this one, say yes when golem asks before a run, or use golem trust or --trust").
			InPage("", "enter your key in the settings, where it needs no trust; to use this one, say yes when golem asks before a run")
	}
	file, line := config.Place(w.At)
	return fault.New(fault.Trust, "%s: %s is not used: %s", w.Path, w.Value, why).At(file, line, 0).Hinting(trustHint).InPage("", askedFirst)
}

// trustHint says how a person can trust a project, askedFirst how in the page.
const (
	askedFirst = "if you trust the project's author, say yes when golem asks before a run"
	trustHint  = askedFirst + ", or use golem trust or --trust"
)

// Granted returns E_TRUST if a call of a tool needs a grant that is not trusted. Such
// grants are the hosts and the values of the person that a module gets, the files that
// a library's worker grants to a module, and what lets the commands of the shell
// toolset reach beyond the project.
func (c *Consent) Granted(ctx context.Context, w *project.Worker, t tool.Tool) error {
	spec := t.Spec()
	if spec.Toolset == "shell" && spec.Risk == tool.Command {
		if open := c.Untrusted(c.beyond.commands(w)); len(open) > 0 {
			return untrusted(open[0], "nobody trusted it")
		}
		return nil
	}
	identified, ok := t.(tool.Identifier)
	if !ok || len(spec.Hosts) == 0 && len(c.project.LibraryFiles(w)) == 0 && len(w.Secrets()) == 0 {
		return nil
	}
	digest, err := identified.Identity(ctx)
	if err != nil {
		return err
	}
	if g, open := c.Grant(w, spec, digest); open {
		return untrusted(g, "nobody trusted it")
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
	found, _ := c.project.Modules.Of(w) // none if there is a fault
	n := slices.IndexFunc(found, func(m project.Module) bool { return m.Path == spec.Module })
	if h := c.project.Modules.Hardening(w); n < 0 && h != nil && h.Module.Path == spec.Module && len(spec.Hosts) == 0 {
		return g, false // it is granted no more than the worker's own files
	}
	if n < 0 {
		return trust.Widening{Path: "toolsets.custom", Value: spec.Module, Module: digest}, true
	}
	stem := found[n].Stem()
	grants := c.project.LibraryFiles(w)
	for _, s := range w.Secrets() {
		grants = append(grants, s.Said)
	}
	if len(spec.Hosts) > 0 && w.Sandbox.Network {
		grants = append(grants, w.Hosts()...)
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

// Beforehand shows a front end questions that are asked before the run begins.
type Beforehand struct{ run.Front }

var _ approval.Asker = Beforehand{}

// Shown emits the question.
func (b Beforehand) Shown(r approval.Request) {
	if data, err := json.Marshal(r); err == nil {
		b.Emit(trace.Event{ID: "0", Body: trace.Ask{Request: data}})
	}
}
