// Package trust records which settings of a project a person agreed to, where
// these settings reach beyond the project's own sandbox (SPEC §3, SECURITY 17).
// A Widening is one such setting. A Book stores what a person agreed to, per
// project. A Judge answers whether a widening of one open project is trusted.
// Without a person's yes, nothing is trusted.
package trust

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"golem/core/approval"
	"golem/core/sorting"
)

// Widening is one setting in a project's files that reaches beyond the
// project's sandbox. Its first five fields identify it: a yes still counts when
// the line changes, but not when the value changes.
type Widening struct {
	File   string `json:"file"` // from the project's root: "main.worker"
	Path   string `json:"path"` // key path: "toolsets.shell.approval.default"
	Value  string `json:"value"`
	Module string `json:"module,omitempty"` // SHA-256 (hex) of the module it concerns
	// Started has a line for each file of the project that it starts: a digest and a name,
	// as in started.Tree.Digest.
	Started string `json:"started,omitempty"`

	At    string `json:"at,omitempty"`    // for people: "main.worker:4"
	Means string `json:"means,omitempty"` // what follows from it
	// Danger says what a yes gives away; it is only for the order of a question.
	Danger Danger `json:"-"`
}

// Key returns a text that is the same for two widenings if Same is true for them.
func (w Widening) Key() string {
	text, _ := json.Marshal([]string{w.File, w.Path, w.Value, w.Module, w.Started}) // strings encode
	return string(text)
}

// Files returns a text with the digests of the files that the widening starts, "" for none.
func (w Widening) Files() string {
	if w.Started == "" {
		return ""
	}
	return " (starts " + strings.ReplaceAll(w.Started, "\n", "; ") + ")"
}

// Same reports whether two widenings are the same setting with the same value;
// the line and the descriptions may differ.
func (w Widening) Same(o Widening) bool { return w.key() == o.key() }

// As returns the widening with a danger.
func (w Widening) As(d Danger) Widening {
	w.Danger = d
	return w
}

type key struct{ file, path, value, module, started string }

func (w Widening) key() key { return key{w.File, w.Path, w.Value, w.Module, w.Started} }

// List is a list of widenings of one project. Sorted brings it into a fixed order.
type List []Widening

// Sorted returns the list in the fixed order, without duplicates.
func (l List) Sorted() List {
	out := slices.Clone(l)
	sorting.By(out, func(a, b Widening) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Module, b.Module), cmp.Compare(a.Started, b.Started))
	})
	return slices.CompactFunc(out, Widening.Same)
}

// Digest returns "sha256:" and the SHA-256 of the widenings' identifying
// fields. Lines and descriptions do not change it. An empty list also has a
// digest.
func (l List) Digest() string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, w := range l.Sorted() {
		w.At, w.Means = "", ""
		if err := enc.Encode(w); err != nil { // unreachable: strings encode
			return ""
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Setting returns the widening for a preApproved setting that the approval
// package reports.
func Setting(w approval.Widening) Widening {
	out := Widening{File: w.Origin.File, Path: w.Origin.Path, At: w.Origin.At, Value: string(w.Setting), Module: w.Module}
	if w.Rule != nil {
		rule := *w.Rule
		if raw, err := json.Marshal(rule); err == nil {
			out.Value = string(raw)
		}
	}
	return out
}

// Judge decides which widenings of one open project are trusted: all of them
// (--trust), those in the Book, or those that a person agreed to during this
// run. It is safe for concurrent use. The zero value trusts nothing.
type Judge struct {
	mu    sync.Mutex
	all   bool
	known map[key]bool
}

// TrustAll trusts every widening from now on (--trust).
func (j *Judge) TrustAll() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.all = true
}

// Trust trusts the widenings of a list from now on.
func (j *Judge) Trust(l List) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.known == nil {
		j.known = map[key]bool{}
	}
	for _, w := range l {
		j.known[w.key()] = true
	}
}

// Trusts reports whether a widening is trusted.
func (j *Judge) Trusts(w Widening) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.all || j.known[w.key()]
}

// Any reports whether match returns true for a widening that was given to Trust.
// TrustAll does not count.
func (j *Judge) Any(match func(Widening) bool) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for k := range j.known {
		if match(Widening{File: k.file, Path: k.path, Value: k.value, Module: k.module, Started: k.started}) {
			return true
		}
	}
	return false
}

// Untrusted returns the widenings of a list that are not trusted.
func (j *Judge) Untrusted(l List) List {
	return slices.DeleteFunc(slices.Clone(l), j.Trusts)
}
