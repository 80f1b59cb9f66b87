package sandbox

import "path"

// Op is what a Write does.
type Op int

// The changes of files.
const (
	OpWrite Op = iota
	OpRemove
	OpRename
	OpMkdir
)

// Write is a change of the files of a mount, which are not kept apart, before it is
// made. Names are places outside the view, see SourceOf; Mount is where the mount is.
type Write struct {
	Op          Op
	Mount, Name string
	Data        []byte // of OpWrite
	ToMount, To string // of OpRename
}

// where returns the source of the mount's directory, and that of the place.
func (p place) where() (mount, name string) {
	mount = p.mount.Source
	if p.mount.File != "" {
		mount = path.Dir(mount)
	}
	return mount, p.source()
}

// change makes a change, which is recorded before, and corrected where it fails.
func (v *view) change(w Write, at, to place, do func() error) error {
	if v.spec.Record == nil || at.source() == "" || stages(at.mount.fs) {
		return do()
	}
	w.Mount, w.Name = at.where()
	if w.Op == OpRename {
		w.ToMount, w.To = to.where()
	}
	failed, err := v.spec.Record(w)
	if err != nil {
		return err
	}
	err = do()
	if err != nil && failed != nil {
		failed()
	}
	return err
}
