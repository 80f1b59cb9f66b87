package shell

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golem/cmd/cli/shell/confine"
	"golem/core/fault"
	"golem/core/sandbox"
)

// protect adds to the walls what commands must not change, and what they must not see.
// What does not exist yet cannot be protected: changes looks at that afterwards.
func (s *shell) protect(w *confine.Walls) error {
	for _, c := range s.host.Closed {
		c = filepath.FromSlash(c)
		if !slices.ContainsFunc(w.Places, func(p place) bool { return overlap(p.Path, c) == outer }) {
			continue
		}
		if !w.Spaces.Mounts {
			return fault.New(fault.Escalation, "no command was run: $GOLEM_HOME is in a directory that commands reach, and this kernel gives golem no mount namespace to hide it").
				Hinting("set GOLEM_HOME to a directory elsewhere")
		}
		w.Hidden = append(w.Hidden, c)
	}
	if w.Spaces.Mounts {
		w.Protected = s.definitions(w.Places)
	}
	return nil
}

// definitions returns what defines the project and its libraries in the places where
// commands write, with the directories that lead to it from such a place.
func (s *shell) definitions(places []place) []confine.Protected {
	var out []confine.Protected
	seen := map[string]bool{}
	add := func(all []confine.Protected) {
		for _, p := range all {
			if !seen[p.Path] {
				seen[p.Path] = true
				out = append(out, p)
			}
		}
	}
	for _, root := range sandbox.Guarded(s.env.View) {
		root = filepath.FromSlash(root)
		for _, p := range places {
			if !p.Write || p.Path == s.scratch {
				continue
			}
			switch overlap(p.Path, root) {
			case outer:
				if found := s.defining(root, func(string) {}); len(found) > 0 {
					add(leads(p.Path, root))
					add(found)
				}
			case inner:
				add(s.defining(p.Path, func(string) {}))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b confine.Protected) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// leads returns the directories below top that lead to dir, and dir itself.
func leads(top, dir string) []confine.Protected {
	var out []confine.Protected
	for ; dir != top && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		out = append(out, confine.Protected{Path: dir, Write: true})
	}
	slices.Reverse(out)
	return out
}

// unsearched are directories in which nothing defines a project unless a worker refers to
// it; they can have a hundred thousand files.
var unsearched = []string{"node_modules", ".venv", "__pycache__"}

// defining returns what below a directory defines a project, each after the directories that
// lead to it. A link cannot be protected, only looked at afterwards: link gets it.
func (s *shell) defining(dir string, link func(name string)) []confine.Protected {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // a command cannot write there either, or can only after it has changed the mode: changes sees it
	}
	var out []confine.Protected
	for _, e := range entries {
		full := filepath.Join(dir, e.Name())
		var found []confine.Protected
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			if sandbox.Defines(s.env.View, filepath.ToSlash(full)) {
				link(full)
			}
		case e.Name() == ".git" && e.IsDir():
			found = gitStore(full)
		case sandbox.Defines(s.env.View, filepath.ToSlash(full)):
			out = append(out, confine.Protected{Path: full})
		case e.IsDir() && !slices.Contains(unsearched, e.Name()):
			found = s.defining(full, link)
		}
		if len(found) > 0 {
			out = append(append(out, confine.Protected{Path: full, Write: true}), found...)
		}
	}
	return out
}

// gitStore returns what in a directory of git decides what git does and starts: its
// configuration, hooks and info. The rest is git's to write. Modules and worktrees have
// their own.
func gitStore(dir string) []confine.Protected {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []confine.Protected
	for _, e := range entries {
		full := filepath.Join(dir, e.Name())
		switch name := e.Name(); {
		case e.Type()&fs.ModeSymlink != 0:
		case name == "hooks" || name == "info" || strings.HasPrefix(name, "config"):
			out = append(out, confine.Protected{Path: full})
		case (name == "modules" || name == "worktrees") && e.IsDir():
			if found := gitStores(full); len(found) > 0 {
				out = append(append(out, confine.Protected{Path: full, Write: true}), found...)
			}
		}
	}
	return out
}

// gitStores returns the same for the directories of git below dir. A module's name can have
// several parts.
func gitStores(dir string) []confine.Protected {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []confine.Protected
	for _, e := range entries {
		full := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			continue
		}
		found := gitStores
		if slices.ContainsFunc([]string{"HEAD", "config", "config.worktree", "objects", "gitdir"}, func(name string) bool {
			_, err := os.Lstat(filepath.Join(full, name))
			return err == nil
		}) {
			found = gitStore
		}
		if inside := found(full); len(inside) > 0 {
			out = append(append(out, confine.Protected{Path: full, Write: true}), inside...)
		}
	}
	return out
}
