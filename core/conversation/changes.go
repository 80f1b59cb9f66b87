package conversation

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

// Change says what a call left at a path of the project: a file, a directory or nothing.
type Change struct {
	Path   string `json:"path"`             // from the project's root, with slashes
	SHA256 string `json:"sha256,omitempty"` // of the file's content, hex
	Size   int64  `json:"size,omitempty"`   // of the file, in bytes
	Dir    bool   `json:"dir,omitempty"`    // it is a directory
	Gone   bool   `json:"gone,omitempty"`   // nothing is there, nor below it
	Left   string `json:"left,omitempty"`   // why the content was not kept, see LeftSize and LeftSecret
}

// Why the content of a file is not kept, or does not go along with a conversation.
const (
	LeftSize      = "size"      // it is larger than MaxFile, or all files together are larger than MaxFiles
	LeftSecret    = "secret"    // it has a secret that golem knows (SECURITY 16)
	LeftProtected = "protected" // it defines the project or holds secrets
	LeftMissing   = "missing"   // it is not there any more
)

// MaxFile is the size up to which the content of a file is kept and goes along, in bytes,
// and MaxFiles that of all files of a conversation together.
const (
	MaxFile  = 16 << 20
	MaxFiles = 128 << 20
)

// digestOf returns the SHA-256 of a content, hex.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// contentDir returns the directory in .golem with the contents of a conversation's files,
// each under its SHA-256.
func contentDir(id string) string { return path.Join(Dir, id+".d") }

// ContentFile returns where in .golem the content of a changed file lies beside a conversation.
func ContentFile(id string, c Change) string { return path.Join(contentDir(id), c.SHA256) }

// FileChange returns the change of a file with this content. If the journal keeps files, it
// stores the content beside the conversation first: the entry with the change comes after.
func (j *Journal) FileChange(name string, data []byte) Change {
	c := Change{Path: name, SHA256: digestOf(data), Size: int64(len(data))}
	if j == nil || !j.KeepsFiles {
		return c
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	c.Left = j.putContent(c, data)
	return c
}

// LargeChange returns the change of a file that is larger than MaxFile.
func LargeChange(name string, size int64) Change {
	return Change{Path: name, Size: size, Left: LeftSize}
}

// putContent stores a content and returns why it did not. The caller holds mu.
func (j *Journal) putContent(c Change, data []byte) (left string) {
	switch {
	case j.ended:
		return ""
	case j.keeper != nil && j.keeper.HasSecret(data):
		return LeftSecret
	case j.files+c.Size > MaxFiles:
		return LeftSize
	}
	if err := j.store.Files.WriteFile(ContentFile(j.ID, c), data); err != nil {
		j.fail(err)
		return ""
	}
	j.files += c.Size
	return ""
}

// Files returns what the calls of a conversation left of the project's files: first what they
// removed, also where something new is now, then directories and files. Each part is ordered
// by path.
func (k *Kept) Files() []Change {
	gone, last := map[string]Change{}, map[string]Change{}
	for i := range k.entries {
		for _, c := range k.entries[i].Changed {
			if !c.Gone {
				last[c.Path] = c
				continue
			}
			gone[c.Path] = c
			maps.DeleteFunc(last, func(name string, _ Change) bool { return sandbox.Within(name, c.Path) })
		}
	}
	var out []Change
	for _, part := range []map[string]Change{gone, last} {
		for _, name := range slices.Sorted(maps.Keys(part)) {
			out = append(out, part[name])
		}
	}
	return out
}

// fileBytes returns how many bytes of changed files were kept.
func (k *Kept) fileBytes() (n int64) {
	seen := map[string]bool{}
	for i := range k.entries {
		for _, c := range k.entries[i].Changed {
			if c.Left == "" && !seen[c.SHA256] {
				seen[c.SHA256] = true
				n += c.Size
			}
		}
	}
	return n
}

// Content returns the content of a changed file that lies beside a conversation. It returns
// E_CONFLICT if it is not there or is not what the conversation says.
func Content(s *state.Store, id string, c Change) ([]byte, error) {
	data, err := sandbox.ReadFile(s.Files, ContentFile(id, c), MaxFile)
	switch {
	case c.Left != "":
		err = notKept(c)
	case errors.Is(err, fs.ErrNotExist):
		err = fault.New(fault.Conflict, "the content of %s is not beside the conversation any more", c.Path)
	case err == nil && digestOf(data) != c.SHA256:
		err = fault.New(fault.Conflict, "the content of %s beside the conversation was changed", c.Path)
	}
	if err != nil {
		return nil, fault.Of(err, fault.Conflict).Hinting("begin a new run: this one cannot go on with the files that it had")
	}
	return data, nil
}

// Restore puts the files that the calls of a conversation left into a tree, which has the
// project as it was before them.
func Restore(s *state.Store, k *Kept, into sandbox.FS) error {
	for _, c := range k.Files() {
		var err error
		switch {
		case c.Gone:
			err = removeAll(into, c.Path)
		case c.Dir:
			err = makeAll(into, c.Path)
		default:
			var data []byte
			if data, err = Content(s, k.ID, c); err == nil {
				err = into.WriteFile(c.Path, data)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes what is at a name and below it, if there is something.
func removeAll(tree sandbox.FS, name string) error {
	info, err := fs.Stat(tree, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, sandbox.ErrNotDir):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		entries, err := fs.ReadDir(tree, name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := removeAll(tree, path.Join(name, e.Name())); err != nil {
				return err
			}
		}
	}
	return tree.Remove(name)
}

// makeAll makes a directory and those above it.
func makeAll(tree sandbox.FS, name string) error {
	at := ""
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		if err := tree.Mkdir(at, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// removeContents removes the contents that lie beside a conversation. What cannot be removed
// stays: nothing refers to it.
func removeContents(s *state.Store, id string) {
	entries, err := fs.ReadDir(s.Files, contentDir(id))
	if err != nil {
		return
	}
	for _, e := range entries {
		_ = s.Files.Remove(path.Join(contentDir(id), e.Name()))
	}
	_ = s.Files.Remove(contentDir(id))
}

// copyContents copies the contents of a conversation's files beside another one.
func copyContents(s *state.Store, k *Kept, id string) error {
	if _, err := fs.Stat(s.Files, contentDir(k.ID)); errors.Is(err, fs.ErrNotExist) {
		return nil // the files themselves outlive the process
	}
	for _, c := range k.Files() {
		if c.SHA256 == "" || c.Left != "" {
			continue
		}
		data, err := Content(s, k.ID, c)
		if err != nil {
			return err
		}
		if err := s.Files.WriteFile(ContentFile(id, c), data); err != nil {
			return err
		}
	}
	return nil
}
