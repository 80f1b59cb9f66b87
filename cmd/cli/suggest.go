package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/project"
	"golem/sandbox/osfs"
)

// This file has the hints for a wrong TARGET. They look only at the directory, its parents
// and GOLEM_PATH.

// parents is how many parents are searched for a project. The result is only a hint:
// running never searches parents (SPEC §3).
const parents = 8

// projectFiles are the files that make a directory a project, in the order in which
// they are searched.
var projectFiles = []string{"main.worker", "project.yaml", "project.yml", "llm-do.yaml", "llm-do.yml", "golem-forge.config.yaml", "golem-forge.config.yml"}

// projectFile returns the name of the file that makes a directory a project; "" if
// there is none.
func projectFile(dir string) string {
	for _, name := range projectFiles {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// above finds the nearest parent of dir that is a project. rel is its path from the
// working directory, name its project file; both are "" if there is none.
func (h *host) above(dir string) (rel, name string) {
	for range parents {
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
		if name := projectFile(dir); name != "" {
			rel, err := filepath.Rel(h.dir, dir)
			if err != nil {
				return "", ""
			}
			return filepath.ToSlash(rel), name
		}
	}
	return "", ""
}

// line returns a command as a person would type it.
func (f *flags) line(words ...string) string {
	out := []string{"golem", f.command}
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$`*?!&|;<>()#~") {
			w = strconv.Quote(w)
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// meant adds a hint to an error about TARGET: what the person may have meant.
func (h *host) meant(f *flags, words []string, err error) error {
	var bad *fault.Fault
	if !errors.As(err, &bad) {
		return err
	}
	switch {
	case len(words) == 0 && bad.Code == fault.Usage:
		if projectFile(h.dir) != "" {
			return bad.Hinting("to take the project here: %s", f.line("."))
		}
		return err
	case len(words) == 0:
		return err
	case bad.Code == fault.WorkerNotFound && !isWorkerFile(words[0]):
		return bad.Hinting("%s", h.meantName(f, words))
	case bad.Code == fault.WorkerNotFound || bad.Code == fault.Project:
		if near := h.nearFile(words[0]); near != "" {
			return bad.Hinting("did you mean %s", near)
		}
	}
	return err
}

// meantName returns the hint for a bare word that is neither a directory nor on
// GOLEM_PATH.
func (h *host) meantName(f *flags, words []string) string {
	word := words[0]
	if projectFile(h.dir) != "" && h.hasWorker(word) {
		return "it is a worker of the project here: " + f.line(append([]string{".", "--entry"}, words...)...)
	}
	if near := h.nearProject(word); near != "" {
		return "did you mean " + near
	}
	var known []string
	for _, dir := range h.searchPath() {
		entries, err := os.ReadDir(h.path(dir))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if name := e.Name(); e.IsDir() || isWorkerFile(name) {
				known = append(known, strings.TrimSuffix(name, filepath.Ext(name)))
			}
		}
	}
	if near := fault.Nearest(word, known); near != "" {
		return "did you mean " + near
	}
	if near := fault.Nearest(word, h.commands); near != "" && len(word) > 2 {
		return "did you mean golem " + near
	}
	if projectFile(h.dir) != "" && (f.command == "run" || f.command == "chat") {
		return "to send it to the project here: " + f.line(append([]string{"."}, words...)...)
	}
	if up, name := h.above(h.dir); up != "" && (f.command == "run" || f.command == "chat") {
		return name + " is in " + up + ": " + f.line(append([]string{up}, words...)...)
	}
	return "golem --help shows what TARGET may be"
}

// nearProject returns the project or worker file in the working directory whose name is
// most similar to word; "" if none is similar.
func (h *host) nearProject(word string) string {
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() || isWorkerFile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	near := fault.Nearest(word, names)
	if near == "" || !isWorkerFile(near) && projectFile(h.path(near)) == "" {
		return ""
	}
	return near
}

// hasWorker reports whether the project in the working directory has a worker with that
// ID.
func (h *host) hasWorker(id string) bool {
	files, err := osfs.Open(h.dir)
	if err != nil {
		return false
	}
	p, err := project.Load(project.Source{FS: files})
	return err == nil && p.HasWorker(id)
}

// nearFile returns the worker file that a path may have meant: the path with an
// extension, in a parent directory, or with a similar name; "" if there is none.
func (h *host) nearFile(word string) string {
	regular := func(name string) bool {
		info, err := os.Stat(h.path(name))
		return err == nil && info.Mode().IsRegular()
	}
	if !isWorkerFile(word) {
		for _, ext := range []string{".worker", ".yaml", ".yml"} {
			if regular(word + ext) {
				return word + ext
			}
		}
	}
	dir, base := filepath.Dir(word), filepath.Base(word)
	if isWorkerFile(word) && !filepath.IsAbs(word) {
		up := word
		for range parents {
			up = filepath.Join("..", up)
			if regular(up) {
				return filepath.ToSlash(up)
			}
		}
	}
	entries, err := os.ReadDir(h.path(dir))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() != isWorkerFile(word) {
			names = append(names, e.Name())
		}
	}
	if near := fault.Nearest(base, names); near != "" {
		return filepath.ToSlash(filepath.Join(dir, near))
	}
	return ""
}

// elsewhere adds to the fault "No main.worker in X" the nearest parent that is a
// project.
func (h *host) elsewhere(f *flags, p place, faults fault.List) fault.List {
	out := slices.Clone(faults)
	if p.pack != nil {
		return out
	}
	for i, one := range out {
		if one.Code != fault.Project || one.Where != nil {
			continue
		}
		if up, name := h.above(p.root); up != "" {
			rest := ""
			if f.command == "run" {
				rest = " …"
			}
			out[i] = one.Hinting("%s is in %s: %s%s", name, up, f.line(up), rest)
		}
	}
	return out
}
