package sandbox

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// Protection guards a project's definition files by where they lie, whatever
// mount they are reached through (SECURITY 4). The zero value guards nothing.
type Protection struct {
	Root string // source of the project root, as SourceOf tells it
	// NoWrite and NoRead judge a path relative to the project root, folded
	// with Fold. nil: none.
	NoWrite, NoRead func(path string) bool
	// Files are the infos of unreadable files, so that a hard link to one is
	// known by its identity.
	Files []fs.FileInfo
	// Closed are sources of which nobody reads or changes anything, by whatever
	// mount or link it is reached: $GOLEM_HOME.
	Closed []string
	// Also are further protections that hold beside this one.
	Also []Protection
}

// hides reports whether there is anything that is not readable.
func (p Protection) hides() bool {
	return p.NoRead != nil || len(p.Closed) > 0 || slices.ContainsFunc(p.Also, Protection.hides)
}

// locate is a source in the terms of Root: a relative one lies in the project.
func (p Protection) locate(source string) string {
	if source == "" || absolute(source) || !absolute(p.Root) {
		return source
	}
	return path.Join(p.Root, source)
}

// absolute reports whether a source is a real path, on any platform.
func absolute(source string) bool {
	return strings.HasPrefix(source, "/") || len(source) > 1 && source[1] == ':'
}

// relative is a source as a folded path in the project; ok is false outside it.
func (p Protection) relative(source string) (rel string, ok bool) {
	root, rel := Fold(p.Root), Fold(source)
	if !inside(rel, root) {
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
	if !ok || p.NoRead == nil || !p.NoRead(rel) {
		return nil
	}
	return fault.New(fault.Protected, "%s cannot be read by a worker: it holds secrets or golem's own state", Abs(pl.name)).
		Hinting(".env, .golem and .git are outside every sandbox")
}

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
	if !ok || p.NoWrite == nil || !p.NoWrite(rel) {
		return nil
	}
	return fault.New(fault.Protected, "%s defines this project and cannot be changed by a worker", Abs(pl.name)).
		Hinting("write somewhere else; only a person edits workers, tools, templates and the manifest")
}

// identity refuses a file that is an unreadable one under another name.
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

// Controls describes where a project keeps its definitions.
type Controls struct {
	Root     string   // see Protection.Root
	Dirs     []string // workers, prompts and tool roots beside the usual ones
	Manifest string   // "" if there is none
	// Defines reports further files that the project was read from, or that its
	// manifest or workers refer to, by folded path.
	Defines func(path string) bool
	Files   []fs.FileInfo // see Protection.Files
	// Whole says that all below Root are definitions: workers work elsewhere.
	Whole bool
}

// controlDirs are never writable at the project root (SPEC §8).
var controlDirs = []string{"workers", "tools", "toolsets", "templates", "prompts", "schemas"}

// manifests are the names a project file can have.
var manifests = []string{"project", "llm-do", "golem-forge.config"}

// Protect is the protection of SPEC §8: manifest, workers, tools, templates,
// prompts, schemas, modules, .golem, .env and .git are never writable; the
// last three are not readable either.
func (c Controls) Protect() Protection {
	var dirs []string
	for _, d := range append(append([]string{}, controlDirs...), c.Dirs...) {
		if d = Fold(path.Clean(d)); d != "." {
			dirs = append(dirs, d)
		}
	}
	fixed := map[string]bool{".golemignore": true, ".llm-doignore": true, "lib.yaml": true, "tools.lock": true}
	for _, m := range manifests {
		fixed[m+".yaml"], fixed[m+".yml"] = true, true
	}
	if c.Manifest != "" {
		fixed[Fold(c.Manifest)] = true
	}
	secret := func(rel string) bool {
		for _, e := range strings.Split(rel, "/") {
			if e == ".golem" || e == ".git" || e == ".env" || strings.HasPrefix(e, ".env.") || shortSecret(e) {
				return true
			}
		}
		return false
	}
	write := func(rel string) bool {
		if c.Whole || rel == "." || fixed[rel] || secret(rel) || strings.HasSuffix(rel, ".tools.yaml") || c.Defines != nil && c.Defines(rel) {
			return true
		}
		switch path.Ext(rel) {
		case ".worker", ".wasm":
			return true
		}
		for _, d := range dirs {
			if Within(rel, d) {
				return true
			}
		}
		return false
	}
	return Protection{Root: c.Root, NoWrite: write, NoRead: secret, Files: c.Files}
}

// shortSecret reports whether a folded name may be the short name (8.3) that
// Windows gives to .git, .golem or .env: GIT~1, or GI7EB9~1.
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
