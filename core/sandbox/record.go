package sandbox

import "path"

// Op is the kind of change that a Write describes.
type Op int

// The kinds of changes.
const (
	OpWrite Op = iota
	OpRemove
	OpRename
	OpMkdir
)

// Write is a change of the real files of a mount, not of staged ones. ViewSpec.Record
// gets it before the change is made. All names are sources, see SourceOf: Mount and
// ToMount are those of the mounts' directories, Name and To those of the files.
type Write struct {
	Op          Op
	Mount, Name string
	Data        []byte // the new content, only for OpWrite
	ToMount, To string // the new place, only for OpRename
}

// where returns the source of the mount's directory and the source of the place.
func (p place) where() (mount, name string) {
	mount = p.mount.Source
	if p.mount.File != "" {
		mount = path.Dir(mount)
	}
	return mount, p.source()
}

// change passes w to Changes.Before, calls do, which makes the change, and then the function
// that Before returned. Changes of staged files, and of files without a source, are not
// recorded.
func (v *view) change(w Write, at, to place, do func() error) error {
	if v.spec.Changes == nil || at.source() == "" || stages(at.mount.fs) {
		return do()
	}
	w.Mount, w.Name = at.where()
	if w.Op == OpRename {
		w.ToMount, w.To = to.where()
	}
	after, err := v.spec.Changes.Before(w)
	if err != nil {
		return err
	}
	made := false
	if after != nil {
		defer func() { after(made) }()
	}
	err = do()
	made = err == nil
	return err
}
