// Package trust is a person's yes to what a project's files say beyond the
// project's own sandbox (SPEC §3, SECURITY 17). A Widening is one such value; a
// Book keeps what a person said yes to, per widening and project; a Judge
// answers for one open project. Without a yes nothing is trusted.
package trust

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"

	"golem/core/approval"
)

// Widening is one value in a project's files that reaches beyond its sandbox.
// The first four fields are its identity: the line may change, the value may
// not.
type Widening struct {
	File   string `json:"file"` // from the project's root: "main.worker"
	Path   string `json:"path"` // key path: "toolsets.shell.approval.default"
	Value  string `json:"value"`
	Module string `json:"module,omitempty"` // SHA-256 (hex) of the module it concerns

	At    string `json:"at,omitempty"`    // for people: "main.worker:4"
	Means string `json:"means,omitempty"` // what follows from it
}

// Same says whether two widenings are one: everything but place and words.
func (w Widening) Same(o Widening) bool { return w.key() == o.key() }

type key struct{ file, path, value, module string }

func (w Widening) key() key { return key{w.File, w.Path, w.Value, w.Module} }

// List is what a project widens, each value once and in a fixed order.
type List []Widening

// Sorted returns the list in its fixed order, without repetitions.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortStableFunc(out, func(a, b Widening) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Module, b.Module))
	})
	return slices.CompactFunc(out, Widening.Same)
}

// Digest names the list: "sha256:" and the SHA-256 of what identifies its
// widenings. Lines and words do not count. The empty list has a digest too.
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

// Setting is the widening that a preApproved makes.
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

// Judge says what is trusted in one open project: all of it, what was kept, or
// what a person said yes to in this run. It may be used concurrently; the zero
// value trusts nothing.
type Judge struct {
	mu    sync.Mutex
	all   bool
	known map[key]bool
}

// TrustAll makes every widening trusted (--trust).
func (j *Judge) TrustAll() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.all = true
}

// Trust makes the widenings of a list trusted.
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

// Trusts says whether a person trusted a widening.
func (j *Judge) Trusts(w Widening) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.all || j.known[w.key()]
}

// Untrusted returns the widenings of a list that nobody trusted.
func (j *Judge) Untrusted(l List) List {
	return slices.DeleteFunc(slices.Clone(l), j.Trusts)
}
