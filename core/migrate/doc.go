package migrate

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golem/core/project"
	"golem/core/sorting"
	"golem/core/yamltree"
)

// maxFile is the longest file that is changed, in bytes: golem reads no longer
// definition.
const maxFile = 1 << 20

// doc is one file of a pass, with the edits that rules make.
type doc struct {
	m        *pass
	name     string
	data     []byte
	manifest bool
	tree     *yamltree.Node // nil for a template and for malformed YAML
	faulty   bool           // the YAML cannot be read
	end      int            // where the YAML ends
	body     int            // where the text of a template begins; -1: there is none
	starts   []int          // offsets of the lines
	changes  []change
	taken    []edit // the edits of all changes
	notes    []Note
	left     []Note // what stays as it is
	stricter []Note // settings that were changed to ask
}

// edit replaces bytes [from, to) by text.
type edit struct {
	from, to int
	with     string
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
	d := &doc{m: m, name: name, data: data, manifest: name == m.p.Manifest().File, body: -1, end: len(data)}
	d.starts = []int{0}
	for i, b := range data {
		if b == '\n' {
			d.starts = append(d.starts, i+1)
		}
	}
	if !d.manifest && !m.isWorker(name) {
		d.body, d.end = 0, 0
		return d
	}
	front := data
	if path.Ext(name) == ".worker" {
		if head, body, line, ok := project.Split(data); ok {
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
		for _, rule := range rules {
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
	if more(d.rights(), again.rights()) {
		next = d.tightest()
	}
	for _, c := range d.changes {
		d.notes = append(d.notes, Note{d.name, c.at, c.note})
		d.stricter = append(d.stricter, c.tighter...)
	}
	return next, true
}

// tightest applies the changes one by one and leaves out those that would give
// the file more rights: a person has to make these.
func (d *doc) tightest() []byte {
	var kept []change
	for _, c := range d.changes {
		with := append(slices.Clone(kept), c)
		if again := d.reopened(d.apply(with)); again == nil || again.faulty || more(d.rights(), again.rights()) {
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

// offset returns the byte offset of a position; -1 if it is not in the file.
func (d *doc) offset(at yamltree.Pos) int {
	if at.File != d.name || at.Line < 1 || at.Line > len(d.starts) || at.Column < 1 {
		return -1
	}
	i := d.starts[at.Line-1]
	if at.Line == 1 && bytes.HasPrefix(d.data, []byte("\ufeff")) {
		i += len("\ufeff")
	}
	for range at.Column - 1 {
		if i >= len(d.data) {
			return -1
		}
		_, size := utf8.DecodeRune(d.data[i:])
		i += size
	}
	return i
}

// span returns the byte range of a key or of a value on one line; ok is false if the
// text there is not written plainly or in simple quotes.
func (d *doc) span(at yamltree.Pos, text string) (from, to int, ok bool) {
	from = d.offset(at)
	if from < 0 || text == "" || strings.Contains(text, "\n") {
		return 0, 0, false
	}
	rest := string(d.data[from:min(d.end, from+len(text)+2)])
	for _, quote := range []string{"", `"`, "'"} {
		if strings.HasPrefix(rest, quote+text+quote) && (quote == "" || !strings.Contains(text, quote)) && (quote != `"` || !strings.Contains(text, `\`)) {
			to = from + len(text) + 2*len(quote)
			if to == len(d.data) || strings.IndexByte(" \t\r\n,]}:", d.data[to]) >= 0 {
				return from, to, true
			}
		}
	}
	return 0, 0, false
}

// lineOf returns a line without its line end.
func (d *doc) lineOf(line int) string {
	end := d.end
	if line < len(d.starts) {
		end = d.starts[line]
	}
	return strings.TrimRight(string(d.data[d.starts[line-1]:max(end, d.starts[line-1])]), "\r\n")
}

// newline returns the line end that the file uses.
func (d *doc) newline() string {
	if i := bytes.IndexByte(d.data, '\n'); i > 0 && d.data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lines returns the lines of a key in block style with its value: first is the line of
// the key, beyond the one after the last, indent the number of spaces before the key.
// ok is false for a key in braces or after a dash.
func (d *doc) lines(f yamltree.Field) (first, beyond, indent int, ok bool) {
	first = f.Pos.Line
	start := d.offset(f.Pos)
	if start < 0 {
		return
	}
	before := string(d.data[d.starts[first-1]:start])
	if strings.Trim(before, " ") != "" {
		return
	}
	indent, beyond = len(before), first+1
	for line := first + 1; line <= len(d.starts) && d.starts[line-1] < d.end; line++ {
		text := d.lineOf(line)
		trimmed := strings.TrimLeft(text, " ")
		here := len(text) - len(trimmed)
		item := here == indent && f.Value.Kind == yamltree.List && strings.HasPrefix(trimmed, "-")
		switch {
		case trimmed == "" || here <= indent && trimmed[0] == '#':
			continue
		case here <= indent && !item:
			return first, beyond, indent, lastLine(f.Value) < beyond
		}
		beyond = line + 1
	}
	return first, beyond, indent, lastLine(f.Value) < beyond
}

// lastLine returns the last line on which a value of a tree begins.
func lastLine(n *yamltree.Node) int {
	last := n.Line
	for _, f := range n.Fields {
		last = max(last, f.Pos.Line, lastLine(f.Value))
	}
	for _, item := range n.Items {
		last = max(last, lastLine(item))
	}
	return last
}

// bytesOf returns the edit that replaces the lines [first, beyond).
func (d *doc) bytesOf(first, beyond int, with string) edit {
	to := d.end
	if beyond <= len(d.starts) {
		to = min(d.end, d.starts[beyond-1])
	}
	return edit{d.starts[first-1], to, with}
}

// shifted returns the lines [first, beyond), each with more (or, if by is negative,
// fewer) spaces before it; "" and false if a line does not have so many.
func (d *doc) shifted(first, beyond, by int) (string, bool) {
	var b strings.Builder
	for line := first; line < beyond; line++ {
		text := d.lineOf(line)
		switch {
		case strings.TrimSpace(text) == "":
		case by >= 0:
			text = strings.Repeat(" ", by) + text
		case strings.HasPrefix(text, strings.Repeat(" ", -by)):
			text = text[-by:]
		case strings.HasPrefix(strings.TrimLeft(text, " "), "#"):
			text = strings.TrimLeft(text, " ")
		default:
			return "", false
		}
		b.WriteString(text + d.newline())
	}
	return b.String(), true
}

// remove deletes a key with its value.
func (d *doc) remove(f yamltree.Field, note string) {
	if first, beyond, _, ok := d.lines(f); ok {
		d.change(f.Pos, note, d.bytesOf(first, beyond, ""))
	}
}

// rename gives a key another name.
func (d *doc) rename(f yamltree.Field, name, note string) bool {
	from, to, ok := d.span(f.Pos, f.Name)
	return ok && d.change(f.Pos, note, edit{from, to, name})
}

// replace gives a value of one line another text.
func (d *doc) replace(n *yamltree.Node, with, note string) bool {
	from, to, ok := d.span(n.Pos, n.Text)
	return ok && d.change(n.Pos, note, edit{from, to, with})
}

// block reports whether each member of a mapping or list has a line of its own.
func (d *doc) block(n *yamltree.Node) bool {
	for _, f := range n.Fields {
		if _, _, _, ok := d.lines(f); !ok {
			return false
		}
	}
	for _, item := range n.Items {
		if item.Kind != yamltree.Scalar || item.Line < 1 || !strings.HasPrefix(strings.TrimLeft(d.lineOf(item.Line), " "), "- ") {
			return false
		}
	}
	return len(n.Fields)+len(n.Items) > 0
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
