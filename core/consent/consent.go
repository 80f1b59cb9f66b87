// Package consent lists what the files of a project allow beyond the project's
// sandbox, and asks a person whether to trust it: before a run, and when a
// worker is about to use it (SPEC §3, SECURITY 17). Package trust has the list
// and the stored answers as values.
package consent

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/trust"
)

// File stores what a person trusted, outside every project: natively in
// $GOLEM_HOME/trust.json, in the page in a file that belongs to golem.
type File interface {
	Read() ([]byte, error) // returns nothing if there is no file yet
	// Change replaces the content of the file by the result of change. It locks
	// the file, and writes all of it or nothing.
	Change(change func([]byte) ([]byte, error)) error
}

// Source is where a person's consent to one project comes from.
type Source struct {
	Config *config.Person    // the person's; may be nil
	File   File              // nil: a yes counts for one run only
	Key    string            // the project's name in File; "": as without File
	Trust  bool              // everything is trusted (--trust)
	Digest string            // trusts the list with this digest and no other (GOLEM_TRUST)
	Env    map[string]string // the person's environment variables
	DotEnv map[string]string // the keys in the project's .env
	// Origin says where the project comes from, at the head of each question; it
	// may be nil.
	Origin []approval.Line
}

// Answers is what a person trusted of one project before: by a flag, in their
// configuration, or by an earlier yes. It is safe for concurrent use.
type Answers struct {
	source           Source
	judge            trust.Judge
	neverAsk         bool   // the person's config says trust: false
	pinned, pinnedBy string // the digest of the only list that is trusted, and who says so
	stored           trust.List
	counted          trust.Changes     // of workers in earlier runs
	rewritten        map[string]string // see Changes
}

// ReadAnswers returns what a person trusted of a project before.
func ReadAnswers(s Source) (*Answers, error) {
	a := &Answers{source: s}
	if s.Trust {
		a.judge.TrustAll()
		return a, nil
	}
	all, digest, set := s.Config.Trust()
	switch {
	case s.Digest != "": // the environment comes before the configuration
		a.pinned, a.pinnedBy = s.Digest, "GOLEM_TRUST"
	case all:
		a.judge.TrustAll()
		return a, nil
	case digest != "":
		a.pinned, a.pinnedBy = digest, "projects: in your config.yaml"
	case set:
		a.neverAsk = true
		return a, nil
	}
	book, err := s.book()
	if err != nil {
		return nil, err
	}
	a.stored, a.counted, a.rewritten = book.Projects[s.Key], book.Changes[s.Key], book.Rewritten[s.Key]
	a.judge.Trust(a.stored)
	return a, nil
}

func (s *Source) book() (trust.Book, error) {
	if s.File == nil {
		return trust.Book{}, nil
	}
	data, err := s.File.Read()
	if err != nil {
		return trust.Book{}, fault.New(fault.Config, "the list of what you trusted cannot be read: %w", err).
			Hinting("make trust.json in GOLEM_HOME readable, or delete it")
	}
	return trust.ReadBook(data)
}

// change changes the stored answers. Without a place to store them, it does nothing.
func (s *Source) change(change func(*trust.Book)) error {
	if s.File == nil || s.Key == "" {
		return nil // an answer counts for this run only
	}
	return s.File.Change(func(data []byte) ([]byte, error) {
		b, err := trust.ReadBook(data)
		if err != nil {
			return nil, err
		}
		change(&b)
		return b.Bytes()
	})
}

// Imports reports whether a person trusted a setting that adds modules from outside the
// project.
func (a *Answers) Imports(s config.Said) bool { return a.judge.Trusts(asWidening(s, "", "")) }

// Consent asks a person what the files of one open project may do beyond its sandbox. It is
// safe for concurrent use.
type Consent struct {
	*Answers
	project    *project.Project
	beyond     beyond
	changes    *Changes
	unattended atomic.Bool // trust was asked for and nobody was there
	before     sync.Map    // widenings that the question before the run covered
	refused    sync.Map    // tools of MCP servers that a person refused, by widening: golem does not ask again
	met        sync.Map    // MCP servers that have listed their tools, by widening
}

var _ run.Trust = (*Consent)(nil)

// Checkers makes a Checker, which knows the tools of a project's workers.
type Checkers interface{ Checker() *run.Checker }

// New returns the Consent to a project. The files that its trusted settings start are
// protected from then on, also if no worker with these settings is loaded.
func New(a *Answers, p *project.Project, with Checkers) *Consent {
	p.Trees.Started(startedFiles(a.stored))
	changes := &Changes{source: &a.source, judge: &a.judge, work: p.Trees.Work(), made: a.counted, files: maps.Clone(a.rewritten)}
	return &Consent{Answers: a, project: p, changes: changes, beyond: beyond{
		project: p, checkers: with, person: a.source.Config, env: a.source.Env, dotEnv: a.source.DotEnv, changes: changes,
	}}
}

// Changes counts what workers change in the project.
func (c *Consent) Changes() *Changes { return c.changes }

// Widenings returns what the files of the whole project allow beyond its sandbox,
// trusted or not: for every worker that can be loaded, every provider and .env. It
// scans the project, uses no model and runs nothing.
func (c *Consent) Widenings(ctx context.Context) trust.List { return c.beyond.all(ctx) }

// Trusted reports whether a person trusted a widening of this project.
func (c *Consent) Trusted(w trust.Widening) bool { return c.judge.Trusts(w) }

// Untrusted returns the widenings of a list that no person trusted.
func (c *Consent) Untrusted(l trust.List) trust.List { return c.judge.Untrusted(l) }

// Trust stores a person's yes to a list, for this project and its later runs.
func (c *Consent) Trust(l trust.List) error {
	c.judge.Trust(l)
	c.changes.answered()
	return c.source.change(func(b *trust.Book) { b.Add(c.source.Key, l) })
}

// Distrust removes everything that was trusted for this project. It reports
// whether there was anything.
func (c *Consent) Distrust() (had bool, err error) {
	err = c.source.change(func(b *trust.Book) { had = b.Remove(c.source.Key) })
	return had, err
}

// Setting reports whether a person trusted a setting that approves calls in
// advance, for approval.Gate.
func (c *Consent) Setting(w approval.Widening) bool { return c.judge.Trusts(c.beyond.rule(w)) }

// Unattended reports whether nobody was there when a person had to be asked.
func (c *Consent) Unattended() bool { return c.unattended.Load() }

// Fault returns a warning about a widening that nobody trusted (golem check).
func (c *Consent) Fault(w trust.Widening) *fault.Fault {
	file, line := config.Place(w.At)
	beyond := "reaches beyond the project's sandbox"
	if lib := c.project.Trees.OfLibrary(w.File); lib != "" {
		beyond = "is set by the library " + lib
	}
	return fault.Warn(fault.Trust, "%s: %s %s and has no effect until you trust it: %s", w.Path, w.Value, beyond, w.Means).
		At(file, line, 0).Hinting(trustHint).InPage("", askedFirst)
}

// Remote returns E_TRUST if the address to which a push to a clearance target sends the branch
// is not trusted. It asks nobody.
func (c *Consent) Remote(target string) error {
	if open := c.judge.Untrusted(c.beyond.remotes(target)); len(open) > 0 {
		return untrusted(open[0], "nobody trusted it")
	}
	return nil
}

// Ask asks a person to trust a list, outside a run (golem trust). The
// caller stores the yes.
func (c *Consent) Ask(ctx context.Context, l trust.List, person approval.Approver) (approval.Record, error) {
	return approval.NewGate(approval.Interactive, person).Ask(ctx, c.question(l))
}
