package workspace

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"golem/core/builtin"
	"golem/core/fault"
	"golem/core/sandbox"
)

// Template is a project that Init can create.
type Template struct {
	Name  string `json:"name"`
	About string `json:"about"` // one line
	Input string `json:"input"` // a first task, which the template's script can answer
}

// templates are in the order in which they are offered; the first is the default.
var templates = []Template{
	{"minimal", "one worker that reads input/ and writes output/", "What is in input?"},
	{"pipeline", "a worker that leads three others, one after another", "Owls hunt at night."},
	{"research-agent", "answers a question from documents and writes a report", "What do owls eat?"},
}

// empty are the directories that every template has, with or without files.
var empty = []string{"input", "output"}

// Templates lists the projects that Init can create.
func Templates() []Template { return slices.Clone(templates) }

// Init creates a project in a directory of dst ("." is the root of dst). It creates
// the directory and its parents if necessary. If the directory is not empty, Init
// returns E_CONFLICT and writes nothing. main.worker is written last; if a write
// fails, Init removes what it has written. The template "" means the first one. An Init
// that was killed is finished by the next one of the same template; of two at once with
// different templates at most one writes.
func Init(dst afero.Fs, dir, template string) error {
	t, err := templateOf(template)
	if err != nil {
		return err
	}
	if err := sandbox.ValidNew(dir); err != nil {
		return err
	}
	if err := isEmpty(dst, dir, t.Name); err != nil {
		return err
	}
	nodes, err := projectOf(t, dir)
	if err != nil {
		return err
	}
	c, err := claimDir(dst, dir, t.Name)
	if err != nil {
		return err
	}
	left, err := c.missing(nodes)
	if err == nil {
		err = write(dst, left)
	}
	if err != nil {
		c.release()
		return err
	}
	c.end()
	return nil
}

func templateOf(name string) (Template, error) {
	names := make([]string, len(templates))
	for i, t := range templates {
		if names[i] = t.Name; t.Name == name || name == "" {
			return t, nil
		}
	}
	return Template{}, fault.New(fault.Usage, "there is no template %s", fault.Quoted(name)).Hinting("use one of %s", strings.Join(names, ", "))
}

// isEmpty returns an error unless a directory is empty or does not exist, or has a part of
// the template that a killed Init wrote.
func isEmpty(dst afero.Fs, dir, template string) error {
	info, err := dst.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fault.New(fault.Path, "%s cannot be created: %w", safeName(dir), reason(err))
	case !info.IsDir():
		return fault.New(fault.Conflict, "%s is a file", safeName(dir)).Hinting("nothing was written; choose a new directory")
	}
	entries, err := afero.ReadDir(dst, dir)
	if err != nil {
		return fault.New(fault.Path, "%s cannot be read: %w", safeName(dir), reason(err))
	}
	switch other := claimOf(dst, dir); {
	case other == template || len(entries) == 0:
		return nil
	case other == "" && len(entries) == 1 && unclaimed(dst, dir):
		return nil
	case other != "":
		return begun(other)
	}
	return occupied(entries[0].Name())
}

// projectOf returns the files and directories of a template's project, main.worker
// last.
func projectOf(t Template, dir string) ([]node, error) {
	var nodes []node
	for _, name := range empty {
		nodes = append(nodes, node{name: path.Join(dir, name), dir: true})
	}
	var main node
	err := fs.WalkDir(builtin.Projects(), t.Name, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(builtin.Projects(), name)
		n := node{name: path.Join(dir, strings.TrimPrefix(name, t.Name+"/")), data: data}
		if path.Base(name) == "main.worker" {
			main = n
		} else {
			nodes = append(nodes, n)
		}
		return err
	})
	return append(nodes, main), err
}
