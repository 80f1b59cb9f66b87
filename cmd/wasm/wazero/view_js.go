package main

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/sandbox"
)

// failure returns the error in an answer, and nil if the answer is none.
func failure(answer js.Value) error {
	if f := answer.Get("fault"); f.Truthy() {
		flt := fault.New(fault.Code(f.Get("code").String()), "%s", f.Get("message").String())
		if hint := f.Get("hint").String(); hint != "" {
			flt = flt.Hinting("%s", hint)
		}
		return flt
	}
	switch kind := answer.Get("failed"); kind.String() {
	case "missing":
		return fs.ErrNotExist
	case "exists":
		return fs.ErrExist
	case "denied":
		return fs.ErrPermission
	case "invalid":
		return fs.ErrInvalid
	case "notdir":
		return sandbox.ErrNotDir
	case "isdir":
		return sandbox.ErrIsDir
	case "notempty":
		return sandbox.ErrNotEmpty
	case "other":
		return errors.New("the file system failed")
	}
	return nil
}

// view is the run's sandbox, which golem.wasm has: each operation sends a question.
type view struct{ link *link }

var (
	_ sandbox.FS    = view{}
	_ fs.StatFS     = view{}
	_ fs.ReadDirFS  = view{}
	_ sandbox.Asked = view{}
)

func (v view) ask(what, name string, more map[string]any) (js.Value, error) {
	q := map[string]any{"op": "view", "what": what, "name": name}
	for k, x := range more {
		q[k] = x
	}
	return v.link.ask(q)
}

func info(a js.Value, name string) sandbox.Info {
	i := sandbox.Info{Base: path.Base(name), Bytes: int64(a.Get("size").Float()), Perm: 0o600}
	if a.Get("dir").Bool() {
		i.Perm = fs.ModeDir | 0o700
	}
	if at := parsed(a.Get("modified")); at != 0 {
		i.When = time.Unix(0, at)
	}
	return i
}

// Open reads the whole file into memory.
func (v view) Open(name string) (fs.File, error) {
	a, err := v.ask("open", name, nil)
	if err != nil {
		return nil, err
	}
	return &file{info: info(a, name), Reader: bytes.NewReader(jsbytes.Bytes(a.Get("data")))}, nil
}

func (v view) Stat(name string) (fs.FileInfo, error) {
	a, err := v.ask("stat", name, nil)
	if err != nil {
		return nil, err
	}
	return info(a, name), nil
}

func (v view) ReadDir(name string) ([]fs.DirEntry, error) {
	a, err := v.ask("list", name, nil)
	if err != nil {
		return nil, err
	}
	list := a.Get("entries")
	out := make([]fs.DirEntry, list.Length())
	for i := range out {
		e := list.Index(i)
		out[i] = fs.FileInfoToDirEntry(info(e, e.Get("name").String()))
	}
	return out, nil
}

// CanWrite asks whether a file may be written, before its content is known.
func (v view) CanWrite(name string) error {
	_, err := v.ask("may", name, nil)
	return err
}

func (v view) WriteFile(name string, data []byte) error {
	_, err := v.ask("write", name, map[string]any{"data": jsbytes.Array(data)})
	return err
}

func (v view) Remove(name string) error {
	_, err := v.ask("remove", name, nil)
	return err
}

func (v view) Rename(from, to string) error {
	_, err := v.ask("move", from, map[string]any{"to": to})
	return err
}

func (v view) Mkdir(name string, _ fs.FileMode) error {
	_, err := v.ask("mkdir", name, nil)
	return err
}

// file is an open file whose content is in memory.
type file struct {
	*bytes.Reader
	info sandbox.Info
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

func (f *file) Close() error { return nil }
