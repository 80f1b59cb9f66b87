package opfs

import "path"

// Lock takes the lock of this directory, which every tab and worker of the
// page's origin shares, or fails with E_BUSY at once. The lock is freed by
// release, or when its tab dies.
func (f *FS) Lock() (release func(), err error) { return f.LockAt(".") }

// LockAt is Lock for a directory below this one, which need not be there yet.
func (f *FS) LockAt(dir string) (release func(), err error) {
	a := f.bridge.call(f.tree, "lock", "golem:"+path.Join(f.source, dir))
	if a.failure != "" {
		return nil, f.failed("lock", dir, a)
	}
	return func() { a.value.Invoke() }, nil
}
