package trust

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"golem/core/fault"
)

// Book is the record of what a person has trusted, per project. It is the content of
// $GOLEM_HOME/trust.json, or of the page's storage. The key of a project is its real
// root directory; in the page it is "/" and the project's name in this browser.
type Book struct {
	Projects map[string]List
	// Changes counts, by project, how often workers changed files of it after a person
	// had trusted a program that may run any file there.
	Changes map[string]Changes
	// Rewritten are the files that define a project and that commands of its workers have
	// changed, by project and name, each with the SHA-256 of what they wrote.
	Rewritten map[string]map[string]string
}

// Changes has two counters: of changes of any file, and of files that may be code.
type Changes struct {
	Any  int `json:"any,omitempty"`
	Code int `json:"code,omitempty"`
}

// bookFile is the JSON format of a book.
type bookFile struct {
	Golem    string          `json:"golem"` // "trust"
	V        int             `json:"v"`
	Projects map[string]List `json:"projects"`
	// older versions of golem do not know it, and ask again
	Changes   map[string]Changes           `json:"changes,omitempty"`
	Rewritten map[string]map[string]string `json:"rewritten,omitempty"`
}

// maxBook is the largest size of a book, in bytes.
const maxBook = 4 << 20

// ReadBook reads a book from a file's bytes; empty data gives an empty book. If
// the data cannot be read, ReadBook returns an error: the caller must then
// trust nothing and must not overwrite the file.
func ReadBook(data []byte) (Book, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Book{}, nil
	}
	var f bookFile
	if len(data) > maxBook || json.Unmarshal(data, &f) != nil || f.Golem != "trust" || f.V < 1 {
		return Book{}, fault.New(fault.Config, "trust.json cannot be read: golem did not write it, or it is damaged").
			Hinting("delete trust.json in GOLEM_HOME; golem then asks again")
	}
	if f.V > 1 {
		return Book{}, fault.New(fault.Config, "trust.json was written by a newer version of golem (format %d)", f.V).
			Hinting("update golem")
	}
	return Book{f.Projects, f.Changes, f.Rewritten}, nil
}

// Bytes returns the book in the form that ReadBook reads. It returns E_LIMIT if ReadBook
// would refuse it.
func (b Book) Bytes() ([]byte, error) {
	f := bookFile{Golem: "trust", V: 1, Projects: b.Projects, Changes: b.Changes, Rewritten: b.Rewritten}
	if f.Projects == nil {
		f.Projects = map[string]List{}
	}
	data, err := json.MarshalIndent(f, "", "  ")
	if err == nil && len(data) >= maxBook {
		err = fault.New(fault.Limit, "trust.json would have more than %d bytes", maxBook).Hinting("golem trust --remove in projects that you no longer use")
	}
	return append(data, '\n'), err
}

// Add records that a person trusts the widenings of a list, in addition to
// those already recorded for the project.
func (b *Book) Add(project string, l List) {
	all := maps.Clone(b.Projects)
	if all == nil {
		all = map[string]List{}
	}
	older := slices.DeleteFunc(slices.Clone(all[project]), func(w Widening) bool {
		return slices.ContainsFunc(l, func(now Widening) bool { // the yes to its files is replaced
			return w.Started != now.Started && w.key() == key{now.File, now.Path, now.Value, now.Module, w.Started}
		})
	})
	kept := List{}
	for _, w := range slices.Concat(older, l) {
		w.At, w.Means, w.Danger = "", "", Other // places and words change
		kept = append(kept, w)
	}
	all[project] = kept.Sorted()
	b.Projects = all
}

// Changed records how often workers changed files of a project. Counters never get smaller.
func (b *Book) Changed(project string, c Changes) {
	all := maps.Clone(b.Changes)
	if all == nil {
		all = map[string]Changes{}
	}
	all[project] = Changes{max(c.Any, all[project].Any), max(c.Code, all[project].Code)}
	b.Changes = all
}

// Rewrote records files that commands have changed, in addition to earlier ones.
func (b *Book) Rewrote(project string, files map[string]string) {
	all := maps.Clone(b.Rewritten)
	if all == nil {
		all = map[string]map[string]string{}
	}
	now := maps.Clone(all[project])
	if now == nil {
		now = map[string]string{}
	}
	maps.Copy(now, files)
	all[project] = now
	b.Rewritten = all
}

// Remove deletes everything recorded for a project. It reports whether there
// was anything.
func (b *Book) Remove(project string) bool {
	_, had := b.Projects[project]
	all := maps.Clone(b.Projects)
	delete(all, project)
	b.Projects = all
	return had
}
