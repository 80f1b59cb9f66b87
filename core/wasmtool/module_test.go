package wasmtool_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
)

// opening is a File that a function opens.
type opening struct {
	wasmtool.File
	open func() (fs.File, error)
}

func (o opening) Open() (fs.File, error) { return o.open() }

func packed(t testing.TB, data []byte, doc string) []byte {
	t.Helper()
	out, err := guard.AppendCustom(data, wasmtool.Section, []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The digest is that of the file. If tools.lock has another one, the error shows both.
func TestDigestAndLock(t *testing.T) {
	data := module(t, "servlet")
	sum := sha256.Sum256(data)
	want := hex.EncodeToString(sum[:])
	l := library(t, says(`{"content":[]}`))
	src := source("tools/a.wasm", data, "")
	src.Pinned = want
	b := &wasmtool.Bound{Module: l.Module(src)}
	id := b.Tool(wasmtool.Description{Name: "x"}).(tool.Identifier)
	digest, err := id.Identity(t.Context())
	if err != nil || digest != want || id.Spec().Module != "tools/a.wasm" {
		t.Errorf("identity %q of %q, %v", digest, id.Spec().Module, err)
	}
	src.Pinned = strings.Repeat("0", 64)
	changed := (&wasmtool.Bound{Module: l.Module(src)}).Tool(wasmtool.Description{Name: "x"})
	_, err = changed.(tool.Identifier).Identity(t.Context())
	wants(t, err, fault.Lock, want, src.Pinned, "tools/a.wasm")
	_, err = changed.Call(t.Context(), tool.Call{})
	wants(t, err, fault.Lock)
}

// The bytes that were digested are the bytes that run, even if the file is replaced in
// between.
func TestReadOnce(t *testing.T) {
	e := says(`{"content":[]}`)
	src := source("a.wasm", module(t, "servlet"), "")
	now := module(t, "servlet")
	src.File = opening{src.File, func() (fs.File, error) { return wasmtool.MemoryFile{Module: now}.Open() }}
	m := library(t, e).Module(src)
	before, err := m.Digest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now = module(t, "hyper")
	if _, err := (&wasmtool.Bound{Module: m}).Tool(wasmtool.Description{Name: "x"}).Call(t.Context(), tool.Call{}); err != nil {
		t.Fatal(err)
	}
	woven, err := guard.Weave(module(t, "servlet"))
	if err != nil || !bytes.Equal(e.compiled[0], woven) {
		t.Errorf("other bytes ran than were digested: %v", err)
	}
	if after, _ := m.Digest(t.Context()); after != before {
		t.Error("the digest has changed")
	}
	_, err = m.Inspect(t.Context()) // the bytes were released, and the file has changed
	wants(t, err, fault.Lock)
}

// If a file cannot be read, the next call tries again, and the error does not contain the
// host's path (SECURITY 16).
func TestUnreadable(t *testing.T) {
	src := source("tools/a.wasm", module(t, "servlet"), "")
	file, fails := src.File, true
	src.File = opening{file, func() (fs.File, error) {
		if fails {
			return nil, &fs.PathError{Op: "open", Path: "/home/me/secret/a.wasm", Err: errors.New("input/output error")}
		}
		return file.Open()
	}}
	m := library(t, says("")).Module(src)
	_, err := m.Digest(t.Context())
	wants(t, err, fault.ToolModule, "tools/a.wasm", "input/output")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("%v tells the host's path", err)
	}
	fails = false
	if _, err := m.Digest(t.Context()); err != nil {
		t.Errorf("again: %v", err)
	}
	gone := source("tools/a.wasm", nil, "")
	gone.File = opening{gone.File, func() (fs.File, error) {
		return nil, &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	}}
	_, err = library(t, says("")).Module(gone).Describe(t.Context(), wasmtool.Describing{})
	wants(t, err, fault.NotFound)
	_, err = library(t, says("")).Module(wasmtool.Source{Path: "none.wasm"}).Digest(t.Context())
	wants(t, err, fault.NotFound)
}

// A file that is not a module is refused by every operation.
func TestNoModule(t *testing.T) {
	component := []byte("\x00asm\x0d\x00\x01\x00rest")
	for name, c := range map[string]struct {
		data []byte
		code fault.Code
		word string
	}{
		"empty":     {nil, fault.ToolModule, ""},
		"text":      {[]byte("#!/bin/sh\necho hello"), fault.ToolModule, ""},
		"cut":       {module(t, "servlet")[:300], fault.ToolModule, ""},
		"a header":  {[]byte("\x00asm\x01\x00\x00"), fault.ToolModule, ""},
		"component": {component, fault.ToolContract, "component"},
		"huge":      {append([]byte("\x00asm\x01\x00\x00\x00"), make([]byte, guard.MaxSize)...), fault.ToolModule, ""},
	} {
		e := says("")
		src := source("tools/a.wasm", c.data, "")
		_, err := library(t, e).Module(src).Describe(t.Context(), wasmtool.Describing{Run: true})
		wants(t, err, c.code, c.word, "tools/a.wasm")
		m := library(t, e).Module(src)
		_, err = (&wasmtool.Bound{Module: m}).Tool(wasmtool.Description{Name: "x"}).Call(t.Context(), tool.Call{})
		wants(t, err, c.code, c.word, "tools/a.wasm")
		_, err = m.Describe(t.Context(), wasmtool.Describing{Run: true}) // after the bytes were read
		wants(t, err, c.code, c.word)
		if n, _ := e.counts(); n != 0 {
			t.Errorf("%s: the engine was given it", name)
		}
	}
}

// A countedFile counts how many bytes of it are read.
type countedFile struct {
	fs.File
	r    *bytes.Reader
	read *int64
	with string // ReaderAt, Seeker, refuses, or neither
}

func (f countedFile) Read(b []byte) (int, error) {
	n, err := f.r.Read(b)
	*f.read += int64(n)
	return n, err
}

type countedAt struct{ countedFile }

func (f countedAt) ReadAt(b []byte, off int64) (int, error) {
	if f.with == "refuses" {
		return 0, fs.ErrInvalid
	}
	n, err := f.r.ReadAt(b, off)
	*f.read += int64(n)
	return n, err
}

func (f countedAt) Seek(off int64, whence int) (int64, error) {
	if f.with == "refuses" {
		return 0, fs.ErrInvalid
	}
	return f.r.Seek(off, whence)
}

type countedSeek struct{ countedFile }

func (f countedSeek) Seek(off int64, whence int) (int64, error) { return f.r.Seek(off, whence) }

// To describe a packed module of 3 MB, golem reads some kilobytes of it. A file that
// cannot be read at offsets is read whole.
func TestDescribedByHeadersAlone(t *testing.T) {
	padding, err := guard.AppendCustom(module(t, "servlet"), "padding", make([]byte, guard.MaxCustom))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"p2", "p3"} {
		if padding, err = guard.AppendCustom(padding, name, make([]byte, guard.MaxCustom)); err != nil {
			t.Fatal(err)
		}
	}
	data := packed(t, padding, `{"tools":[{"name":"echo"}]}`)
	for with, most := range map[string]int64{"ReaderAt": 64 << 10, "Seeker": 64 << 10, "refuses": 4 << 20, "neither": 4 << 20} {
		var read int64
		src := source("tools/a.wasm", data, "")
		file := src.File
		src.File = opening{file, func() (fs.File, error) {
			f, err := file.Open()
			c := countedFile{f, bytes.NewReader(data), &read, with}
			switch with {
			case "neither":
				return c, err
			case "Seeker":
				return countedSeek{c}, err
			}
			return countedAt{c}, err
		}}
		ds, err := library(t, says("")).Module(src).Describe(t.Context(), wasmtool.Describing{})
		if err != nil || len(ds) != 1 || ds[0].Name != "echo" {
			t.Errorf("%s: %v, %v", with, ds, err)
		}
		if read > most {
			t.Errorf("%s: %d of %d bytes were read, want at most %d", with, read, len(data), most)
		}
	}
	var _ io.ReaderAt = countedAt{}
}
