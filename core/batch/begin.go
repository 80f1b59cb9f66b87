package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"golem/core/fault"
)

// The files of the outputs, and the one of the batch that has its packed project.
const (
	ResultsFile = "results.jsonl"
	SummaryFile = "summary.json"
	PackFile    = "pack.golem"
)

// Beginning says what a batch is brought to before it runs.
type Beginning struct {
	Source Source // nil: the items are those that the batch has
	Pack   []byte // the packed project; nil: the batch has it
	Again  bool   // items that failed and, unless Failed is set, that were cancelled are run again
	Failed bool
}

// Begin brings the files of an open batch to what b says, and opens what is parked. It returns
// what the inputs changed, and how many items are run again.
func Begin(l *Local, b Beginning) (c Changes, again int, err error) {
	if err := l.resumed(); err != nil {
		return c, 0, err
	}
	if b.Source != nil {
		if c, err = l.Update(b.Source); err != nil {
			return c, 0, err
		}
	}
	if b.Pack != nil {
		if _, err := fs.Stat(l.store.Files, PackFile); errors.Is(err, fs.ErrNotExist) {
			if err := l.store.Files.WriteFile(PackFile, b.Pack); err != nil {
				return c, 0, err
			}
		}
	}
	if b.Again {
		if again, err = l.Again(b.Failed); err != nil {
			return c, again, err
		}
	}
	l.Reconsider()
	return c, again, nil
}

// Text returns for people what a batch begins with.
func (c Changes) Text(l *Local) string {
	n := l.Counts()
	line := fmt.Sprintf("batch %s: %s", l.Head.Name, fault.Count(n.Total, "item"))
	if c.Known > 0 {
		line += fmt.Sprintf(", of which %d are done", n.Done())
		if c.Added > 0 {
			line += fmt.Sprintf(" and %d are new", c.Added)
		}
	}
	if c.Removed > 0 {
		line += fmt.Sprintf("; %s of earlier inputs are not among them any more and stay as they are", fault.Count(c.Removed, "item"))
	}
	return line
}

// WriteResults writes the result of each item as one line of JSON, in the order of the inputs.
func WriteResults(w io.Writer, l *Local) error {
	return l.Results(func(r Result) error {
		line, err := json.Marshal(r)
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		return err
	})
}

// Pack returns the packed project that the batch has, or E_NOT_FOUND.
func (l *Local) Pack() ([]byte, error) {
	data, err := fs.ReadFile(l.store.Files, PackFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.NotFound, "golem ended before it kept the packed project of the batch %s", l.Head.Name).Hinting("run the command that began it")
	}
	return data, err
}
