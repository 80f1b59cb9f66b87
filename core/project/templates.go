package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
)

// defaultTemplates is the directory of a source's templates (S1-08).
const defaultTemplates = "templates"

var templateExtensions = []string{".jinja", ".jinja2", ".j2"}

// Templates finds the texts that the prompts of workers insert.
type Templates struct{ trees *Trees }

// Text returns a file of a worker's loader chain (SPEC §4): the first that exists of
// the templates/ and the directory of a worker in directory form, prompts/, the
// project's templates/, the templates/ of each library, and the built-in templates.
// lib:name names a file of a declared library, builtin:name one of golem's own. For a library's worker, the library
// takes the place of the project. A name without extension also stands for NAME.jinja,
// .jinja2 and .j2. file is the path that faults and the trace show. The error is
// fs.ErrNotExist if there is no such file, and a fault if the name leaves the chain or
// names what no worker may read (SPEC §8).
func (ts *Templates) Text(w *Worker, name string) (file, text string, err error) {
	got := w.loaded
	if got == nil || got.Definition == nil {
		return "", "", fs.ErrNotExist
	}
	dirs, name, f := ts.dirs(got.Definition, name)
	if f != nil {
		return "", "", f
	}
	for _, dir := range dirs {
		for _, ext := range templateNames(name) {
			l := dir.In(path.Join(dir.Name, name+ext))
			if !ts.trees.Exists(l) {
				continue
			}
			_, text, f := ts.trees.ReadText(l)
			if f != nil {
				return "", "", f
			}
			return l.String(), text, nil
		}
	}
	return "", "", fs.ErrNotExist
}

// dirs returns the directories in which golem looks for a template, and its name
// there.
func (ts *Templates) dirs(d *Definition, name string) (dirs []Location, within string, _ *fault.Fault) {
	dirs = ts.chain(d)
	library, rest, ok := strings.Cut(name, ":")
	switch {
	case ok && rest != "" && library+":" == builtin && ts.trees.setup.Builtin != nil:
		name, dirs = rest, []Location{{builtin, defaultTemplates}}
	case ok && rest != "" && config.LibraryNameProblem(library) == "":
		s := ts.trees.reachable(d.Tree, library)
		if s == nil {
			_, f := ts.trees.declared(d.Tree, library, name)
			return nil, "", f
		}
		name, dirs = rest, []Location{{s.Name, defaultTemplates}}
	}
	return dirs, name, templateName(name)
}

// Dirs returns the places in which Text looks for a name, in order, for the
// message that there is no such file. builtin: stands for golem's own templates.
func (ts *Templates) Dirs(w *Worker, name string) []string {
	got := w.loaded
	if got == nil || got.Definition == nil {
		return nil
	}
	dirs, _, f := ts.dirs(got.Definition, name)
	if f != nil {
		return nil
	}
	out := make([]string, len(dirs))
	for i, dir := range dirs {
		if out[i] = dir.String() + "/"; dir.Tree == builtin {
			out[i] = builtin
		}
	}
	return out
}

// Beside returns a file that a template of w may mean by a name that is not in its
// loader chain: one beside the worker or in the root, where llm-do looks for it; "" if
// there is none.
func (ts *Templates) Beside(w *Worker, name string) string {
	for _, dir := range []string{path.Dir(w.File), "."} {
		if l := (Location{Name: path.Join(dir, name)}); templateName(name) == nil && w.Source == "project" && ts.trees.Exists(l) {
			return l.Name
		}
	}
	return ""
}

// reachable returns the library of a name: the source itself, a library that it
// declares, or one that these declare; nil if there is none. All of these count because
// a template names its own library, and may be rendered for a worker of another one.
func (t *Trees) reachable(from, name string) *Tree {
	queue := []string{from}
	for i := 0; i < len(queue); i++ {
		s := t.Tree(queue[i])
		if s.Library == name && name != "" {
			return s
		}
		for _, need := range s.Needs {
			if !slices.Contains(queue, need) {
				queue = append(queue, need)
			}
		}
	}
	return nil
}

// templateName returns a fault for a name that no file of a loader chain can have.
func templateName(name string) *fault.Fault {
	if name == "." || !fs.ValidPath(name) || strings.ContainsAny(name, "\\:\x00") {
		return fault.New(fault.Template, "%s is not the name of a template", fault.Quoted(name)).
			Hinting("write it relative to templates/, with / between directories and without ..")
	}
	if sandbox.Secret(name) {
		return fault.New(fault.Template, "%s cannot be read", fault.Quoted(name)).Hinting(".env, .golem and .git are out of reach of templates")
	}
	return nil
}

func templateNames(name string) []string {
	if path.Ext(name) != "" {
		return []string{""}
	}
	return append([]string{""}, templateExtensions...)
}

// chain returns the directories in which golem looks for a worker's templates, in
// order.
func (ts *Templates) chain(d *Definition) []Location {
	var out []Location
	if d.Rooted && path.Base(d.Name) == "worker.worker" {
		own := path.Dir(d.Name)
		out = append(out, d.In(path.Join(own, defaultTemplates)), d.In(own))
	}
	out = append(out, d.In(ts.trees.TreeOf(d.Location).Prompts))
	for _, s := range ts.trees.Scope(d.Tree) {
		out = append(out, Location{s.Name, defaultTemplates})
	}
	return out
}

// List returns the files below the project's prompts/ and templates/, sorted, at most
// maxTexts: templates and what they may read. It leaves out directories that cannot be
// read.
func (ts *Templates) List() []string {
	var out []string
	for _, dir := range []string{ts.trees.Own().Manifest.PromptsRoot, defaultTemplates} {
		_ = fs.WalkDir(ts.trees.setup.FS, dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || len(out) == maxTexts {
				return fs.SkipDir
			}
			if e.Type().IsRegular() {
				out = append(out, name)
			}
			return nil
		})
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// maxTexts bounds what Texts lists.
const maxTexts = 10_000
