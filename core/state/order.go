package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"time"

	"golem/core/sandbox"
)

// orderFormat is the format of a sealed list of names.
var orderFormat = Format{Kind: "order", Version: 1}

// maxOrder is the most names that an order keeps, and the size limit of its file.
const (
	maxOrder     = 2_000
	maxOrderFile = 1 << 20
)

// orderWait is how long Last waits for another process that changes the same order.
const orderWait = 2 * time.Second

const orderDir = "order"

func orderFile(kind string) string { return path.Join(orderDir, kind+".json") }

// order is the content of an order's file.
type order struct {
	Root   string   `json:"root"`             // Store.Project when it was written
	Former []string `json:"former,omitempty"` // places of the project before it was moved
	Names  []string `json:"names"`
	// Notes has what Written.Note said, by name.
	Notes map[string]json.RawMessage `json:"notes,omitempty"`

	genuine bool
}

// maxFormer is the most former places that an order keeps.
const maxFormer = 8

// readOrder reads an order; it is empty if there is none. Of one that golem did not write
// here the places are hints, and the names count for nothing.
func (s *Store) readOrder(kind string) (o order) {
	file, err := sandbox.ReadFile(s.Files, orderFile(kind), maxOrderFile)
	if err != nil {
		return order{}
	}
	body, err := s.Unseal(orderFormat, orderFile(kind), file)
	if json.Unmarshal(body, &o) != nil {
		return order{}
	}
	if o.genuine = err == nil; !o.genuine {
		o.Names, o.Notes = nil, nil
	}
	o.Former = o.Former[:min(len(o.Former), maxFormer)]
	return o
}

// Order returns the names of a kind of files that golem wrote on this machine in this
// project, the one that was written last at the end. Times of files say nothing about
// that: a clone, a copy and a clock set them. The list is empty if there is none that
// golem wrote here, and nil if the Store keeps nothing.
func (s *Store) Order(kind string) []string {
	if !s.Kept() {
		return nil
	}
	return append([]string{}, s.readOrder(kind).Names...)
}

// Notes returns what was noted of the names that Order returns: Written.Note, by name.
func (s *Store) Notes(kind string) map[string]json.RawMessage {
	if !s.Kept() {
		return nil
	}
	return s.readOrder(kind).Notes
}

// Written is a file that was written now.
type Written struct {
	Name string
	// Note is a short JSON value that Notes returns, so that nobody needs to open the file for
	// it; nil: what was noted before stays.
	Note json.RawMessage
}

// Last makes a file the last one in the order of its kind. there returns the names of the files
// that exist: Last calls it once, while no other golem changes the order, and removes all others
// from the order. None is removed if there is nil or returns nil. Without a key Last does nothing.
func (s *Store) Last(kind string, w Written, there func() map[string]bool) error {
	if !s.Kept() {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), orderWait)
	defer stop()
	release, err := s.Hold(ctx, "order-"+kind)
	if err != nil {
		return err
	}
	defer release()
	o := s.readOrder(kind)
	if !o.genuine && o.Root != "" && o.Root != s.Project {
		o.Former = append([]string{o.Root}, o.Former...)
		o.Former = o.Former[:min(len(o.Former), maxFormer)]
	}
	var names map[string]bool
	if there != nil {
		names = there()
	}
	o.add(w, names)
	o.Root = s.Project
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	file, err := s.Seal(orderFormat, orderFile(kind), body)
	if err != nil {
		return err
	}
	if err := s.Files.Mkdir(orderDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return s.Files.WriteFile(orderFile(kind), file)
}

// add makes a file the last one, and removes those that are not in there, unless it is nil, or too many.
func (o *order) add(w Written, there map[string]bool) {
	names := slices.DeleteFunc(o.Names, func(n string) bool { return n == w.Name || there != nil && !there[n] })
	names = append(names, w.Name)
	o.Names = names[max(len(names)-maxOrder, 0):]
	notes := map[string]json.RawMessage{}
	for _, n := range o.Names {
		if note := o.Notes[n]; note != nil {
			notes[n] = note
		}
	}
	if w.Note != nil {
		notes[w.Name] = w.Note
	}
	o.Notes = notes
}

// maxBlank is the size of a file up to which Blank looks at it.
const maxBlank = 4 << 10

// Blank reports whether a log has no complete line after its first one, as if the golem
// that began it was killed at once. Such a file contains nothing of anybody. Another
// file is not blank, however it is damaged.
func (s *Store) Blank(name string) bool {
	if s.Files == nil {
		return false
	}
	data, err := sandbox.ReadFile(s.Files, name, maxBlank)
	if err != nil { // it is larger, or cannot be read
		return false
	}
	first, rest, whole := bytes.Cut(data, []byte{'\n'})
	if whole {
		_, _, ok := parseLine(first)
		return ok && beginsLine(rest) && !bytes.ContainsRune(rest, '\n')
	}
	return beginsLine(first)
}

// beginsLine reports whether a text may be a line of a log that was cut off.
func beginsLine(text []byte) bool {
	n := min(len(text), len(macOpen))
	return string(text[:n]) == macOpen[:n]
}

// Began reports whether golem began a log on this machine in this project under this
// name. It reads only the first line.
func (s *Store) Began(f Format, name string) bool {
	if !s.Kept() {
		return false
	}
	file, err := s.Files.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 1<<10)
	n, _ := file.Read(head) // a short read is one of a file that did not begin here
	end := slices.Index(head[:n], '\n')
	if end < 0 {
		return false
	}
	got, payload, ok := parseLine(head[:end])
	var o opening
	if !ok || json.Unmarshal(payload, &o) != nil || o.Golem != f.Kind || o.V < 1 || o.V > f.Version {
		return false
	}
	r := &Record{}
	s.check(r, Format{f.Kind, o.V}, name, got, payload, ok)
	return r.Err == nil
}
