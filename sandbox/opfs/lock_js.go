package opfs

import "path"

// Lock locks this directory against all other tabs and web workers of the page's
// origin. If it is locked already, Lock returns E_BUSY at once. The caller frees
// the lock with release; the end of the tab frees it too.
func (f *FS) Lock() (release func(), err error) { return f.LockAt(".") }

// LockAt locks a directory below this one, as Lock does. The directory need not exist.
func (f *FS) LockAt(dir string) (release func(), err error) {
	a := f.bridge.call(f.tree, "lock", "golem:"+path.Join(f.source, dir))
	if a.failure != "" {
		return nil, f.failed("lock", dir, a)
	}
	return func() { a.value.Invoke() }, nil
}

// Locked reports whether a tab or web worker has the lock of LockAt for dir.
func (f *FS) Locked(dir string) bool {
	a := f.bridge.call(f.tree, "locked", "golem:"+path.Join(f.source, dir))
	return a.failure == "" && a.value.Bool()
}
