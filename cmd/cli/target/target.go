// Package target finds what TARGET names: a project directory, a worker file, a worker on
// GOLEM_PATH or a packed project; and tells what a person may have meant.
package target

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"golem/core/fault"
	"golem/core/project"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/home"
)

// OrHere returns words, or the current directory if nothing names a project.
func OrHere(c *console.Console, project string, words []string) []string {
	if len(words) == 0 && project == "" && c.Env.Setting("PROJECT") == "" {
		return []string{"."}
	}
	return words
}

// OrProject returns a word, or if it is "" the project of GOLEM_PROJECT or the current
// directory. It is for commands about what golem keeps of a directory.
func OrProject(c *console.Console, word string) string {
	return cmp.Or(word, c.Env.Setting("PROJECT"), ".")
}

// Place is the project or worker that TARGET names.
type Place struct {
	Root  string // the project's directory, absolute
	Entry string // a reference from the root, "" = the project's own
	File  bool   // TARGET was a worker file
	Work  string // the directory that it works on; set only for a worker found on GOLEM_PATH
	Shelf bool   // root is a directory of GOLEM_PATH, whose files are workers

	// Assistant says that golem's own worker assistant works on Work. Root is then the
	// directory of GOLEM_HOME with what golem keeps of it; "": nothing is kept.
	Assistant bool

	Pack *packed // TARGET is a packed project; there is no root
}

// Name returns the project's name for messages and traces.
func (p Place) Name() string {
	if p.Pack != nil {
		return p.Pack.Name
	}
	if p.Assistant {
		return filepath.Base(p.Work)
	}
	return filepath.Base(p.Root)
}

// StateRoot returns the directory in whose .golem golem keeps traces and conversations; "":
// nowhere.
func (p Place) StateRoot() string {
	if p.Assistant {
		return p.Root
	}
	return p.Sandbox()
}

// Ground returns where the place lies, for GOLEM_HOME.
func (p Place) Ground() home.Ground {
	if p.Pack != nil {
		return home.Ground{Packed: true, Pack: p.Pack.dir}
	}
	if p.Assistant {
		return home.Ground{Root: p.Work, Work: p.Work}
	}
	return home.Ground{Root: p.Root, Work: p.Work}
}

// Sandbox returns the directory that workers work on.
func (p Place) Sandbox() string { return cmp.Or(p.Work, p.Root) }

// Wanted says which project a command line means, in addition to its words.
type Wanted struct {
	Command   string         // run, chat, check, …: for the commands that hints show
	Project   string         // --project; "": GOLEM_PROJECT counts, unless NoProject is set
	NoProject bool           // --no-project: TARGET is a worker file without a manifest
	Verify    string         // --verify: the key that signed a packed project
	Set       *pflag.FlagSet // nil: no flag of the command is about this
}

// given reports whether a flag is on the command line.
func (f Wanted) given(name string) bool {
	if f.Set == nil {
		return false
	}
	l := f.Set.Lookup(name)
	return l != nil && l.Changed
}

// Find finds the project. used is how many of words named it: 0 or 1 (SPEC §12).
func Find(c *console.Console, f Wanted, words []string) (p Place, used int, err error) {
	dir := f.Project
	if dir == "" && !f.NoProject {
		dir = c.Env.Setting("PROJECT")
	}
	switch {
	case len(words) > 0 && IsPack(words[0]):
		p, err = packedTarget(c, f, words[0])
		used = 1
	case dir == "" && len(words) == 0:
		return Place{}, 0, withHint(c, f, words, console.Usage("TARGET is missing").Hinting("name a project directory, a worker file, a packed project or a worker on GOLEM_PATH, or give --project"))
	case dir == "":
		p, err = Resolve(c, words[0])
		used = 1
	case len(words) > 0 && isTarget(c, words[0]):
		p, err = findInProject(c, f, dir, words[0])
		used = 1
	default:
		p, err = projectDir(c, dir)
	}
	if err != nil {
		return Place{}, 0, withHint(c, f, words, err)
	}
	if p.Pack == nil && f.given("verify") {
		return Place{}, 0, console.Usage("--verify needs a packed project as TARGET").Hinting("for example: golem --verify RW… project.golem")
	}
	if p.File && f.given("entry") {
		return Place{}, 0, console.Usage("TARGET is a worker file, and --entry names another worker").Hinting("leave one of them out, or give the project directory as TARGET")
	}
	if f.NoProject && !p.File {
		return Place{}, 0, console.Usage("--no-project needs a worker file as TARGET").Hinting("for example: golem --no-project workers/a.worker")
	}
	c.Home.Judge(p.Ground())
	if p.Assistant {
		p.Root = assistantDir(c, p.Work)
	}
	return p, used, nil
}

