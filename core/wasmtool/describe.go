package wasmtool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"time"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// Section is the custom section that holds a module's description.
const Section = "golem.tools"

// ErrUndescribed is Describe's answer where a module would have to be run to
// tell its tools, and must not.
var ErrUndescribed = errors.New("undescribed: golem would have to run the module to learn its tools")

// What a module may use that is run for its description.
const (
	describeTime = 10 * time.Second
	describeFuel = 20_000_000_000
)

// Describing is how a module may be asked for its tools.
type Describing struct {
	Run  bool          // it may be run, if nothing else tells them
	Time time.Duration // of that run, compiling apart; 0: 10 s
	Slow func()        // called when compiling it takes a while; nil: nobody is
}

// Describe tells a module's tools: by its custom section, else its sidecar,
// else, with how.Run, by running its describe function without any grant. That
// last answer is cached by digest. The result is shared and must not be changed.
func (m *Module) Describe(ctx context.Context, how Describing) ([]Description, error) {
	if err := m.describing.take(ctx); err != nil {
		return nil, err
	}
	defer m.describing.give()
	if m.tools != nil {
		return m.tools, nil
	}
	if err := m.locked(ctx); err != nil {
		return nil, err
	}
	ds, _, err := m.written()
	if ds == nil && err == nil {
		ds, err = m.told(ctx, how)
	}
	if err != nil {
		return nil, err
	}
	m.tools = ds
	return ds, nil
}

// locked holds a module that tools.lock names against it before a word of its
// description is believed. What was read for that is let go: most modules of a
// project are not called.
func (m *Module) locked(ctx context.Context) error {
	if m.source.Pinned == "" {
		return nil
	}
	_, err := m.Digest(ctx)
	m.mu.Lock()
	m.data = nil
	m.mu.Unlock()
	return err
}

// told is the description that a module gives when it is run, now or before.
func (m *Module) told(ctx context.Context, how Describing) ([]Description, error) {
	s, err := m.shape(ctx)
	if err != nil {
		return nil, err
	}
	if s == plain {
		return nil, m.contract()
	}
	key := "describe-" + m.digest
	if doc, ok := m.library.cached(key); ok {
		if ds, err := parseDescription(doc); err == nil {
			return ds, nil
		}
	}
	if !how.Run {
		return nil, ErrUndescribed
	}
	doc, err := m.describe(ctx, s, how)
	if err != nil {
		return nil, m.at(err)
	}
	ds, err := parseDescription(doc)
	if err != nil {
		f := *fault.Of(err, fault.ToolContract)
		f.Message = m.asked(s) + f.Message
		return nil, m.at(f.Hinting("%s", m.instead(s)))
	}
	m.library.keep(key, doc)
	return ds, nil
}

// written is a description that needs no run, and where it stands: section or
// sidecar. nil if there is none.
func (m *Module) written() (ds []Description, where string, err error) {
	doc, err := m.section()
	if err != nil {
		return nil, "", err
	}
	if doc != nil {
		ds, err := parseDescription(doc)
		if err != nil {
			return nil, "section", m.at(err)
		}
		return ds, "section", nil
	}
	if m.source.Sidecar == nil {
		return nil, "", nil
	}
	name := sidecarName(m.source.Path)
	raw, err := m.source.Sidecar()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", nil
	case err != nil:
		f := fault.Of(err, fault.Config)
		if f.Where == nil {
			f = f.At(name, 0, 0)
		}
		return nil, "sidecar", f
	}
	ds, err = ParseSidecar(raw, name)
	return ds, "sidecar", err
}

// section is the content of the custom section, nil if there is none. It is
// read from section to section where the file lets us, so that a big module is
// not read for its description.
func (m *Module) section() ([]byte, error) {
	m.mu.Lock()
	data := m.data
	m.mu.Unlock()
	if data != nil {
		return m.custom(bytes.NewReader(data), int64(len(data)))
	}
	f, err := m.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, m.unreadable(err)
	}
	at := readerAt(f)
	if at == nil {
		data, err := readLimited(f, guard.MaxSize)
		if err != nil {
			return nil, m.at(err)
		}
		return m.custom(bytes.NewReader(data), int64(len(data)))
	}
	return m.custom(at, info.Size())
}

func (m *Module) custom(r io.ReaderAt, size int64) ([]byte, error) {
	var head [8]byte
	if n, _ := r.ReadAt(head[:], 0); isComponent(head[:n]) {
		return nil, m.component()
	}
	s, err := guard.ReadSurface(r, size, Section)
	if err != nil {
		return nil, m.at(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.callsBack = slices.ContainsFunc(s.Imports, func(i guard.Item) bool {
		return i.Kind == "func" && slices.Contains(HostFunctions[ExtismUser], i.Name) && i.Module == ExtismUser
	})
	return s.Custom, nil
}

// CallsBack tells whether the module can call tools and workers itself: it imports
// golem_call. It is known after Describe.
func (m *Module) CallsBack() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.callsBack
}

// readerAt reads a file at offsets, if it can: files have the methods without
// always being able to. nil: it must be read from its beginning, where it
// stands.
func readerAt(f fs.File) io.ReaderAt {
	var probe [1]byte
	if at, ok := f.(io.ReaderAt); ok {
		if _, err := at.ReadAt(probe[:], 0); err == nil || err == io.EOF {
			return at
		}
	}
	if s, ok := f.(io.ReadSeeker); ok {
		if _, err := s.Seek(0, io.SeekStart); err == nil {
			return seeking{s}
		}
	}
	return nil
}

// seeking reads at offsets by moving. It serves one reader at a time.
type seeking struct{ file io.ReadSeeker }

func (s seeking) ReadAt(b []byte, off int64) (int, error) {
	if _, err := s.file.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(s.file, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// describe runs the module for its description: no files, no network, no
// configuration, little fuel and time.
func (m *Module) describe(ctx context.Context, s shape, how Describing) ([]byte, error) {
	leave, err := m.library.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	c, err := m.compiled(ctx, how.Slow)
	if err != nil {
		return nil, err
	}
	in := Invocation{Form: Extism, Export: "describe", Limits: Limits{Time: cmp.Or(how.Time, describeTime), Fuel: describeFuel}}
	switch s {
	case hyper:
		in.Export = "list_tools"
		if in.Input, err = json.Marshal(map[string]any{"request": map[string]any{}, "context": hyperContext("describe")}); err != nil {
			return nil, err
		}
	case command:
		in.Form, in.Export = Command, ""
		in.Args = []string{m.base(), "describe"}
	}
	res, err := c.Call(ctx, in, Host{})
	if err != nil {
		f := *fault.Of(err, fault.Tool)
		f.Message = m.asked(s) + f.Message
		return nil, f.Hinting("%s", m.instead(s))
	}
	return res.Output, nil
}

// asked is how a message begins that tells what came of asking.
func (m *Module) asked(s shape) string {
	if s == command {
		return "a WASI command that does not describe its tools: called as " + m.base() + " describe, "
	}
	return "asked for its tools: "
}

// instead is what helps where a module cannot tell its tools.
func (m *Module) instead(s shape) string {
	how := "describe its tools in " + sidecarName(m.source.Path) + ", or in the module with golem tool pack"
	if s == command {
		how += "; it is called as " + m.base() + " call NAME, with the arguments as JSON on standard input"
	}
	return how
}
