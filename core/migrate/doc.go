package migrate

import (
	"cmp"
	"io"
	"io/fs"
	"path"
	"slices"

	"golem/core/config"
	"golem/core/sorting"
	"golem/core/yamltree"
)

// maxFile is the longest file that is changed, in bytes: golem reads no longer
// definition.
const maxFile = 1 << 20

// doc is one file of a pass, with the edits that rules make.
type doc struct {
	written
	m        *pass
	manifest bool
	tests    bool           // a file of tests
	tree     *yamltree.Node // nil for a template and for malformed YAML
	faulty   bool           // the YAML cannot be read
	body     int            // where the text of a template begins; -1: there is none
	changes  []change
	taken    []edit // the edits of all changes
	notes    []Note
	left     []Note // what stays as it is
	stricter []Note // settings that were changed to ask
}

// change is a group of edits: all of them are made, or none.
type change struct {
	at      int // the line that it is about
	note    string
	edits   []edit
	tighter []Note // the settings that now ask
}

// open reads a file; nil if it cannot be read as text.
func (m *pass) open(name string) *doc {
	data, err := readFile(m.files, name)
	if err != nil || len(data) > maxFile || yamltree.CheckText(name, data) != nil {
		return nil
	}
	d := &doc{written: writtenOf(name, data), m: m, manifest: name == m.p.Manifest.File, body: -1}
	d.tests = !d.manifest && m.isTests(name)
	if !d.manifest && !d.tests && !m.isWorker(name) {
		d.body, d.end = 0, 0
		return d
	}
	front := data
	if path.Ext(name) == ".worker" {
		if head, body, line, ok := config.Split(data); ok {
			front, d.body = head, len(data)-len(body)
			d.end = d.starts[line-2]
		}
	}
	tree, faults := yamltree.Parse(name, front)
	d.faulty = len(faults) > 0
	if tree != nil && tree.Kind == yamltree.Mapping {
		d.tree = tree
	}
	return d
}

// fixed applies the rules. ok is false if the result could not be read any
// more; then nothing is changed in the file.
func (d *doc) fixed() (next []byte, ok bool) {
	if d.faulty {
		return d.repaired(), true
	}
	if d.tree != nil {
		for _, rule := range d.rules() {
			rule(d)
		}
	}
	if len(d.changes) == 0 && d.body >= 0 {
		d.dialect()
	}
	if len(d.changes) == 0 {
		return d.data, true
	}
	next = d.apply(d.changes)
	again := d.reopened(next)
	if again == nil || again.faulty || again.body < 0 != (d.body < 0) {
		return nil, false
	}
	if hasMore(d.rights(), again.rights()) {
		next = d.tightest()
	}
	for _, c := range d.changes {
		d.notes = append(d.notes, Note{d.name, c.at, c.note})
		d.stricter = append(d.stricter, c.tighter...)
	}
	return next, true
}

// rules returns the rules for this kind of file.
func (d *doc) rules() []func(*doc) {
	if d.tests {
		return []func(*doc){testsKey}
	}
	return rules
}

// tightest applies the changes one by one and leaves out those that would give
// the file more rights: a person has to make these.
func (d *doc) tightest() []byte {
	var kept []change
	for _, c := range d.changes {
		with := append(slices.Clone(kept), c)
		if again := d.reopened(d.apply(with)); again == nil || again.faulty || hasMore(d.rights(), again.rights()) {
			d.left = append(d.left, Note{d.name, c.at, c.note + " (not changed, since it would allow more than now: decide yourself)"})
			continue
		}
		kept = with
	}
	d.changes = kept
	return d.apply(kept)
}

// reopened returns the file with other content; nil if that cannot be read.
func (d *doc) reopened(data []byte) *doc {
	m := *d.m
	m.files = &overlay{FS: d.m.src.Files, files: map[string][]byte{d.name: data}}
	return m.open(d.name)
}

func readFile(fsys fs.FS, name string) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxFile+1))
}

func (d *doc) apply(changes []change) []byte {
	var edits []edit
	for _, c := range changes {
		edits = append(edits, c.edits...)
	}
	sorting.By(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, d.data[at:e.from]...), e.with...)
		at = e.to
	}
	return append(out, d.data[at:]...)
}

// change records a group of edits and returns true. It records none of them if one
// meets an edit that was recorded before; a later pass tries again.
func (d *doc) change(at yamltree.Pos, note string, edits ...edit) bool {
	for _, e := range edits {
		if e.from < 0 || e.to > d.end && d.tree != nil || e.from > e.to {
			return false
		}
		for _, other := range d.taken {
			if e.from <= other.to && other.from <= e.to {
				return false
			}
		}
	}
	d.taken = append(d.taken, edits...)
	d.changes = append(d.changes, change{at: at.Line, note: note, edits: edits})
	return true
}

// leave adds a note about what a person has to decide.
func (d *doc) leave(at yamltree.Pos, text string) {
	d.left = append(d.left, Note{d.name, at.Line, text})
}

// remove deletes a key with its value.
func (d *doc) remove(f yamltree.Field, note string) {
	if first, beyond, _, ok := d.lines(f); ok {
		d.change(f.Pos, note, d.bytesOf(first, beyond, ""))
	}
}

// rename gives a key another name.
func (d *doc) rename(f yamltree.Field, name, note string) {
	if from, to, ok := d.span(f.Pos, f.Name); ok {
		d.change(f.Pos, note, edit{from, to, name})
	}
}

// replace gives a value of one line another text.
func (d *doc) replace(n *yamltree.Node, with, note string) {
	if from, to, ok := d.span(n.Pos, n.Text); ok {
		d.change(n.Pos, note, edit{from, to, with})
	}
}

func field(n *yamltree.Node, name string) (yamltree.Field, bool) {
	if n != nil {
		for _, f := range n.Fields {
			if f.Name == name {
				return f, true
			}
		}
	}
	return yamltree.Field{}, false
}
