package wazeroengine

import (
	"slices"

	"github.com/tetratelabs/wazero/experimental/sys"

	"golem/core/sandbox"
	"golem/core/wasmtool"
)

// wasiContent is the content of an open file, shared by the file's handles. It is read
// at the first use; changes are kept in memory until Sync or Close writes the whole
// file at once. If the file is renamed, it is written under the new name; if the name is
// removed or given to another file, it is not written.
type wasiContent struct {
	fs     *wasiFS
	name   string
	data   []byte
	loaded bool
	dirty  bool
	gone   bool // its name was removed, or given to another file
	used   int  // handles
}

// content returns the content of the open file with that name, or nil.
func (f *wasiFS) content(name string) *wasiContent {
	for _, c := range f.open {
		if !c.gone && c.name == name {
			return c
		}
	}
	return nil
}

// addHandle counts one more handle of the file and returns its content.
func (f *wasiFS) addHandle(name string) *wasiContent {
	c := f.content(name)
	if c == nil {
		c = &wasiContent{fs: f, name: name}
		f.open = append(f.open, c)
	}
	c.used++
	f.handles++
	return c
}

// release counts one handle less; the last one frees the content.
func (c *wasiContent) release() {
	c.fs.handles--
	if c.used--; c.used > 0 {
		return
	}
	c.fs.open = slices.DeleteFunc(c.fs.open, func(o *wasiContent) bool { return o == c })
	c.fs.held -= int64(len(c.data))
	c.data = nil
}

func (c *wasiContent) load() sys.Errno {
	if c.loaded {
		return 0
	}
	if c.gone {
		return sys.ENOENT
	}
	data, err := sandbox.ReadFile(c.fs.Files, c.name, wasmtool.MaxFile)
	if err != nil {
		return c.fs.errno(err)
	}
	if errno := c.account(int64(len(data))); errno != 0 {
		return errno
	}
	c.data, c.loaded = data, true
	return 0
}

// account counts the new size of the content. It fails if all open files together are too
// large, because they are in the host's memory.
func (c *wasiContent) account(size int64) sys.Errno {
	held := c.fs.held + size - int64(len(c.data))
	if held > wasmtool.MaxHeld {
		c.fs.Refuse(wasmtool.HeldTooMuch())
		return sys.EIO
	}
	c.fs.held = held
	return 0
}

// resize cuts the content off, or extends it with zeros.
func (c *wasiContent) resize(size int64) sys.Errno {
	if errno := c.account(size); errno != 0 {
		return errno
	}
	if size <= int64(len(c.data)) {
		c.data = c.data[:size]
	} else {
		c.data = append(c.data, make([]byte, size-int64(len(c.data)))...)
	}
	return 0
}

func (c *wasiContent) commit() sys.Errno {
	if err := c.save(); err != nil {
		return c.fs.errno(err)
	}
	return 0
}

// save writes the file if its content has changed.
func (c *wasiContent) save() error {
	if !c.dirty || c.gone || c.fs.abandoned {
		return nil
	}
	err := c.fs.WriteFile(c.name, c.data)
	c.dirty = err != nil
	return err
}

// finish writes the changes of files that are still open, at the end of a successful call.
func (f *wasiFS) finish() error {
	for _, c := range f.open {
		if err := c.save(); err != nil {
			return err
		}
	}
	return nil
}

// move renames a file or directory, and the open files in it. Changes are written first.
func (f *wasiFS) move(from, to string, slash bool) sys.Errno {
	for _, c := range f.open {
		if sandbox.Within(c.name, from) {
			if errno := c.commit(); errno != 0 {
				return errno
			}
		}
	}
	if errno := errnoOf(f.WASIView.Rename(from, to, slash)); errno != 0 || from == to {
		return errno
	}
	f.forget(to)
	for _, c := range f.open {
		if !c.gone && sandbox.Within(c.name, from) {
			c.name = to + c.name[len(from):]
		}
	}
	return 0
}

// forget marks the open files at or below a name as gone, because the name is removed
// or given to another file.
func (f *wasiFS) forget(name string) {
	for _, c := range f.open {
		if sandbox.Within(c.name, name) {
			c.gone = true
		}
	}
}
