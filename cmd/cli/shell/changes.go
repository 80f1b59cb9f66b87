package shell

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golem/cmd/cli/shell/confine"
	"golem/core/fault"
	"golem/core/sandbox"
)

// defined has the files that define a project, as they are at one time: the SHA-256 of the
// content by the path.
type defined map[string]string

// digested is a digest that need not be computed again while the file has the same stamp.
type digested struct{ stamp, sum string }

// maxNamed is how many changed files golem names at most.
const maxNamed = 20

// defined looks at the files that commands could change although they define the project:
// where no mount protects them, under another name, through a link, or because they did not
// exist. golem's own state carries a MAC and is left out.
func (s *shell) defined(places []place) defined {
	out := defined{}
	for _, root := range sandbox.Guarded(s.env.View) {
		root = filepath.FromSlash(root)
		for _, p := range places {
			if p.Write && p.Path != s.scratch && overlap(p.Path, root) != apart {
				s.look(root, out)
				break
			}
		}
	}
	return out
}

// look adds the files below a directory that define the project.
func (s *shell) look(dir string, out defined) {
	for _, p := range s.defining(dir, func(link string) { s.file(link, out) }) {
		if p.Write || filepath.Base(p.Path) == sandbox.StateDir {
			continue
		}
		_ = filepath.WalkDir(p.Path, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				s.file(name, out)
			}
			return nil // what cannot be read has no digest, before and after
		})
	}
}

// file adds one file, or what a link leads to.
func (s *shell) file(name string, out defined) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	now := stamp(info)
	s.sums.Lock()
	known, ok := s.digests[name]
	s.sums.Unlock()
	if !ok || now == "" || known.stamp != now {
		data, err := os.ReadFile(name)
		if err != nil {
			return
		}
		sum := sha256.Sum256(data)
		known = digested{now, hex.EncodeToString(sum[:])}
		s.sums.Lock()
		if s.digests == nil {
			s.digests = map[string]digested{}
		}
		s.digests[name] = known
		s.sums.Unlock()
	}
	out[name] = known.sum
}

// changed returns the files that are not as they were, each with its digest now, "" if it is
// gone.
func (d defined) changed(now defined) map[string]string {
	out := map[string]string{}
	for name, sum := range now {
		if d[name] != sum {
			out[name] = sum
		}
	}
	for name := range d {
		if _, there := now[name]; !there {
			out[name] = ""
		}
	}
	return out
}

// ended looks at what a command has changed of the files that define the project, tells the
// person, and has golem ask before it uses them. It returns their names.
func (s *shell) ended(before defined, walls *confine.Walls) []string {
	changed := before.changed(s.defined(s.writing(walls)))
	if len(changed) == 0 {
		return nil
	}
	inside := map[string]string{} // golem itself uses nothing of git's
	var names []string
	for _, full := range slices.Sorted(maps.Keys(changed)) {
		name, err := filepath.Rel(s.host.Root, full)
		outside := err != nil || strings.HasPrefix(name, "..")
		if outside {
			name = full
		}
		name = filepath.ToSlash(name)
		repository, ofGit := before.repository(name, full)
		if !outside && !ofGit {
			inside[name] = changed[full]
		}
		if repository != "" && !slices.Contains(names, repository) {
			names = append(names, repository)
		}
	}
	if len(names) == 0 {
		return nil
	}
	if s.env.Run != nil && len(inside) > 0 {
		s.env.Run.Rewrote(inside)
	}
	shown := names
	if len(shown) > maxNamed {
		shown = append(slices.Clone(shown[:maxNamed]), fault.Count(len(names)-maxNamed, "further file"))
	}
	s.env.Log("warn", "while a command ran, files that define this project changed: "+strings.Join(shown, ", ")+"; golem asks before it uses them")
	return shown
}

// repository returns how a changed file is named, "" for an example of a hook: a new
// repository is named as a whole. ofGit reports whether the file is git's.
func (d defined) repository(name, full string) (shown string, ofGit bool) {
	const git = "/.git/"
	at := strings.Index("/"+name, git)
	if at < 0 {
		return name, false
	}
	if strings.HasSuffix(name, ".sample") {
		return "", true
	}
	top := filepath.Join(strings.TrimSuffix(filepath.ToSlash(full), name), name[:at], ".git") + string(filepath.Separator)
	for known := range d {
		if strings.HasPrefix(known, top) {
			return name, true
		}
	}
	return name[:at] + ".git, a new repository", true
}

// writing returns the places of commands.
func (s *shell) writing(walls *confine.Walls) []place {
	if walls != nil {
		return walls.Places
	}
	return []place{{Path: s.host.Root, Write: true}}
}
