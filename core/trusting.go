package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
	"golem/core/trust"
)

// TrustFile stores what a person trusted, outside every project: natively in
// $GOLEM_HOME/trust.json, in the page in a file that belongs to golem.
type TrustFile interface {
	Read() ([]byte, error) // returns nothing if there is no file yet
	// Change replaces the content of the file by the result of change. It locks
	// the file, and writes all of it or nothing.
	Change(change func([]byte) ([]byte, error)) error
}

// settleTrust tells the judge what a person trusted before: by flag, by the
// person's config, by an earlier yes.
func (i *Instance) settleTrust() error {
	if i.options.Trust {
		i.judge.TrustAll()
		return nil
	}
	if all, digest, set := i.config.Trust(); set {
		switch {
		case all:
			i.judge.TrustAll()
			return nil
		case digest == "":
			i.neverAsk = true
			return nil
		}
		i.pinned, i.pinnedBy = digest, "projects: in your config.yaml"
	}
	if d := i.options.TrustDigest; d != "" {
		i.pinned, i.pinnedBy = d, "GOLEM_TRUST"
	}
	book, err := i.book()
	if err != nil {
		return err
	}
	i.judge.Trust(book.Projects[i.platform.TrustKey])
	return nil
}

func (i *Instance) book() (trust.Book, error) {
	if i.platform.Trust == nil {
		return trust.Book{}, nil
	}
	data, err := i.platform.Trust.Read()
	if err != nil {
		return trust.Book{}, fault.New(fault.Config, "the list of what you trusted cannot be read: %w", err).
			Hinting("make trust.json in GOLEM_HOME readable, or delete it")
	}
	return trust.ReadBook(data)
}

// Trusted reports whether a person trusted a widening of this project.
func (i *Instance) Trusted(w trust.Widening) bool { return i.judge.Trusts(w) }

// Trust stores a person's yes to a list, for this project and its later runs.
func (i *Instance) Trust(l trust.List) error {
	i.judge.Trust(l)
	return i.changeBook(func(b *trust.Book) { b.Add(i.platform.TrustKey, l) })
}

// Distrust removes everything that was trusted for this project. It reports
// whether there was anything.
func (i *Instance) Distrust() (had bool, err error) {
	err = i.changeBook(func(b *trust.Book) { had = b.Remove(i.platform.TrustKey) })
	return had, err
}

func (i *Instance) changeBook(change func(*trust.Book)) error {
	if i.platform.Trust == nil || i.platform.TrustKey == "" {
		return nil // nowhere to keep it: it holds for this run
	}
	return i.platform.Trust.Change(func(data []byte) ([]byte, error) {
		b, err := trust.ReadBook(data)
		if err != nil {
			return nil, err
		}
		change(&b)
		return b.Bytes()
	})
}

// checkPin holds the list against a digest that a person pinned; then all of
// it is trusted, or nothing runs.
func (i *Instance) checkPin(ctx context.Context) error {
	if i.pinned == "" {
		return nil
	}
	list := i.Widenings(ctx)
	if got := list.Digest(); got != i.pinned {
		return fault.New(fault.Trust, "%s is %s, but the list of what this project's files allow has the digest %s", i.pinnedBy, brief(i.pinned), got).
			Hinting("look at the list with golem check, then update %s", i.pinnedBy)
	}
	i.judge.Trust(list)
	return nil
}

func brief(s string) string {
	if text, _ := approval.Visible(s); len(text) <= 80 {
		return text
	}
	return "another text"
}

// askTrust asks once, before a run begins, for what the entry's closure needs
// and nobody trusted yet. A no, or nobody there, runs untrusted.
func (i *Instance) askTrust(ctx context.Context, entry *project.Worker, r *run.Runner) ([]trace.Body, error) {
	if err := i.checkPin(ctx); err != nil {
		return nil, err
	}
	needed := i.needed(ctx, entry)
	open := i.judge.Untrusted(needed)
	if i.options.Trust {
		return notes("trusted for this run", needed), nil
	}
	if len(open) == 0 {
		return nil, nil
	}
	if i.neverAsk {
		return notes("not trusted", open), nil
	}
	q := question(open, "0", nil, func(req approval.Request) { announce(r.Sink, req) })
	q.Asking = r.Asking
	rec, err := r.Gate.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	answer := run.Answered(q, rec)
	if !rec.Run {
		i.unattended.Store(i.unattended.Load() || rec.Nobody)
		return append(notes("not trusted", open), answer), nil
	}
	out := []trace.Body{answer}
	if err := i.Trust(open); err != nil {
		out = append(out, trace.Warning{Code: fault.Trust, Message: "your yes counts for this run, but could not be saved: " + fault.Of(err, fault.Config).Text()})
	}
	return out, nil
}

