package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"golem/core/approval"
	"golem/core/project"
	"golem/core/trust"
)

// Widenings returns what the files of the whole project allow beyond its
// sandbox, trusted or not: for every worker, every provider and .env. It scans
// the project, uses no model and runs nothing.
func (i *Instance) Widenings(ctx context.Context) trust.List { return i.consent.Widenings(ctx) }

// Trusted reports whether a person trusted a widening of this project.
func (i *Instance) Trusted(w trust.Widening) bool { return i.consent.Trusted(w) }

// Untrusted returns the widenings of a list that no person trusted.
func (i *Instance) Untrusted(l trust.List) trust.List { return i.consent.Untrusted(l) }

// NeedsTrust returns what a person would be asked to trust before a run of a worker, or nil if
// nothing is asked. It returns an error if the list does not have the digest that the person
// pinned.
func (i *Instance) NeedsTrust(ctx context.Context, w *project.Worker) (trust.List, error) {
	return i.consent.Asks(ctx, w)
}

// Trust stores a person's yes to a list, for this project and its later runs.
func (i *Instance) Trust(l trust.List) error { return i.consent.Trust(l) }

// Distrust removes everything that was trusted for this project. It reports
// whether there was anything.
func (i *Instance) Distrust() (had bool, err error) { return i.consent.Distrust() }

// AskTrust asks a person to trust a list, outside a run (golem trust). The
// caller stores the yes.
func (i *Instance) AskTrust(ctx context.Context, l trust.List, person approval.Approver) (approval.Record, error) {
	return i.consent.Ask(ctx, l, person)
}

// Content returns a digest of the paths and contents of every definition file,
// template, prompt and tool module of the project. golem check prints it, so that
// two versions of a project can be told apart.
func (i *Instance) Content() string {
	names := append(i.project.Opened(), i.project.Texts()...)
	for _, w := range i.project.Used() {
		found, _ := i.project.Modules(w)
		for _, m := range found {
			names = append(names, m.Path)
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
