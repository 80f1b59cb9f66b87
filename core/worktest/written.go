package worktest

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Written is what a run made of the files, by their paths from the project root: the content
// of each file that it changed or made, nil for one that it deleted.
type Written map[string][]byte

// mostWritten is the largest file of a Written, in bytes.
const mostWritten = 64 << 20

// WrittenIn returns what was made of the files of before, where after shows them now. after is
// an overlay (sandbox.Overlay).
func WrittenIn(before, after sandbox.FS) (Written, error) {
	out := Written{}
	for _, name := range sandbox.Changed(after) {
		if info, err := fs.Stat(before, name); err != nil || !info.IsDir() {
			if err := out.note(name, before, after); err != nil {
				return nil, err
			}
			continue
		}
		err := fs.WalkDir(before, name, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			return out.note(name, before, after)
		})
		if err != nil {
			return nil, fault.Of(err, fault.Path)
		}
	}
	return out, nil
}

// note adds a file if it has another content now.
func (w Written) note(name string, before, after fs.FS) error {
	was, err := sandbox.ReadFile(before, name, mostWritten)
	missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, sandbox.ErrNotDir)
	if err != nil && !missing {
		return fault.Of(err, fault.Path)
	}
	now, err := sandbox.ReadFile(after, name, mostWritten)
	switch {
	case err == nil && (missing || !bytes.Equal(was, now)):
		w[name] = append([]byte{}, now...)
	case err != nil && !missing:
		w[name] = nil
	}
	return nil
}

// Same reports whether two runs made the same of the files.
func (w Written) Same(other Written) bool {
	if len(w) != len(other) {
		return false
	}
	for name := range w {
		if !sameFile(w, other, name) {
			return false
		}
	}
	return true
}

// sameFile reports whether two runs made the same of one file.
func sameFile(a, b Written, name string) bool {
	x, inA := a[name]
	y, inB := b[name]
	return inA == inB && (x == nil) == (y == nil) && bytes.Equal(x, y)
}

// FileState is what a run made of one file.
type FileState struct {
	State string `json:"state"` // written, deleted or unchanged
	Text  string `json:"text,omitempty"`
}

// FileDifference is a file that two runs left otherwise.
type FileDifference struct {
	Path string    `json:"path"`
	Want FileState `json:"expected"`
	Got  FileState `json:"got"`
}

// State returns what was made of a file.
func (w Written) State(name string) FileState {
	data, is := w[name]
	switch {
	case !is:
		return FileState{State: "unchanged"}
	case data == nil:
		return FileState{State: "deleted"}
	}
	return FileState{State: "written", Text: string(bytes.ToValidUTF8(data, []byte("\uFFFD")))}
}

// Differences returns the files that got has otherwise than w, in the order of their paths.
func (w Written) Differences(got Written) (out []FileDifference) {
	all := Written{}
	maps.Copy(all, w)
	maps.Copy(all, got)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !sameFile(w, got, name) {
			out = append(out, FileDifference{name, w.State(name), got.State(name)})
		}
	}
	return out
}
