package opfs

import "syscall/js"

// Tree returns the directory for another Go program in this web worker, which opens it
// with Joined. The two share one cache, so each sees the other's changes.
func (f *FS) Tree() js.Value { return f.tree }

// Joined opens the directory that another program in this web worker returned from Tree.
// source is as in Open. Call Leave when the FS is no longer needed.
func Joined(tree js.Value, source string) *FS {
	b := newBridge()
	return &FS{tree: tree.Call("joined", b.done), bridge: b, source: source}
}

// Leave frees the callback of an FS that Joined opened. The FS must not be used
// afterwards.
func (f *FS) Leave() { f.bridge.done.Release() }

// Create writes a new file atomically, as WriteFile does. If the name exists, it
// returns fs.ErrExist. If two tabs create the same file, only one succeeds.
func (f *FS) Create(name string, data []byte) error {
	if err := target(name, true); err != nil {
		return failed("create", name, err)
	}
	return f.change("create", name, "create", name, arrayOf(data))
}
