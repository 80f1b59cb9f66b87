package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall/js"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/gitrepo"
	"golem/core/sandbox"
)

// view is the view of an LLM worker, for which it asks golem.wasm: it calls look(op, name,
// done), and golem.wasm calls done(failure, value) once. It belongs to one call of a tool
// and is not safe for concurrent use.
type view struct {
	look   js.Value
	answer chan []js.Value
	done   js.Func
}

var (
	_ gitrepo.View = (*view)(nil)
	_ fs.StatFS    = (*view)(nil)
	_ fs.ReadDirFS = (*view)(nil)
)

func newView(look js.Value) *view {
	v := &view{look: look, answer: make(chan []js.Value, 1)}
	v.done = js.FuncOf(func(_ js.Value, args []js.Value) any {
		v.answer <- args
		return nil
	})
	return v
}

func (v *view) ask(op, name string) (js.Value, error) {
	v.look.Invoke(op, name, v.done)
	a := <-v.answer
	text := a[0].String()
	if text == "" {
		return a[1], nil
	}
	if said, is := strings.CutPrefix(text, "missing "); is {
		where, why, _ := strings.Cut(said, "\n")
		return a[1], &fs.PathError{Op: op, Path: where, Err: missing(why)}
	}
	f := new(fault.Fault)
	if json.Unmarshal([]byte(text), f) != nil {
		return a[1], errors.New(text)
	}
	return a[1], f
}

// missing is the error for a file that does not exist, with golem.wasm's message.
type missing string

// Error returns the message.
func (m missing) Error() string { return string(m) }

// Is reports whether target is fs.ErrNotExist.
func (m missing) Is(target error) bool { return target == fs.ErrNotExist }

// Name returns the name under which the worker sees the file at source, and false if the
// worker does not see it.
func (v *view) Name(source string) (string, bool) {
	name, err := v.ask("name", source)
	if err != nil {
		return "", false
	}
	return name.String(), true
}

// Source returns the path in the project of a file that the worker sees as name.
func (v *view) Source(name string) (string, error) {
	source, err := v.ask("source", name)
	if err != nil {
		return "", err
	}
	return source.String(), nil
}

// Stat describes a file. golem.wasm answers with the size, or -1 for a directory.
func (v *view) Stat(name string) (fs.FileInfo, error) {
	size, err := v.ask("stat", name)
	if err != nil {
		return nil, err
	}
	return info(name, size.Int() < 0, int64(size.Float())), nil
}

func info(name string, dir bool, size int64) sandbox.Info {
	if dir {
		return sandbox.Info{Base: path.Base(name), Perm: fs.ModeDir | 0o755}
	}
	return sandbox.Info{Base: path.Base(name), Perm: 0o644, Bytes: size}
}

// ReadDir lists a directory. golem.wasm answers with one text that has, for each entry,
// "f" (file) or "d" (directory), the name and "/".
func (v *view) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := v.ask("list", name)
	if err != nil {
		return nil, err
	}
	var out []fs.DirEntry
	for item := range strings.SplitSeq(list.String(), "/") {
		if item != "" {
			out = append(out, fs.FileInfoToDirEntry(info(item[1:], item[0] == 'd', 0)))
		}
	}
	return out, nil
}

// Open reads a whole file. golem.wasm refuses a file of more than 4 MiB (mostSeen).
func (v *view) Open(name string) (fs.File, error) {
	data, err := v.ask("read", name)
	if err != nil {
		return nil, err
	}
	whole := jsbytes.Bytes(data)
	return opened{bytes.NewReader(whole), info(name, false, int64(len(whole)))}, nil
}

// opened is an open file whose content is in memory.
type opened struct {
	*bytes.Reader
	info sandbox.Info
}

// Stat returns the file's name and size; it never fails.
func (o opened) Stat() (fs.FileInfo, error) { return o.info, nil }

// Close does nothing: there is nothing to release.
func (o opened) Close() error { return nil }
