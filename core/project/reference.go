package project

import (
	"path"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// reference is one parsed way to name a worker (SPEC §2).
type reference struct {
	text string
	lib  string // of lib:id, "" for a reference without a library
	path string // of ./path and of anything with an extension: relative to the root, cleaned
	id   string // of anything else
}

// parseReference reads a reference in any of its forms, and refuses one that could
// leave the project. It touches no file.
func parseReference(ref string) (reference, *fault.Fault) {
	r := reference{text: ref}
	if p := yamltree.NameProblem(ref); p != "" {
		return r, fault.New(fault.Path, "the worker reference %s", p)
	}
	if len(ref) > 1024 {
		return r, fault.New(fault.Path, "the worker reference %s is too long", fault.Quoted(ref))
	}
	if strings.Contains(ref, "\\") || config.Drive(ref) && strings.Contains(ref, "/") {
		return r, fault.New(fault.Path, "%s is not a valid worker reference", fault.Quoted(ref)).Hinting("write paths with / and relative to the project")
	}
	elements := strings.Split(ref, "/")
	if slices.Contains(elements, "..") {
		return r, fault.New(fault.Path, "Parent directory references not allowed: %s", fault.Quoted(ref)).
			Hinting("name a worker of this project by its ID or as ./path")
	}
	if strings.HasPrefix(ref, "/") {
		return r, fault.New(fault.Path, "Absolute paths not allowed: %s", fault.Quoted(ref)).
			Hinting("name a worker of this project by its ID or as ./path")
	}
	relative := elements[0] == "."
	if lib, rest, ok := strings.Cut(ref, ":"); ok && !relative {
		if problem := config.LibraryNameProblem(lib); problem != "" {
			return r, fault.New(fault.Path, "the worker reference %s: %s", fault.Quoted(ref), problem)
		}
		within, f := parseReference(rest)
		if f == nil && (within.lib != "" || strings.Contains(rest, ":")) {
			f = fault.New(fault.Path, "%s is not a valid worker reference", fault.Quoted(ref)).Hinting("write the library and an ID, such as utils:summarizer")
		}
		within.text, within.lib = ref, lib
		return within, f
	}
	if relative {
		elements = elements[1:]
	}
	if len(elements) == 0 || slices.Contains(elements, "") || slices.Contains(elements, ".") {
		return r, fault.New(fault.Path, "%s is not a valid worker reference", fault.Quoted(ref)).Hinting("write an ID such as reports/summarizer, or ./path")
	}
	if relative || config.IsWorkerFile(ref) {
		r.path = path.Join(elements...)
	} else {
		r.id = ref
	}
	return r, nil
}

// CheckReference returns an error for a text that cannot be a worker reference: one
// with ../, or an absolute path. It opens no file.
func CheckReference(ref string) error {
	if _, f := parseReference(ref); f != nil {
		return f
	}
	return nil
}

// Named reports whether a reference (SPEC §2) means this worker: it is its ID, or the
// path of its file or directory. It opens no file.
func (w *Worker) Named(ref string) bool {
	r, f := parseReference(ref)
	if f != nil {
		return false
	}
	in := ""
	if r.lib != "" {
		in = r.lib + ":"
	}
	if r.path == "" {
		return in+r.id == w.ID
	}
	return (w.Source == "project" || in != "") &&
		(in+r.path == w.File || slices.Contains(stems(in+r.path), w.File) || in+path.Join(r.path, "worker.worker") == w.File)
}

// stems returns the names that a worker file can have, without the directory form.
func stems(base string) []string {
	out := make([]string, len(config.Extensions))
	for i, ext := range config.Extensions {
		out[i] = base + ext
	}
	return out
}

// Locate splits the path of a worker file from the command line into the project
// root and the reference within it (SPEC §3). The root is the directory above the
// nearest directory named workers, otherwise the file's own directory; "." is the
// current directory. The path has slashes and may be absolute. Locate opens no
// file.
func Locate(file string) (root, ref string) {
	file = path.Clean(file)
	elements := strings.Split(file, "/")
	for i := len(elements) - 2; i >= 0; i-- {
		if elements[i] == "workers" {
			root = strings.Join(elements[:i], "/")
			if root == "" && strings.HasPrefix(file, "/") {
				root = "/"
			}
			return path.Clean(root), "./" + strings.Join(elements[i:], "/")
		}
	}
	return path.Dir(file), "./" + path.Base(file)
}
