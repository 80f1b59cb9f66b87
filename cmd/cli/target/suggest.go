package target

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

	"golem/cmd/cli/console"
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

// projectAbove finds the nearest parent of dir that is a project. rel is its path from the
// working directory, name its project file; both are "" if there is none.
func projectAbove(c *console.Console, dir string) (rel, name string) {
	for range parents {
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
		if name := projectFile(dir); name != "" {
			rel, err := filepath.Rel(c.Dir, dir)
			if err != nil {
				return "", ""
			}
			return filepath.ToSlash(rel), name
		}
	}
	return "", ""
}

// line returns a command as a person would type it.
func (f Wanted) line(words ...string) string {
	out := []string{"golem", f.Command}
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$`*?!&|;<>()#~") {
			w = strconv.Quote(w)
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// withHint adds a hint to an error about TARGET: what the person may have meant.
func withHint(c *console.Console, f Wanted, words []string, err error) error {
	var bad *fault.Fault
	if !errors.As(err, &bad) {
		return err
	}
	switch {
	case len(words) == 0 && bad.Code == fault.Usage:
		if projectFile(c.Dir) != "" {
			return bad.Hinting("to take the project here: %s", f.line("."))
		}
		return err
	case len(words) == 0:
		return err
	case bad.Code == fault.WorkerNotFound && !IsWorkerFile(words[0]):
		return bad.Hinting("%s", nameHint(c, f, words))
	case bad.Code == fault.WorkerNotFound || bad.Code == fault.Project:
		if near := nearFile(c, words[0]); near != "" {
			return bad.Hinting("did you mean %s", near)
		}
	}
	return err
}

// nameHint returns the hint for a bare word that is neither a directory nor on
// GOLEM_PATH.
func nameHint(c *console.Console, f Wanted, words []string) string {
	word := words[0]
	if projectFile(c.Dir) != "" && hasWorker(c, word) {
		return "it is a worker of the project here: " + f.line(append([]string{".", "--entry"}, words...)...)
	}
	if near := nearProject(c, word); near != "" {
		return "did you mean " + near
	}
	var known []string
	for _, dir := range SearchPath(c) {
		entries, err := os.ReadDir(c.Path(dir))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if name := e.Name(); e.IsDir() || IsWorkerFile(name) {
				known = append(known, strings.TrimSuffix(name, filepath.Ext(name)))
			}
		}
	}
	if near := fault.Nearest(word, known); near != "" {
		return "did you mean " + near
	}
	if near := fault.Nearest(word, c.Commands); near != "" && len(word) > 2 {
		return "did you mean golem " + near
	}
	if projectFile(c.Dir) != "" && (f.Command == "run" || f.Command == "chat") {
		return "to send it to the project here: " + f.line(append([]string{"."}, words...)...)
	}
	if up, name := projectAbove(c, c.Dir); up != "" && (f.Command == "run" || f.Command == "chat") {
		return name + " is in " + up + ": " + f.line(append([]string{up}, words...)...)
	}
	return "golem --help shows what TARGET may be"
}

// nearProject returns the project or worker file in the working directory whose name is
// most similar to word; "" if none is similar.
func nearProject(c *console.Console, word string) string {
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() || IsWorkerFile(e.Name()) {
			names = append(names, e.Name())
		}
	}
	near := fault.Nearest(word, names)
	if near == "" || !IsWorkerFile(near) && projectFile(c.Path(near)) == "" {
		return ""
	}
	return near
}

// hasWorker reports whether the project in the working directory has a worker with that
// ID.
func hasWorker(c *console.Console, id string) bool {
	files, err := osfs.Open(c.Dir)
	if err != nil {
		return false
	}
	p, err := project.Load(project.Setup{FS: files})
	return err == nil && p.Names.Has(id)
}

// nearFile returns the worker file that a path may have meant: the path with an
// extension, in a parent directory, or with a similar name; "" if there is none.
func nearFile(c *console.Console, word string) string {
	regular := func(name string) bool {
		info, err := os.Stat(c.Path(name))
		return err == nil && info.Mode().IsRegular()
	}
	if !IsWorkerFile(word) {
		for _, ext := range []string{".worker", ".yaml", ".yml"} {
			if regular(word + ext) {
				return word + ext
			}
		}
	}
	dir, base := filepath.Dir(word), filepath.Base(word)
	if IsWorkerFile(word) && !filepath.IsAbs(word) {
		up := word
		for range parents {
			up = filepath.Join("..", up)
			if regular(up) {
				return filepath.ToSlash(up)
			}
		}
	}
	entries, err := os.ReadDir(c.Path(dir))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() != IsWorkerFile(word) {
			names = append(names, e.Name())
		}
	}
	if near := fault.Nearest(base, names); near != "" {
		return filepath.ToSlash(filepath.Join(dir, near))
	}
	return ""
}

// Elsewhere adds to the fault "No main.worker in X" the nearest parent that is a
// project.
func Elsewhere(c *console.Console, f Wanted, p Place, faults fault.List) fault.List {
	out := slices.Clone(faults)
	if p.Pack != nil {
		return out
	}
	for i, one := range out {
		if one.Code != fault.Project || one.Where != nil {
			continue
		}
		if up, name := projectAbove(c, p.Root); up != "" {
			rest := ""
			if f.Command == "run" {
				rest = " …"
			}
			out[i] = one.Hinting("%s is in %s: %s%s", name, up, f.line(up), rest)
		}
	}
	return out
}
