package main

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/project"
)

// place is the project or worker that TARGET names.
type place struct {
	root  string // the project's directory, absolute
	entry string // a reference from the root, "" = the project's own
	file  bool   // TARGET was a worker file
	work  string // the directory that it works on; set only for a worker found on GOLEM_PATH
	shelf bool   // root is a directory of GOLEM_PATH, whose files are workers

	pack *packed // TARGET is a packed project; there is no root
}

// name returns the project's name for messages and traces.
func (p place) name() string {
	if p.pack != nil {
		return p.pack.Name
	}
	return filepath.Base(p.root)
}

// sandbox returns the directory that workers work on.
func (p place) sandbox() string { return cmp.Or(p.work, p.root) }

// target finds the project. used is how many of words named it: 0 or 1 (SPEC §12).
func (h *host) target(f *flags, words []string) (p place, used int, err error) {
	dir := f.project
	if dir == "" && !f.noProject {
		dir = h.setting("PROJECT")
	}
	switch {
	case len(words) > 0 && isPack(words[0]):
		p, err = h.packedTarget(f, words[0])
		used = 1
	case dir == "" && len(words) == 0:
		return place{}, 0, h.meant(f, words, usage("TARGET is missing").Hinting("name a project directory, a worker file, a packed project or a worker on GOLEM_PATH, or give --project"))
	case dir == "":
		p, err = h.resolve(words[0])
		used = 1
	case len(words) > 0 && h.isTarget(words[0]):
		p, err = h.within(f, dir, words[0])
		used = 1
	default:
		p, err = h.projectDir(dir)
	}
	if err != nil {
		return place{}, 0, h.meant(f, words, err)
	}
	if p.pack == nil && f.given("verify") {
		return place{}, 0, usage("--verify needs a packed project as TARGET").Hinting("for example: golem --verify RW… project.golem")
	}
	if p.file && f.given("entry") {
		return place{}, 0, usage("TARGET is a worker file, and --entry names another worker").Hinting("leave one of them out, or give the project directory as TARGET")
	}
	if f.noProject && !p.file {
		return place{}, 0, usage("--no-project needs a worker file as TARGET").Hinting("for example: golem --no-project workers/a.worker")
	}
	h.judgeHome(p)
	return p, used, nil
}

// noProject returns a fault if a directory has neither workers nor a project file, so
// that there is nothing for a command about a project.
func (h *host) noProject(p place) error {
	if p.pack != nil || p.file {
		return nil
	}
	tree := os.DirFS(p.root)
	if project.HasManifest(tree) {
		return nil
	}
	for _, name := range []string{"main.worker", "workers", "lib.yaml"} {
		if _, err := fs.Stat(tree, name); err == nil {
			return nil
		}
	}
	return fault.New(fault.Project, "%s is not a golem project: it has no project.yaml, no main.worker and no directory workers", fault.Quoted(p.name())).
		Hinting("go to the project's directory or name it, or make one with golem init DIR")
}

// isTarget reports whether the first word names TARGET although a project is given.
func (h *host) isTarget(word string) bool {
	if isWorkerFile(word) {
		return true
	}
	info, err := os.Stat(h.path(word))
	return err == nil && info.IsDir()
}

func isWorkerFile(word string) bool {
	return slices.Contains([]string{".worker", ".yaml", ".yml"}, strings.ToLower(filepath.Ext(word)))
}

// path returns word as an absolute path.
func (h *host) path(word string) string {
	if filepath.IsAbs(word) {
		return filepath.Clean(word)
	}
	return filepath.Join(h.dir, word)
}

