package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"golem/core/sandbox"
)

// Adoptable is a file of state that golem wrote with this machine's key while the project
// was in another place.
type Adoptable struct {
	Name string // the file's path in .golem
	Kind string // Format.Kind
	Root string // the former Store.Project
}

// Former returns the places in which this state says that its project was. It is a hint
// that anybody can write: only a MAC proves that golem wrote something there.
func (s *Store) Former() []string {
	if s.Files == nil {
		return nil
	}
	entries, err := fs.ReadDir(s.Files, orderDir)
	if err != nil {
		return nil
	}
	var roots []string
	for _, e := range entries {
		if kind, ok := strings.CutSuffix(e.Name(), ".json"); ok {
			o := s.readOrder(kind)
			roots = append(append(roots, o.Root), o.Former...)
		}
	}
	slices.Sort(roots)
	return slices.DeleteFunc(slices.Compact(roots), func(r string) bool { return r == "" || r == s.Project })
}

// Adoptable returns the files of state that are not genuine here, and whose MAC verifies
// under this machine's key for one of the places. It changes nothing.
func (s *Store) Adoptable(places []string) ([]Adoptable, error) {
	if _, err := s.key(); err != nil {
		return nil, err
	}
	var out []Adoptable
	err := fs.WalkDir(s.Files, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (name == "runs" || name == "locks" || name == orderDir):
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		file, err := s.read(name)
		if err != nil {
			return err
		}
		f, ok := formatOf(file)
		if !ok || s.genuine(f, name, file) {
			return nil
		}
		for _, root := range places {
			old := *s
			if old.Project = root; old.genuine(f, name, file) {
				out = append(out, Adoptable{name, f.Kind, root})
				break
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return out, err
}

// Adopt verifies a file once more and seals it for the place in which the project is now.
func (s *Store) Adopt(a Adoptable) error {
	file, err := s.read(a.Name)
	if err != nil {
		return err
	}
	f, ok := formatOf(file)
	old := *s
	if old.Project = a.Root; !ok || f.Kind != a.Kind || !old.genuine(f, a.Name, file) {
		return foreign(Format{Kind: a.Kind}, a.Name)
	}
	var sealed []byte
	if isLog(file) {
		sealed, err = s.chained(f, a.Name, file)
	} else {
		_, body, _ := bytes.Cut(file, []byte{'\n'})
		sealed, err = s.Seal(f, a.Name, body)
	}
	if err != nil {
		return err
	}
	return s.Files.WriteFile(a.Name, sealed)
}

// chained returns a genuine log with MACs for this Store. A torn last line is left out.
func (s *Store) chained(f Format, name string, file []byte) ([]byte, error) {
	var payloads [][]byte
	for line := range bytes.Lines(file[:bytes.LastIndexByte(file, '\n')+1]) {
		_, payload, _ := parseLine(bytes.TrimSuffix(line, []byte{'\n'}))
		payloads = append(payloads, payload)
	}
	return s.sealLines(f, name, payloads)
}

func isLog(file []byte) bool { return bytes.HasPrefix(file, []byte(macOpen)) }

// formatOf returns the format that the first line of a file names; ok is false if the
// file is no state of golem.
func formatOf(file []byte) (f Format, ok bool) {
	first, _, ok := bytes.Cut(file, []byte{'\n'})
	if ok && isLog(file) {
		_, first, ok = parseLine(first)
	}
	var h head
	if !ok || json.Unmarshal(first, &h) != nil || h.Golem == "" || h.V < 1 {
		return f, false
	}
	return Format{h.Golem, h.V}, true
}

// genuine reports whether all of a file was written with this machine's key for this
// Store's place.
func (s *Store) genuine(f Format, name string, file []byte) bool {
	if !isLog(file) {
		_, err := s.Unseal(f, name, file)
		return err == nil
	}
	r := &Record{}
	for line := range bytes.Lines(file[:bytes.LastIndexByte(file, '\n')+1]) {
		got, payload, ok := parseLine(bytes.TrimSuffix(line, []byte{'\n'}))
		s.check(r, f, name, got, payload, ok)
	}
	return r.Err == nil && len(r.last) > 0 && sandbox.Valid(name) == nil
}
