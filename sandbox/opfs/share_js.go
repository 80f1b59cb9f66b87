package opfs

import "syscall/js"

// Tree is the directory for another Go program of this worker, which opens it with
// Joined: both then know of each other's changes.
func (f *FS) Tree() js.Value { return f.tree }

// Joined opens what another program of this worker gave by Tree. source is as for
// Open. Leave it when it is no more needed.
func Joined(tree js.Value, source string) *FS {
	b := newBridge()
	return &FS{tree: tree.Call("joined", b.done), bridge: b, source: source}
}

// Leave frees what Joined took. The FS must not be used afterwards.
func (f *FS) Leave() { f.bridge.done.Release() }

// Create makes a file that must not be there yet; otherwise it fails with
// fs.ErrExist. Of two tabs only one succeeds.
func (f *FS) Create(name string, data []byte) error {
	if err := target(name, true); err != nil {
		return failed("create", name, err)
	}
	return f.change("create", name, "create", name, arrayOf(data))
}
