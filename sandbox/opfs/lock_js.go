package opfs

import "path"

// Lock locks this directory for all tabs and web workers of the page's origin.
// If it is locked already, Lock returns E_BUSY at once. release frees the lock;
// so does the end of the tab.
func (f *FS) Lock() (release func(), err error) { return f.LockAt(".") }

// LockAt is Lock for a directory below this one, which need not exist yet.
func (f *FS) LockAt(dir string) (release func(), err error) {
	a := f.bridge.call(f.tree, "lock", "golem:"+path.Join(f.source, dir))
	if a.failure != "" {
		return nil, f.failed("lock", dir, a)
	}
	return func() { a.value.Invoke() }, nil
}

// Locked tells whether a tab or web worker has the lock of LockAt.
func (f *FS) Locked(dir string) bool {
	a := f.bridge.call(f.tree, "locked", "golem:"+path.Join(f.source, dir))
	return a.failure == "" && a.value.Bool()
}
