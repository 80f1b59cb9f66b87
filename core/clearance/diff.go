package clearance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"

	"golem/core/sandbox"
	"golem/core/textdiff"
)

// FileDiff is the change that pushing an item makes to one file.
type FileDiff struct {
	Place
	Patch string // a unified diff; one line if the file is not text or is too large
}

// The limits of a diff, in bytes.
const (
	maxDiffed = 4 << 20  // of one file that is compared line by line, old and new content together
	maxShown  = 16 << 20 // of the diffs of all files together
)

// Diff compares an item with the files that are in its places now. If the item may only
// be shown (Item.Err), Diff shows its content and compares it with nothing.
func (s *Store) Diff(it Item, target string) ([]FileDiff, error) {
	if it.Err != nil {
		out := make([]FileDiff, len(it.Changes))
		for n, c := range it.Changes {
			out[n] = FileDiff{Place: Place{Change: c, To: c.Name()}, Patch: s.shelf().foreign(it.ID, c)}
		}
		return out, nil
	}
	places, err := s.Places(it, target)
	if err != nil {
		return nil, err
	}
	steps, err := s.steps(it, target)
	if err != nil {
		return nil, err
	}
	out := make([]FileDiff, len(steps))
	shown := 0
	for n, st := range steps {
		out[n].Place = places[n]
		if out[n].Patch, err = s.patch(it.ID, st, shown); err != nil {
			return nil, err
		}
		shown += len(out[n].Patch)
	}
	return out, nil
}

// foreign returns the content of a file of an item that may only be shown, as a diff
// from an empty file.
func (s shelf) foreign(id string, c Change) string {
	if sum, err := hex.DecodeString(c.Digest); err != nil || len(sum) != sha256.Size {
		return fmt.Sprintf("File %s is removed\n", c.Name())
	}
	info, err := fs.Stat(s.state.Files, s.path(id, c.Digest))
	if err == nil && info.Size() <= maxDiffed {
		if data, err := s.content(id, c.Digest); err == nil && !isBinary(data) {
			return textdiff.Unified("/dev/null", "b/"+c.Name(), "", string(data))
		}
	}
	return fmt.Sprintf("File %s (%d bytes) is not shown: it is missing, too large, or no text\n", c.Name(), c.Size)
}

func (s *Store) patch(id string, st step, shown int) (string, error) {
	from, to := "a/"+st.to, "b/"+st.to
	now, err := digestAt(st.fs, st.name)
	if err != nil {
		return "", err
	}
	if now == "" {
		from = "/dev/null"
	}
	if st.want == "" {
		to = "/dev/null"
	}
	var size int64
	if now != "" && now != folder {
		f, err := st.fs.Open(st.name)
		if err != nil {
			return "", err
		}
		info, err := f.Stat()
		if err = closing(f, err); err != nil {
			return "", err
		}
		size = info.Size()
	}
	if now == st.want {
		return fmt.Sprintf("%s is already so\n", st.to), nil
	}
	switch {
	case now == folder && st.want == "":
		return fmt.Sprintf("Directory %s is removed, if it is empty then\n", st.to), nil
	case now == folder:
		return fmt.Sprintf("Directory %s becomes a file\n", st.to), nil
	case st.want == folder:
		return fmt.Sprintf("Directory %s is made\n", st.to), nil
	}
	if size+st.Size > maxDiffed || shown > maxShown {
		return fmt.Sprintf("Files %s (%d bytes) and %s (%d bytes) differ\n", from, size, to, st.Size), nil
	}
	var old, next []byte
	if now != "" {
		if old, err = sandbox.ReadFile(st.fs, st.name, maxDiffed); err != nil {
			return "", err
		}
	}
	if st.want != "" {
		if next, err = s.shelf().content(id, st.want); err != nil {
			return "", err
		}
	}
	if isBinary(old) || isBinary(next) {
		return fmt.Sprintf("Binary files %s (%d bytes) and %s (%d bytes) differ\n", from, len(old), to, len(next)), nil
	}
	if patch := textdiff.Unified(from, to, string(old), string(next)); patch != "" {
		return patch, nil
	}
	return fmt.Sprintf("--- %s\n+++ %s\n", from, to), nil // an empty file is created or removed
}

func closing(f interface{ Close() error }, err error) error {
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
