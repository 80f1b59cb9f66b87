package sandbox

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// StateDir is the directory in a project's root where golem keeps its own state of the
// project, such as traces. No worker can read it or write to it.
const StateDir = ".golem"

// Protection is the set of rules that protect the files that define a project. It
// judges a file by where it really is, whichever mount leads to it (SECURITY 4).
// The zero value protects nothing.
type Protection struct {
	Root string // source of the project root, as SourceOf returns it
	// Rules protect paths below Root; nil: none is protected.
	Rules *Rules
	// Files describe the files that workers cannot read, so that a hard link to
	// one of them is recognised.
	Files []fs.FileInfo
	// Closed are the places where no worker may read or write, whichever mount
	// or link leads to them, such as $GOLEM_HOME.
	Closed []string
	// Also has further protections that apply together with this one.
	Also []Protection
}

// hides reports whether the protection can forbid reading any file.
func (p Protection) hides() bool {
	return p.Rules != nil || len(p.Closed) > 0 || slices.ContainsFunc(p.Also, Protection.hides)
}

// locate returns a source in the same form as Root: a relative source is joined to
// an absolute Root.
func (p Protection) locate(source string) string {
	if source == "" || absolute(source) || !absolute(p.Root) {
		return source
	}
	return path.Join(p.Root, source)
}

// absolute reports whether a source is an absolute path on any platform.
func absolute(source string) bool {
	return strings.HasPrefix(source, "/") || len(source) > 1 && source[1] == ':'
}

// relative returns a source as a folded path in the project. ok is false if it
// is outside.
func (p Protection) relative(source string) (rel string, ok bool) {
	root, rel := Fold(p.Root), Fold(source)
	if !isInside(rel, root) {
		return "", false
	}
	switch root {
	case rel:
		return ".", true
	case ".":
		return rel, true
	}
	return strings.TrimPrefix(rel[len(root):], "/"), true
}

// read returns E_PROTECTED if no worker may read the place.
func (p Protection) read(pl place) error {
	source := pl.source()
	for _, also := range p.Also {
		if err := also.read(pl); err != nil {
			return err
		}
	}
	for _, c := range p.Closed {
		if contains(c, source) {
			return fault.New(fault.Protected, "%s is golem's own directory, $GOLEM_HOME, or a part of it", Abs(pl.name)).
				Hinting("no worker can read or change files there: keep the project and its mounts elsewhere")
		}
	}
	rel, ok := p.relative(source)
	if !ok || p.Rules == nil || !unreadable(rel) {
		return nil
	}
	return fault.New(fault.Protected, "%s cannot be read by a worker: it holds secrets or golem's own state", Abs(pl.name)).
		Hinting(".env, .golem and .git are outside every sandbox")
}

// Pushing checks the source to which a person pushes a staged file; the source need not
// be in any view. It returns E_PROTECTED if golem never writes there. definition reports
// whether the file defines the project.
func (p Protection) Pushing(source string) (definition bool, err error) {
	at := place{name: source, mount: &mounted{source: p.locate(source)}, rel: "."}
	if err := p.read(at); err != nil {
		return false, err
	}
	if Secret(source) {
		return false, fault.New(fault.Protected, "%s is in a directory that golem never writes: .env, .golem or .git", source).
			Hinting("discard the item, or push to another target")
	}
	return p.write(at) != nil, nil
}

// write returns E_PROTECTED if no worker may write the place.
func (p Protection) write(pl place) error {
	for _, also := range p.Also {
		if err := also.write(pl); err != nil {
			return err
		}
	}
	if len(p.Closed) > 0 {
		if err := (Protection{Closed: p.Closed}).read(pl); err != nil {
			return err
		}
	}
	rel, ok := p.relative(pl.source())
	if !ok || p.Rules == nil || !p.Rules.NoWrite(rel) {
		return nil
	}
	return fault.New(fault.Protected, "%s defines this project and cannot be changed by a worker", Abs(pl.name)).
		Hinting("write somewhere else; only a person edits workers, tools, templates and the manifest")
}

// identity returns an error if the file is a protected one under another name.
func (p Protection) identity(fsys FS, info fs.FileInfo, name string) error {
	for _, also := range p.Also {
		if err := also.identity(fsys, info, name); err != nil {
			return err
		}
	}
	id, ok := fsys.(Identifier)
	if !ok {
		return nil
	}
	for _, f := range p.Files {
		if id.SameFile(f, info) {
			return fault.New(fault.Protected, "%s is a link to a protected file, which workers cannot read", Abs(name))
		}
	}
	return nil
}

