package opfs

// Lock takes the lock of this directory, which every tab and worker of the
// page's origin shares, or fails with E_BUSY at once. The lock is freed by
// release, or when its tab dies.
func (f *FS) Lock() (release func(), err error) {
	a := f.bridge.call(f.tree, "lock", "golem:"+f.source)
	if a.failure != "" {
		return nil, f.failed("lock", ".", a)
	}
	return func() { a.value.Invoke() }, nil
}
