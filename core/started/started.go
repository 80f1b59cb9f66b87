// Package started finds the files of a project that a command line starts, and computes
// their digests. A setting that a person trusted may start such a file, so it is
// protected like a definition file, and its bytes are part of what was trusted (SPEC §3,
// SECURITY 17).
//
// A file counts if the command line names it in any spelling, also inside the text of
// sh -c, or if a started script names it. Names are compared with the files that exist,
// so that no grammar of a shell or of a program has to be known: at worst a file is
// protected that would not be started.
package started

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golem/core/sandbox"
)

// Command is one command line of a setting.
type Command struct {
	Program string
	Args    []string
	Env     map[string]string
}

// Tree is the directory in which a command line is started.
type Tree struct {
	FS fs.FS
	// Root is the source of the directory, see sandbox.SourceOf; "" if it is not known.
	Root string
	// Locate returns the absolute slash path of a program as the platform finds it in PATH,
	// or of an absolute path; "" if there is none. It follows all links, or with last false
	// all but the last one. nil: the platform starts no programs.
	Locate func(name string, last bool) string
}

// Scope says which other files of the project a command line may run.
type Scope string

// The scopes.
const (
	Named Scope = ""     // only those of Files
	Code  Scope = "code" // also code that a started script loads
	Any   Scope = "any"  // every file, as make and the runners of package scripts do
)

// Started has the files that a command line starts.
type Started struct {
	// Files are the names of existing files and of whole directories, sorted.
	Files []string
	// Absent are names that the command line would start or load if they existed, sorted.
	Absent []string
	Scope  Scope
}

// Names returns all names that must be protected.
func (s Started) Names() []string { return slices.Concat(s.Files, s.Absent) }

// finder collects what one command line starts.
type finder struct {
	tree   Tree
	files  map[string]bool
	absent map[string]bool
	dirs   []string // directories that the command line names, for cd sub && ./x
	scope  Scope
	looked int // how many names were looked up

	runs     string                     // the program whose arguments are read, see base
	scripted bool                       // its script was named: what follows are the script's arguments
	listings map[string]map[string]bool // see listing
}

// Limits of one command line.
const (
	maxLooks   = 10_000  // names that are looked up
	maxDirs    = 16      // directories below which names are looked up
	maxScripts = 200     // scripts that are read
	maxScript  = 1 << 20 // bytes of one script
)

// Of returns what a command line starts. What is too much to look through has the scope
// Any.
func (t Tree) Of(c Command) Started {
	f := &finder{tree: t, files: map[string]bool{}, absent: map[string]bool{}, listings: map[string]map[string]bool{}}
	f.program(c.Program)
	f.runs = base(c.Program)
	for _, arg := range c.Args {
		f.argument(arg)
	}
	f.searchDirectories(c)
	f.environment(c.Env)
	f.scripts()
	f.packages()
	if f.looked > maxLooks {
		f.scope = Any
	}
	for name := range f.files {
		delete(f.absent, name)
	}
	return Started{Files: sorted(f.files), Absent: sorted(f.absent), Scope: f.scope}
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// base returns the name of a program without its directory, version and extension, in
// lower case: python for /usr/bin/python3.12.
func base(program string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/")))
	for _, ext := range []string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, ext)
	}
	if short := strings.TrimRight(name, "0123456789.-"); short != "" {
		return short
	}
	return name
}

