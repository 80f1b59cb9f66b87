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
	Config *project.Config   // the person's; may be nil
	File   File              // nil: a yes counts for one run only
	Key    string            // the project's name in File; "": as without File
	Trust  bool              // everything is trusted (--trust)
	Digest string            // trusts the list with this digest and no other (GOLEM_TRUST)
	Env    map[string]string // the person's environment variables
	DotEnv map[string]string // the keys in the project's .env
	// Origin says where the project comes from, at the head of each question; it
	// may be nil.
	Origin func() []approval.Line
}

// Consent knows what the files of one open project allow beyond its sandbox, and
// what of that a person trusted. Set Project and Checker before any method
// other than Trusted and Imports; then it is safe for concurrent use.
type Consent struct {
	Project *project.Project
	Checker func() *run.Checker // makes a Checker of the project

	source           Source
	judge            trust.Judge
	neverAsk         bool // the person's config says trust: false
	pinned, pinnedBy string
	refused          sync.Map    // tools of MCP servers that a person refused, by widening: golem does not ask again
	met              sync.Map    // MCP servers that have listed their tools, by widening
	unattended       atomic.Bool // trust was asked for and nobody was there
	stored           trust.List  // what the person trusted in earlier runs
	before           sync.Map    // widenings that the question before the run covered
	changes          changes
	rewritten        rewritten
}

// Read returns a Consent with what a person trusted before: by a flag, in their
// configuration, or by an earlier yes.
func Read(s Source) (*Consent, error) {
	c := &Consent{source: s}
	if err := c.settle(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Consent) settle() error {
	if c.source.Trust {
		c.judge.TrustAll()
		return nil
	}
	all, digest, set := c.source.Config.Trust()
	switch d := c.source.Digest; {
	case d != "": // the environment comes before the configuration
		c.pinned, c.pinnedBy = d, "GOLEM_TRUST"
	case all:
		c.judge.TrustAll()
		return nil
	case digest != "":
		c.pinned, c.pinnedBy = digest, "projects: in your config.yaml"
	case set:
		c.neverAsk = true
		return nil
	}
	book, err := c.book()
	if err != nil {
		return err
	}
	c.stored, c.changes.made = book.Projects[c.source.Key], book.Changes[c.source.Key]
	c.rewritten.files = maps.Clone(book.Rewritten[c.source.Key])
	c.judge.Trust(c.stored)
	return nil
}

func (c *Consent) book() (trust.Book, error) {
	if c.source.File == nil {
		return trust.Book{}, nil
	}
	data, err := c.source.File.Read()
	if err != nil {
		return trust.Book{}, fault.New(fault.Config, "the list of what you trusted cannot be read: %w", err).
			Hinting("make trust.json in GOLEM_HOME readable, or delete it")
	}
	return trust.ReadBook(data)
}

// Trusted reports whether a person trusted a widening of this project.
func (c *Consent) Trusted(w trust.Widening) bool { return c.judge.Trusts(w) }

// Trust stores a person's yes to a list, for this project and its later runs.
func (c *Consent) Trust(l trust.List) error {
	c.judge.Trust(l)
	c.changes.mu.Lock()
	c.changes.any, c.changes.code = false, false // later changes count again
	c.changes.mu.Unlock()
	return c.changeBook(func(b *trust.Book) { b.Add(c.source.Key, l) })
}

// Distrust removes everything that was trusted for this project. It reports
// whether there was anything.
func (c *Consent) Distrust() (had bool, err error) {
	err = c.changeBook(func(b *trust.Book) { had = b.Remove(c.source.Key) })
	return had, err
}

func (c *Consent) changeBook(change func(*trust.Book)) error {
	if c.source.File == nil || c.source.Key == "" {
		return nil // there is no place to store it: it counts for this run only
	}
	return c.source.File.Change(func(data []byte) ([]byte, error) {
		b, err := trust.ReadBook(data)
		if err != nil {
			return nil, err
		}
		change(&b)
		return b.Bytes()
	})
}

// Untrusted returns the widenings of a list that no person trusted.
func (c *Consent) Untrusted(l trust.List) trust.List { return c.judge.Untrusted(l) }

// Imports reports whether a person trusted a setting that adds modules from
// outside the project.
func (c *Consent) Imports(s project.Said) bool { return c.judge.Trusts(asWidening(s, "", "")) }

// Setting reports whether a person trusted a setting that approves calls in
// advance, for approval.Gate.
func (c *Consent) Setting(w approval.Widening) bool { return c.judge.Trusts(c.rule(w)) }

// Unattended reports whether nobody was there when a person had to be asked.
func (c *Consent) Unattended() bool { return c.unattended.Load() }

// Faults returns one warning for each widening that nobody trusted (golem check).
func (c *Consent) Faults(ctx context.Context) fault.List {
	var out fault.List
	for _, w := range c.Untrusted(c.Widenings(ctx)) {
		file, line := project.Place(w.At)
		beyond := "reaches beyond the project's sandbox"
		if lib := c.Project.OfLibrary(w.File); lib != "" {
			beyond = "is set by the library " + lib
		}
		out = append(out, fault.Warn(fault.Trust, "%s: %s %s and has no effect until you trust it: %s", w.Path, w.Value, beyond, w.Means).
			At(file, line, 0).Hinting("%s", trustHint()))
	}
	return out
}

// Ask asks a person to trust a list, outside a run (golem trust). The
// caller stores the yes.
func (c *Consent) Ask(ctx context.Context, l trust.List, person approval.Approver) (approval.Record, error) {
	return approval.NewGate(approval.Interactive, person).Ask(ctx, c.question(l, "", nil, nil))
}
