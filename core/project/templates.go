package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
)

// defaultTemplates is the directory of a source's templates (S1-08).
const defaultTemplates = "templates"

var templateExtensions = []string{".jinja", ".jinja2", ".j2"}

// Text returns a file of a worker's loader chain (SPEC §4): the first that exists of
// the templates/ and the directory of a worker in directory form, prompts/, the
// project's templates/, the templates/ of each library, and the built-in templates.
// lib:name names a file of a declared library, builtin:name one of golem's own. For a library's worker, the library
// takes the place of the project. A name without extension also stands for NAME.jinja,
// .jinja2 and .j2. file is the path that faults and the trace show. The error is
// fs.ErrNotExist if there is no such file, and a fault if the name leaves the chain or
// names what no worker may read (SPEC §8).
func (p *Project) Text(w *Worker, name string) (file, text string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.byWorker[w]
	if got == nil || got.def == nil {
		return "", "", fs.ErrNotExist
	}
	dirs, name, f := p.places(got.def, name)
	if f != nil {
		return "", "", f
	}
	for _, dir := range dirs {
		for _, ext := range templateNames(name) {
			l := dir.at(path.Join(dir.name, name+ext))
			if !p.exists(l) {
				continue
			}
			_, text, f := p.readText(l)
			if f != nil {
				return "", "", f
			}
			return l.String(), text, nil
		}
	}
	return "", "", fs.ErrNotExist
}

// places returns the directories in which golem looks for a template, and its name
// there.
func (p *Project) places(d *definition, name string) (dirs []location, within string, _ *fault.Fault) {
	dirs = p.chain(d)
	library, rest, ok := strings.Cut(name, ":")
	switch {
	case ok && rest != "" && library+":" == builtin && p.src.Builtin != nil:
		name, dirs = rest, []location{{builtin, defaultTemplates}}
	case ok && rest != "" && libraryNameProblem(library) == "":
		s := p.reachable(d.source, library)
		if s == nil {
			_, f := p.declared(d.source, library, name)
			return nil, "", f
		}
		name, dirs = rest, []location{{s.name, defaultTemplates}}
	}
	return dirs, name, templateName(name)
}

// TextPlaces returns the places in which Text looks for a name, in order, for the
// message that there is no such file. builtin: stands for golem's own templates.
func (p *Project) TextPlaces(w *Worker, name string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.byWorker[w]
	if got == nil || got.def == nil {
		return nil
	}
	dirs, _, f := p.places(got.def, name)
	if f != nil {
		return nil
	}
	out := make([]string, len(dirs))
	for i, dir := range dirs {
		if out[i] = dir.String() + "/"; dir.source == builtin {
			out[i] = builtin
		}
	}
	return out
}

// Beside returns a file that a template of w may mean by a name that is not in its
// loader chain: one beside the worker or in the root, where llm-do looks for it; "" if
// there is none.
func (p *Project) Beside(w *Worker, name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, dir := range []string{path.Dir(w.File), "."} {
		if l := (location{name: path.Join(dir, name)}); templateName(name) == nil && w.Source == "project" && p.exists(l) {
			return l.name
		}
	}
	return ""
}

// reachable returns the library of a name: the source itself, a library that it
// declares, or one that these declare; nil if there is none. All of these count because
// a template names its own library, and may be rendered for a worker of another one.
func (p *Project) reachable(from, name string) *source {
	queue := []string{from}
	for i := 0; i < len(queue); i++ {
		s := p.source(queue[i])
		if s.library == name && name != "" {
			return s
		}
		for _, need := range s.needs {
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
func (p *Project) chain(d *definition) []location {
	var out []location
	if d.rooted && path.Base(d.name) == "worker.worker" {
		own := path.Dir(d.name)
		out = append(out, d.at(path.Join(own, defaultTemplates)), d.at(own))
	}
	out = append(out, d.at(p.sourceOf(d.location).prompts))
	for _, s := range p.scope(d.source) {
		out = append(out, location{s.name, defaultTemplates})
	}
	return out
}

// Texts returns the files below the project's prompts/ and templates/, sorted, at most
// maxTexts: templates and what they may read. It leaves out directories that cannot be
// read.
func (p *Project) Texts() []string {
	var out []string
	for _, dir := range []string{p.manifest.PromptsRoot, defaultTemplates} {
		_ = fs.WalkDir(p.src.FS, dir, func(name string, e fs.DirEntry, err error) error {
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
