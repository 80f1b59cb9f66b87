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

// What a person may have meant by a target that is none. Only what stands on
// the way is looked at: the directory, its parents, GOLEM_PATH.

// parents is how far up a project is looked for, for a hint alone: running
// never searches parents (SPEC §3).
const parents = 8

// projectFiles make a directory a project, in the order they are told.
var projectFiles = []string{"main.worker", "project.yaml", "project.yml", "llm-do.yaml", "llm-do.yml", "golem-forge.config.yaml", "golem-forge.config.yml"}

// projectFile is the file that makes a directory a project, "" if none does.
func projectFile(dir string) string {
	for _, name := range projectFiles {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// above finds the nearest parent of dir that is a project, as seen from the
// working directory.
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

// line is a command as a person would type it.
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

// meant adds to an error about TARGET what may have been meant.
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

// meantName is for a bare word, which is neither a directory nor on GOLEM_PATH.
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

// nearProject is the project or worker file in the working directory whose name is
// nearest to word; "" if none is near.
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

// hasWorker tells whether the project here has a worker of that ID.
func (h *host) hasWorker(id string) bool {
	files, err := osfs.Open(h.dir)
	if err != nil {
		return false
	}
	p, err := project.Load(project.Source{FS: files})
	return err == nil && p.HasWorker(id)
}

// nearFile is the worker file that a path may have meant: with its extension,
// in a parent, or the nearest name beside it; "" if there is none.
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

// elsewhere adds to "No main.worker in X" where one is.
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
