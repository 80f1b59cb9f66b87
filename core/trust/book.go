package trust

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"golem/core/fault"
)

// Book is what a person trusted, by project: the content of
// $GOLEM_HOME/trust.json, or of the page's own. Projects are named by their
// real root, on the page by their name in this browser.
type Book struct {
	Projects map[string]List
}

// file is the format of a book (SPEC §16's habits: a name and a version).
type file struct {
	Golem    string          `json:"golem"` // "trust"
	V        int             `json:"v"`
	Projects map[string]List `json:"projects"`
}

// maxBook bounds a book, in bytes.
const maxBook = 4 << 20

// ReadBook reads a book; nothing is an empty one. A book that cannot be read is
// an error: nothing in it is trusted, and nothing is written over it.
func ReadBook(data []byte) (Book, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Book{}, nil
	}
	var f file
	if len(data) > maxBook || json.Unmarshal(data, &f) != nil || f.Golem != "trust" || f.V < 1 {
		return Book{}, fault.New(fault.Config, "trust.json cannot be read: golem did not write it, or it is damaged").
			Hinting("delete trust.json in GOLEM_HOME; golem then asks again")
	}
	if f.V > 1 {
		return Book{}, fault.New(fault.Config, "trust.json was written by a newer version of golem (format %d)", f.V).
			Hinting("update golem")
	}
	return Book{f.Projects}, nil
}

// Bytes is the book as a file.
func (b Book) Bytes() ([]byte, error) {
	f := file{Golem: "trust", V: 1, Projects: b.Projects}
	if f.Projects == nil {
		f.Projects = map[string]List{}
	}
	data, err := json.MarshalIndent(f, "", "  ")
	return append(data, '\n'), err
}

// Add keeps a yes to a list, beside what was kept before of the project.
func (b *Book) Add(project string, l List) {
	all := maps.Clone(b.Projects)
	if all == nil {
		all = map[string]List{}
	}
	kept := List{}
	for _, w := range slices.Concat(all[project], l) {
		w.At, w.Means = "", "" // places and words change
		kept = append(kept, w)
	}
	all[project] = kept.Sorted()
	b.Projects = all
}

// Remove forgets a project. It returns whether there was something to forget.
func (b *Book) Remove(project string) bool {
	_, had := b.Projects[project]
	all := maps.Clone(b.Projects)
	delete(all, project)
	b.Projects = all
	return had
}