// question is a trust question about a list.
func question(l trust.List, call string, path []string, shown func(approval.Request)) approval.Question {
	q := approval.Question{
		Kind: approval.KindTrust, Title: "Trust what this project's files say beyond its own sandbox?",
		Call: call, WorkerPath: path, Shown: shown,
	}
	for _, w := range l {
		value := w.Value
		if w.Module != "" {
			value += " (module sha256:" + w.Module[:min(12, len(w.Module))] + "…)"
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

// trustModel settles, before a model is opened, whether a person trusts what
// the project says of its provider. Workers that the question before the run
// did not cover are asked about now.
func (i *Instance) trustModel(ctx context.Context, w *project.Worker, ask run.Asker) error {
	provider, _, _ := strings.Cut(w.Model, ":")
	return i.trustUse(ctx, w, i.providerWidenings(provider), ask)
}

// trustSettings settles whether a person trusts what the project's files add to
// each request of a worker.
func (i *Instance) trustSettings(ctx context.Context, w *project.Worker, ask run.Asker) error {
	return i.trustUse(ctx, w, i.extras(w), ask)
}

// trustUse settles what a worker is about to use. What the question before the
// run covered is not asked again.
func (i *Instance) trustUse(ctx context.Context, w *project.Worker, list trust.List, ask run.Asker) error {
	open := i.judge.Untrusted(list)
	if len(open) == 0 {
		return nil
	}
	why := "nobody trusted it"
	if !i.neverAsk && !i.asked(w) {
		q := question(open, "", nil, nil)
		q.Settled = func() (bool, bool) { return true, len(i.judge.Untrusted(open)) == 0 }
		rec, err := ask(ctx, q)
		switch {
		case err != nil:
			return err
		case rec.Run:
			return i.Trust(open)
		}
		i.unattended.Store(i.unattended.Load() || rec.Nobody)
		why = rec.Reason
	}
	return i.untrusted(open[0], why)
}

// asked says whether the question before the run covered a worker's provider.
func (i *Instance) asked(w *project.Worker) bool {
	entry, err := i.project.Entry()
	if err != nil {
		return false
	}
	closure, err := i.project.Closure(entry)
	if err != nil {
		return false
	}
	for _, c := range closure {
		if c.ID == w.ID && c.File == w.File {
			return true
		}
	}
	return false
}

// untrusted is the fault of using what nobody trusted.
func (i *Instance) untrusted(w trust.Widening, why string) error {
	file, line := splitAt(w.At)
	return fault.New(fault.Trust, "%s: %s is not used: %s", w.Path, w.Value, why).At(file, line, 0).Hinting("%s", trustHint())
}

// trustHint says how a person says yes here.
func trustHint() string {
	return "if you trust the project's author, say yes when golem asks before a run, or use golem trust or --trust"
}

func splitAt(at string) (file string, line int) {
	file, rest, _ := strings.Cut(at, ":")
	line, _ = strconv.Atoi(rest) // 0 where there is none
	return file, line
}

// granted refuses a tool of a module with hosts that nobody trusted.
func (i *Instance) granted(ctx context.Context, w *project.Worker, t tool.Tool) error {
	spec := t.Spec()
	identified, ok := t.(tool.Identifier)
	if !ok || len(spec.Hosts) == 0 || !w.Sandbox.Network {
		return nil
	}
	digest, _, err := identified.Identity(ctx)
	if err != nil {
		return err
	}
	if g, open := i.untrustedGrant(w, spec, digest); open {
		return i.untrusted(g, "nobody trusted it")
	}
	return nil
}

// untrustedGrant is the first host of a tool's module that no person trusted.
// digest is that of the module.
func (i *Instance) untrustedGrant(w *project.Worker, spec tool.Spec, digest string) (g trust.Widening, open bool) {
	if len(spec.Hosts) == 0 || !w.Sandbox.Network {
		return g, false
	}
	file, _, _ := strings.Cut(spec.Module, "@")
	for _, h := range i.project.Hosts(w) {
		if h.Key != (project.Module{Path: file}).Stem() {
			continue
		}
		if g := asWidening(h, digest, ""); !i.judge.Trusts(g) {
			return g, true
		}
	}
	return g, false
}

// Content returns a digest of the paths and contents of every definition file,
// template, prompt and tool module of the project. golem check prints it, so that
// two versions of a project can be told apart.
func (i *Instance) Content() string {
	names := append(i.project.Opened(), i.project.Texts()...)
	listed, _ := i.project.List()
	for _, l := range listed {
		if w, err := i.project.Worker("./" + l.Path); err == nil {
			found, _ := i.project.Modules(w)
			for _, m := range found {
				names = append(names, m.Path)
			}
		}
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range slices.Compact(names) {
		sum := sha256.New()
		if f, err := i.options.Files.Open(name); err == nil {
			_, err = io.Copy(sum, f)
			f.Close()
			if err == nil {
				fmt.Fprintf(h, "%s %x\n", name, sum.Sum(nil))
			}
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// announce tells a front end of a question before the run began.
func announce(sink trace.Sink, r approval.Request) {
	if data, err := json.Marshal(r); err == nil {
		sink.Emit(trace.Event{ID: "0", Body: trace.Ask{Request: data}})
	}
}

// Untrusted returns the widenings of a list that no person trusted.
func (i *Instance) Untrusted(l trust.List) trust.List { return i.judge.Untrusted(l) }

// AskTrust asks a person to trust a list, outside a run (golem trust). The
// caller stores the yes.
func (i *Instance) AskTrust(ctx context.Context, l trust.List, person approval.Approver) (approval.Record, error) {
	return approval.NewGate(approval.Interactive, person).Ask(ctx, question(l, "", nil, nil))
}