// resolve finds what TARGET names if no project is given: a directory, a worker file,
// or a name on GOLEM_PATH (S1-32, S1-88).
func (h *host) resolve(word string) (place, error) {
	if word == "" {
		return place{}, usage("TARGET is empty").Hinting("name a project directory, a worker file or a worker on GOLEM_PATH")
	}
	info, err := os.Stat(h.path(word))
	switch {
	case err == nil && info.IsDir():
		return place{root: h.path(word)}, nil
	case err == nil && isWorkerFile(word):
		return h.workerFile(word)
	case err == nil:
		hint := "worker files end in .worker, .yaml or .yml"
		switch filepath.Ext(word) {
		case ".wasm":
			hint = "a tool is called with golem tool call " + word + " NAME JSON"
		case ".zip":
			hint = "a packed project ends in .golem: rename it, if golem pack wrote it"
		}
		return place{}, usage("%s is neither a directory nor a worker file", word).Hinting("%s", hint)
	case isWorkerFile(word):
		return place{}, fault.New(fault.WorkerNotFound, "there is no worker file %s", word).Hinting("paths are relative to the current directory")
	case strings.ContainsAny(word, `/\`):
		return place{}, fault.New(fault.Project, "there is no directory %s", word).Hinting("paths are relative to the current directory")
	}
	return h.named(word)
}

func (h *host) projectDir(dir string) (place, error) {
	info, err := os.Stat(h.path(dir))
	if err != nil || !info.IsDir() {
		return place{}, fault.New(fault.Project, "there is no project directory %s", dir).Hinting("--project and GOLEM_PROJECT name an existing directory")
	}
	return place{root: h.path(dir)}, nil
}

// within finds what TARGET names if a project is given, too. A directory on the command
// line has precedence over the environment; two different directories on the command
// line are an error.
func (h *host) within(f *flags, dir, word string) (place, error) {
	base, err := h.projectDir(dir)
	if err != nil {
		return place{}, err
	}
	if info, err := os.Stat(h.path(word)); err == nil && info.IsDir() {
		if f.given("project") && !sameDir(h.path(word), base.root) {
			return place{}, usage("TARGET %s and --project %s name two different projects", word, dir).Hinting("leave one of them out; to send the word as input, give the project as TARGET")
		}
		return place{root: h.path(word)}, nil
	}
	if !filepath.IsAbs(word) {
		if info, err := os.Stat(filepath.Join(base.root, word)); err == nil && info.Mode().IsRegular() {
			return place{root: base.root, entry: "./" + filepath.ToSlash(filepath.Clean(word)), file: true}, nil
		}
	}
	p, err := h.resolve(word)
	if err != nil || !f.given("project") {
		return p, err
	}
	rel, err := filepath.Rel(base.root, h.path(word))
	if err != nil || !filepath.IsLocal(rel) {
		return place{}, usage("%s is not in the project %s", word, dir).Hinting("leave out --project, or name a worker of that project")
	}
	return place{root: base.root, entry: "./" + filepath.ToSlash(rel), file: true}, nil
}

func sameDir(a, b string) bool {
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(ia, ib)
}

// workerFile finds the project root to which a worker file belongs (SPEC §3).
func (h *host) workerFile(word string) (place, error) {
	root, ref := project.Locate(filepath.ToSlash(h.path(word)))
	return place{root: filepath.FromSlash(root), entry: ref, file: true}, nil
}

// named searches GOLEM_PATH for a name (S1-72). The first directory that has it wins;
// two entries with the name in one directory are an error.
func (h *host) named(word string) (place, error) {
	var tried []string
	for _, dir := range h.searchPath() {
		found := h.onPath(h.path(dir), word)
		switch len(found) {
		case 0:
			tried = append(tried, h.shorten(dir))
			continue
		case 1:
			return found[0], nil
		}
		names := make([]string, len(found))
		for i, p := range found {
			names[i] = h.shorten(filepath.Join(p.root, filepath.FromSlash(p.entry)))
		}
		return place{}, fault.New(fault.Ambiguous, "%s is defined by %s", word, strings.Join(names, " and ")).Hinting("keep one of them")
	}
	where := "on GOLEM_PATH, which is empty"
	if len(tried) > 0 {
		where = "in " + strings.Join(tried, ", ")
	}
	return place{}, fault.New(fault.WorkerNotFound, "there is no %s here, and no worker %s %s", word, word, where).
		Hinting("golem --help shows what TARGET may be")
}

// onPath returns what a directory of GOLEM_PATH has under a name: a worker file, a
// worker with a directory of its own, a project. All of them work on the current
// directory; what they refer to is found beside them (SPEC §3).
func (h *host) onPath(dir, word string) []place {
	var out []place
	for _, name := range []string{word + ".worker", word + ".yaml", word + ".yml", word + "/worker.worker"} {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() {
			out = append(out, place{root: dir, entry: "./" + name, file: true, work: h.dir, shelf: true})
		}
	}
	inner := filepath.Join(dir, word)
	files := os.DirFS(inner)
	info, err := os.Stat(inner)
	_, own := fs.Stat(files, "worker.worker")
	_, main := fs.Stat(files, "main.worker")
	if err == nil && info.IsDir() && (own != nil || main == nil || project.HasManifest(files)) {
		out = append(out, place{root: inner, work: h.dir})
	}
	return out
}

func (h *host) searchPath() []string {
	list := h.setting("PATH")
	if list == "" {
		if named := h.namedHome(); named != "" {
			h.judgeHome(place{root: filepath.Join(named, "workers"), work: h.dir})
		}
		if home := h.home(); home != "" {
			return []string{filepath.Join(home, "workers")}
		}
		return nil
	}
	return slices.DeleteFunc(filepath.SplitList(list), func(s string) bool { return s == "" })
}

// shorten replaces the path of GOLEM_HOME by $GOLEM_HOME, so that messages do not show
// the home directory.
func (h *host) shorten(name string) string {
	if home := h.namedHome(); home != "" {
		if rel, err := filepath.Rel(home, name); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(filepath.Join("$GOLEM_HOME", rel))
		}
	}
	return name
}
