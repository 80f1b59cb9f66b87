package sandbox

import (
	"io/fs"
	"path"
	"slices"
	"sync"
	"time"

	"golem/core/fault"
)

// maxLookedAt is the most files that one search for protected files with hard
// links examines.
const maxLookedAt = 200_000

// secrets are the files in a view's mounts that workers cannot read and that
// have more than one name. golem looks for them only when a worker reads a file
// with more than one name.
type secrets struct {
	mu    sync.Mutex
	files []secret
	whole bool      // the search examined all files
	until time.Time // when the search must be repeated
}

// secret is a file that workers cannot read, in the form in which its tree
// compares files.
type secret struct {
	info fs.FileInfo
	tree Identifier
}

// identity returns an error if the file is a protected file under another name
// (a hard link). It searches only if the tree says that the file has more than
// one name.
func (v *view) identity(fsys FS, info fs.FileInfo, name string) error {
	if err := v.spec.Protection.identity(fsys, info, name); err != nil {
		return err
	}
	l, ok := info.(Linked)
	if !ok || l.Links() < 2 || info.IsDir() || !v.spec.Protection.hides() {
		return nil
	}
	v.secrets.mu.Lock()
	defer v.secrets.mu.Unlock()
	if start := time.Now(); !start.Before(v.secrets.until) {
		v.secrets.search(v.spec.searched(), v.spec.Protection)
		v.secrets.until = time.Now().Add(20 * time.Since(start)) // so that searching takes at most a twentieth of the time
	}
	if !v.secrets.whole {
		return fault.New(fault.Protected, "%s is a hard link, and the mounts have too many files to find out whether its other name is protected", Abs(name)).
			Hinting("replace the hard link by a copy of the file")
	}
	for _, s := range v.secrets.files {
		if s.tree.SameFile(s.info, info) {
			return fault.New(fault.Protected, "%s is a link to a protected file, which workers cannot read", Abs(name))
		}
	}
	return nil
}

// searched returns the mounts in which a view looks for secrets: its own, without its
// restrictions and its caller's bound, and those of all its callers.
func (s ViewSpec) searched() []Mount {
	var out []Mount
	add := func(m Mount) {
		if !slices.ContainsFunc(out, func(o Mount) bool { return o.FS == m.FS && o.Source == m.Source }) {
			out = append(out, m)
		}
	}
	if b := s.Bound; b != nil {
		for _, m := range b.searched {
			add(m)
		}
	}
	for _, m := range s.Mounts {
		if m.File != "" {
			m.File, m.Source = "", path.Dir(m.Source)
		}
		add(m)
	}
	return out
}

// search finds the protected files with more than one name. The caller holds mu.
func (s *secrets) search(mounts []Mount, protection Protection) {
	s.files, s.whole = nil, true
	seen := 0
	for _, looked := range mounts {
		m := mounted{Mount: looked, source: looked.Source}
		id, ok := m.FS.(Identifier)
		if !ok || m.Source == "" {
			continue
		}
		_ = fs.WalkDir(m.FS, ".", func(rel string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be listed cannot be compared
			}
			if seen++; seen > maxLookedAt {
				s.whole = false
				return fs.SkipAll
			}
			if e.IsDir() || protection.read(place{mount: &m, rel: rel}) == nil {
				return nil
			}
			info, err := e.Info()
			if err != nil {
				return nil
			}
			if l, ok := info.(Linked); ok && l.Links() != 1 {
				s.files = append(s.files, secret{info, id})
			}
			return nil
		})
	}
}