// NoProject returns a fault if a directory has neither workers nor a project file, so
// that there is nothing for a command about a project.
func NoProject(c *console.Console, p Place) error {
	if p.Pack != nil || p.File {
		return nil
	}
	if project.Is(os.DirFS(p.Root)) {
		return nil
	}
	return fault.New(fault.Project, "%s is not a golem project: it has no project.yaml, no main.worker and no directory workers", fault.Quoted(p.Name())).
		Hinting("go to the project's directory or name it, or make one with golem init DIR")
}

// isTarget reports whether the first word names TARGET although a project is given.
func isTarget(c *console.Console, word string) bool {
	if IsWorkerFile(word) {
		return true
	}
	info, err := os.Stat(c.Path(word))
	return err == nil && info.IsDir()
}

// IsWorkerFile reports whether a word has the ending of a worker file.
func IsWorkerFile(word string) bool {
	return slices.Contains([]string{".worker", ".yaml", ".yml"}, strings.ToLower(filepath.Ext(word)))
}

// Resolve finds what TARGET names if no project is given: a directory, a worker file,
// or a name on GOLEM_PATH (S1-32, S1-88).
func Resolve(c *console.Console, word string) (Place, error) {
	if word == "" {
		return Place{}, console.Usage("TARGET is empty").Hinting("name a project directory, a worker file or a worker on GOLEM_PATH")
	}
	info, err := os.Stat(c.Path(word))
	switch {
	case err == nil && info.IsDir():
		return Place{Root: c.Path(word)}, nil
	case err == nil && IsWorkerFile(word):
		return workerFile(c, word)
	case err == nil:
		hint := "worker files end in .worker, .yaml or .yml"
		switch filepath.Ext(word) {
		case ".wasm":
			hint = "a tool is called with golem tool call " + word + " NAME JSON"
		case ".zip":
			hint = "a packed project ends in .golem: rename it, if golem pack wrote it"
		}
		return Place{}, console.Usage("%s is neither a directory nor a worker file", word).Hinting("%s", hint)
	case IsWorkerFile(word):
		return Place{}, fault.New(fault.WorkerNotFound, "there is no worker file %s", word).Hinting("paths are relative to the current directory")
	case strings.ContainsAny(word, `/\`):
		return Place{}, fault.New(fault.Project, "there is no directory %s", word).Hinting("paths are relative to the current directory")
	}
	p, err := OnPath(c, word)
	if word == Assistant && errors.Is(err, fault.WorkerNotFound) {
		return Place{Work: c.Dir, Assistant: true}, nil
	}
	return p, err
}

func projectDir(c *console.Console, dir string) (Place, error) {
	info, err := os.Stat(c.Path(dir))
	if err != nil || !info.IsDir() {
		return Place{}, fault.New(fault.Project, "there is no project directory %s", dir).Hinting("--project and GOLEM_PROJECT name an existing directory")
	}
	return Place{Root: c.Path(dir)}, nil
}

// findInProject finds what TARGET names if a project is given, too. A directory on the command
// line has precedence over the environment; two different directories on the command
// line are an error.
func findInProject(c *console.Console, f Wanted, dir, word string) (Place, error) {
	base, err := projectDir(c, dir)
	if err != nil {
		return Place{}, err
	}
	if info, err := os.Stat(c.Path(word)); err == nil && info.IsDir() {
		if f.given("project") && !disk.SameDir(c.Path(word), base.Root) {
			return Place{}, console.Usage("TARGET %s and --project %s name two different projects", word, dir).Hinting("leave one of them out; to send the word as input, give the project as TARGET")
		}
		return Place{Root: c.Path(word)}, nil
	}
	if !filepath.IsAbs(word) {
		if info, err := os.Stat(filepath.Join(base.Root, word)); err == nil && info.Mode().IsRegular() {
			return Place{Root: base.Root, Entry: "./" + filepath.ToSlash(filepath.Clean(word)), File: true}, nil
		}
	}
	p, err := Resolve(c, word)
	if err != nil || !f.given("project") {
		return p, err
	}
	rel, err := filepath.Rel(base.Root, c.Path(word))
	if err != nil || !filepath.IsLocal(rel) {
		return Place{}, console.Usage("%s is not in the project %s", word, dir).Hinting("leave out --project, or name a worker of that project")
	}
	return Place{Root: base.Root, Entry: "./" + filepath.ToSlash(rel), File: true}, nil
}

// workerFile finds the project root to which a worker file belongs (SPEC §3).
func workerFile(c *console.Console, word string) (Place, error) {
	root, ref := project.Locate(filepath.ToSlash(c.Path(word)))
	return Place{Root: filepath.FromSlash(root), Entry: ref, File: true}, nil
}

// OnPath searches GOLEM_PATH for a name (S1-72). The first directory that has it wins;
// two entries with the name in one directory are an error.
func OnPath(c *console.Console, word string) (Place, error) {
	var tried []string
	for _, dir := range SearchPath(c) {
		found := onPath(c, c.Path(dir), word)
		switch len(found) {
		case 0:
			tried = append(tried, Shorten(c, dir))
			continue
		case 1:
			return found[0], nil
		}
		names := make([]string, len(found))
		for i, p := range found {
			names[i] = Shorten(c, filepath.Join(p.Root, filepath.FromSlash(p.Entry)))
		}
		return Place{}, fault.New(fault.Ambiguous, "%s is defined by %s", word, strings.Join(names, " and ")).Hinting("keep one of them")
	}
	where := "on GOLEM_PATH, which is empty"
	if len(tried) > 0 {
		where = "in " + strings.Join(tried, ", ")
	}
	return Place{}, fault.New(fault.WorkerNotFound, "there is no %s here, and no worker %s %s", word, word, where).
		Hinting("golem --help shows what TARGET may be")
}

// onPath returns what a directory of GOLEM_PATH has under a name: a worker file, a
// worker with a directory of its own, a project. All of them work on the current
// directory; what they refer to is found beside them (SPEC §3).
func onPath(c *console.Console, dir, word string) []Place {
	var out []Place
	for _, name := range []string{word + ".worker", word + ".yaml", word + ".yml", word + "/worker.worker"} {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() {
			out = append(out, Place{Root: dir, Entry: "./" + name, File: true, Work: c.Dir, Shelf: true})
		}
	}
	inner := filepath.Join(dir, word)
	files := os.DirFS(inner)
	info, err := os.Stat(inner)
	_, own := fs.Stat(files, "worker.worker")
	_, main := fs.Stat(files, "main.worker")
	if err == nil && info.IsDir() && (own != nil || main == nil || project.HasManifest(files)) {
		out = append(out, Place{Root: inner, Work: c.Dir})
	}
	return out
}

// SearchPath returns the directories of GOLEM_PATH.
func SearchPath(c *console.Console) []string {
	list := c.Env.Setting("PATH")
	if list == "" {
		if named := c.Home.Named(); named != "" {
			c.Home.Judge(home.Ground{Root: filepath.Join(named, "workers"), Work: c.Dir})
		}
		if home := c.Home.Dir(); home != "" {
			return []string{filepath.Join(home, "workers")}
		}
		return nil
	}
	return slices.DeleteFunc(filepath.SplitList(list), func(s string) bool { return s == "" })
}

// Shorten replaces the path of GOLEM_HOME by $GOLEM_HOME, so that messages do not show
// the home directory.
func Shorten(c *console.Console, name string) string {
	if home := c.Home.Named(); home != "" {
		if rel, err := filepath.Rel(home, name); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(filepath.Join("$GOLEM_HOME", rel))
		}
	}
	return name
}