// program records the program itself. A name without a slash is looked for in PATH, which
// may lead into the project.
func (f *finder) program(name string) {
	f.runner(base(name))
	slashed := strings.ReplaceAll(name, `\`, "/")
	if !strings.Contains(slashed, "/") {
		if f.tree.Locate != nil {
			if inside, ok := f.relative(f.tree.Locate(name, false)); ok {
				f.named(inside)
			}
		}
		return
	}
	for _, n := range f.spellings(slashed) {
		f.named(n)
	}
}

// named records a file that is certainly started, also if it does not exist yet.
func (f *finder) named(name string) {
	if !f.file(name) && f.kind(name) == missing {
		f.absent[name] = true
	}
}

// argument records the files that one argument names.
func (f *finder) argument(arg string) {
	found := false
	for _, name := range f.words(arg) {
		switch f.kind(name) {
		case regular, special:
			found = f.file(name) || found
		case directory:
			f.dirs = append(f.dirs, name)
			if !f.scripted && packagers[f.runs] {
				f.directory(name)
			}
		case missing:
			if looksLikeCode(name) && !strings.ContainsAny(name, "*?") {
				f.absent[name] = true
			}
		}
	}
	starts := f.runs
	if known(starts) || wrappers[starts] {
		for _, word := range fields(arg) {
			name := base(word)
			if f.runner(name); known(name) || wrappers[name] {
				f.runs = name
			}
		}
	}
	switch {
	case arg == "-m" && f.runs == "python":
		f.widen(Any)
	case strings.HasPrefix(arg, "-"), f.runs != starts, subcommands[arg], wrappers[starts]:
		return
	case !found && interpreters[starts] && !f.scripted:
		f.scriptOf(arg)
	}
	f.scripted = true
}

// scriptOf records the script of an interpreter that names it without its extension, or that
// does not exist yet.
func (f *finder) scriptOf(arg string) {
	found := false
	for _, name := range f.spellings(arg) {
		for _, ext := range tries {
			found = f.file(name+ext) || found
		}
		if !found && path.Ext(name) != "" && f.kind(name) == missing {
			f.absent[name] = true
		}
	}
}

// environment records the code that variables name, and the directories of search paths.
func (f *finder) environment(env map[string]string) {
	for variable, value := range env {
		for _, name := range f.words(value) {
			switch {
			case f.isCode(name):
				f.file(name)
			case strings.HasSuffix(variable, "PATH") || strings.HasSuffix(variable, "LIB"):
				if f.kind(name) == directory {
					f.directory(name)
				}
			}
		}
	}
}

// searchDirectories looks for all words of a command line in the directories that it names.
func (f *finder) searchDirectories(c Command) {
	dirs := slices.Compact(slices.Sorted(slices.Values(f.dirs)))
	if len(dirs) > maxDirs {
		f.scope, dirs = Any, dirs[:maxDirs]
	}
	for _, dir := range dirs {
		if dir == "." {
			continue
		}
		for _, text := range append([]string{c.Program}, c.Args...) {
			for _, word := range fields(text) {
				if name := path.Join(dir, word); name != dir && !absolute(word) && fs.ValidPath(name) {
					f.file(name)
				}
			}
		}
	}
}

// widen makes the scope wider, never narrower.
func (f *finder) widen(s Scope) {
	if f.scope != Any && s != Named {
		f.scope = s
	}
}

// kinds of what a name stands for.
const (
	missing = iota
	regular
	directory
	special
)

// kind returns what a name stands for. It opens nothing, so that a FIFO cannot stop it. A
// link that leads out of the project is special.
func (f *finder) kind(name string) int {
	if f.looked++; f.looked > maxLooks || !fs.ValidPath(name) {
		return missing
	}
	info, err := fs.Stat(f.tree.FS, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing
	case err != nil:
		return special
	case info.Mode().IsRegular():
		return regular
	case info.IsDir():
		return directory
	}
	return special
}

// file records a file that exists. It reports whether it does.
func (f *finder) file(name string) bool {
	switch f.kind(name) {
	case regular, special:
		f.record(name)
		return true
	}
	return false
}

// record records a name and, if links lead to another place in the project, that place.
// Golem's own and git's directories are protected anyway.
func (f *finder) record(name string) {
	if !sandbox.Secret(name) {
		f.files[name] = true
	}
	if links, ok := f.tree.FS.(sandbox.Resolver); ok {
		if real, err := links.Resolve(name); err == nil && real != name && !sandbox.Secret(real) {
			f.files[real] = true
		}
	}
}

// directory records a directory that is loaded as a whole. The root itself makes the scope
// Any.
func (f *finder) directory(name string) {
	if name == "." {
		f.widen(Any)
		return
	}
	f.record(name)
}

// packages adds the nearest package directory below the root for each started file. If the
// root is the package, every file may run.
func (f *finder) packages() {
	for _, name := range sorted(f.files) {
		for dir := path.Dir(name); ; dir = path.Dir(dir) {
			if f.isPackage(dir) {
				f.directory(dir)
				break
			}
			if dir == "." {
				break
			}
		}
	}
	for name := range f.files { // a file of a recorded directory needs no line of its own
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if f.files[dir] {
				delete(f.files, name)
				break
			}
		}
	}
}

func (f *finder) isPackage(dir string) bool {
	return slices.ContainsFunc(markers, func(m string) bool { return f.kind(path.Join(dir, m)) != missing })
}