// Controls is the description of the files that define a project, from which
// Protect makes a Protection.
type Controls struct {
	Root     string   // as in Protection.Root
	Dirs     []string // directories of workers, prompts and tools in addition to the usual ones
	Manifest string   // "" if there is no manifest
	// Defines reports, for a folded path, whether the project was read from
	// this file, or its manifest or workers refer to it.
	Defines func(path string) bool
	Files   []fs.FileInfo // as in Protection.Files
	// Whole says that everything below Root defines the project, because
	// workers work in another directory.
	Whole bool
	// Bare says that nothing below Root defines a project: only what no worker can read is
	// protected.
	Bare bool
}

// controlDirs are the directories in the project root that workers can never
// write to (SPEC §8).
var controlDirs = []string{"workers", "tools", "toolsets", "templates", "prompts", "schemas", "tests/recordings", "skills", ".agents/skills", ".claude/skills"}

// ControlDirs returns the directories in the project root that workers can never write to.
func ControlDirs() []string { return slices.Clone(controlDirs) }

// manifests are the possible names of a manifest, without extension.
var manifests = []string{"project", "llm-do", "golem-forge.config"}

// Protect returns the protection of SPEC §8: no worker can write the manifest,
// workers, tools, templates, prompts, schemas, skills, modules, lock files, ignore files, .golem,
// .env, .env.* and .git, and no worker can read what Secret names.
func (c Controls) Protect() Protection {
	var dirs []string
	for _, d := range append(append([]string{}, controlDirs...), c.Dirs...) {
		if d = Fold(path.Clean(d)); d != "." {
			dirs = append(dirs, d)
		}
	}
	fixed := map[string]bool{".golemignore": true, ".llm-doignore": true, "lib.yaml": true, "tools.lock": true, "golem.lock": true}
	for _, m := range manifests {
		fixed[m+".yaml"], fixed[m+".yml"] = true, true
	}
	if c.Manifest != "" {
		fixed[Fold(c.Manifest)] = true
	}
	return Protection{Root: c.Root, Rules: &Rules{controls: c, dirs: dirs, fixed: fixed}, Files: c.Files}
}

// Rules are the rules of a Protection for the paths of a project. Controls.Protect makes them.
type Rules struct {
	controls Controls
	dirs     []string        // all control directories, folded
	fixed    map[string]bool // names of control files, folded
}

// NoWrite reports whether no worker may write a path, which is relative to the project's root,
// in the form of Fold.
func (r *Rules) NoWrite(rel string) bool {
	c := r.controls
	if c.Bare {
		return rel == "." || unreadable(rel)
	}
	if c.Whole || rel == "." || r.fixed[rel] || unreadable(rel) || strings.HasSuffix(rel, ".tools.yaml") || c.Defines != nil && c.Defines(rel) {
		return true
	}
	switch path.Ext(rel) {
	case ".worker", ".wasm":
		return true
	}
	return slices.ContainsFunc(r.dirs, func(d string) bool { return Within(rel, d) })
}

// Secret reports whether no worker can read the file with a project-relative
// name: .env, names that begin with .env., .golem, .git and everything in them, in any
// spelling.
func Secret(name string) bool { return unreadable(Fold(name)) }

// unreadable reports what Secret reports, for a name that is already folded.
func unreadable(rel string) bool {
	for _, e := range strings.Split(rel, "/") {
		if e == StateDir || e == ".git" || e == ".env" || strings.HasPrefix(e, ".env.") || shortSecret(e) {
			return true
		}
	}
	return false
}

// shortSecret reports whether a folded name may be the short name (8.3) that
// Windows gives to .git, .golem or .env, such as GIT~1 or GI7EB9~1.
func shortSecret(e string) bool {
	stem, number, ok := strings.Cut(e, "~")
	if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
		return false
	}
	switch stem {
	case "git", "golem", "env":
		return true
	}
	return len(stem) == 6 && strings.Trim(stem[2:], "0123456789abcdef") == "" &&
		(stem[:2] == "gi" || stem[:2] == "go" || stem[:2] == "en")
}

// DotEnvs returns the infos of .env and .env.local in the root of a project, as far as
// they exist, so that hard links to them are recognised (Protection.Files).
func DotEnvs(project fs.FS) []fs.FileInfo {
	var out []fs.FileInfo
	for _, name := range []string{".env", ".env.local"} {
		if info, err := fs.Stat(project, name); err == nil {
			out = append(out, info)
		}
	}
	return out
}
