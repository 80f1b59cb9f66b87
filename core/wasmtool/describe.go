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

// Section is the name of the custom section that holds a module's description.
const Section = "golem.tools"

// ErrUndescribed is returned by Describe if golem would have to run the module
// to learn its tools, and may not.
var ErrUndescribed = errors.New("undescribed: golem would have to run the module to learn its tools")

// Limits for running a module to get its description.
const (
	describeTime = 10 * time.Second
	describeFuel = 20_000_000_000
)

// Describing says how Describe may find out a module's tools.
type Describing struct {
	Run  bool          // the module may be run if it has no written description
	Time time.Duration // time limit of that run, compiling not included; 0: 10 s
	// Listener is told that the module is compiled; it may be nil.
	Listener Listener
	// Total limits the memory of all modules of the process together; 0: defaultTotal.
	// A run for a description does not wait for memory.
	Total int64
}

// Describe returns a module's tools: from its custom section, otherwise from
// its sidecar, otherwise, with how.Run, by running its describe function
// without any grant. The result of a run is cached by the module's digest.
// Callers share the result and must not change it.
func (m *Module) Describe(ctx context.Context, how Describing) ([]Description, error) {
	if err := m.describing.acquire(ctx); err != nil {
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
		ds, err = m.describeByRunning(ctx, how)
	}
	if err != nil {
		return nil, err
	}
	m.tools = ds
	return ds, nil
}

// locked compares the digest of a module that tools.lock names, before the module's
// description is used. The bytes read for this are released, because most
// modules of a project are never called.
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

// describeByRunning returns the description that the module gives when it is run. It runs the
// module only if the cache does not have the description.
func (m *Module) describeByRunning(ctx context.Context, how Describing) ([]Description, error) {
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
		return nil, m.located(err)
	}
	ds, err := parseDescription(doc)
	if err != nil {
		f := *fault.Of(err, fault.ToolContract)
		f.Message = m.asked(s) + f.Message
		return nil, m.located(f.Hinting("%s", m.instead(s)))
	}
	m.library.cacheValue(key, doc)
	return ds, nil
}

// written returns a description that needs no run, and where it is: in the
// section or the sidecar. It returns nil if there is none.
func (m *Module) written() (ds []Description, where string, err error) {
	doc, err := m.section()
	if err != nil {
		return nil, "", err
	}
	if doc != nil {
		ds, err := parseDescription(doc)
		if err != nil {
			return nil, "section", m.located(err)
		}
		return ds, "section", nil
	}
	if m.source.File == nil {
		return nil, "", nil
	}
	name := sidecarName(m.source.Path)
	raw, err := m.source.File.Sidecar()
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

// section returns the content of the custom section, or nil if there is none.
// If the file allows it, it jumps from section to section, so that a big module
// is not read completely.
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
			return nil, m.located(err)
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
		return nil, m.located(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.callsBack = slices.ContainsFunc(s.Imports, func(i guard.Item) bool {
		return i.Kind == "func" && i.Name == golemCall && i.Module == ExtismUser
	})
	return s.Custom, nil
}

// CallsBack reports whether the module can call tools and workers itself,
// because it imports golem_call. It is known only after Describe.
func (m *Module) CallsBack() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.callsBack
}

// readerAt returns a reader at offsets for the file, or nil if the file can
// only be read from its beginning. Some files have the methods without
// supporting them.
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

// seeking reads at offsets by seeking. It is for one reader at a time.
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

// describe runs the module for its description: without files, network and
// configuration, and with little fuel and time.
func (m *Module) describe(ctx context.Context, s shape, how Describing) ([]byte, error) {
	leave, err := m.library.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	c, err := m.compiled(ctx, 0, how.Listener)
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
	want := &holding{bytes: m.mostMemory(0)}
	done, ok := m.library.room.try(want, cmp.Or(how.Total, defaultTotal))
	if !ok && m.library.room.idle() {
		return nil, tooLarge(want.bytes, cmp.Or(how.Total, defaultTotal))
	}
	if !ok {
		return nil, fault.New(fault.ToolMemory, "golem has no memory left to ask the module for its tools: running modules use it").
			Hinting("try again when other calls have ended, or %s", m.instead(s))
	}
	defer done()
	res, err := c.Call(ctx, in, Host{})
	if err != nil {
		f := *fault.Of(err, fault.Tool)
		f.Message = m.asked(s) + f.Message
		return nil, f.Hinting("%s", m.instead(s))
	}
	return res.Output, nil
}

// asked returns the beginning of an error message about a run for the description.
func (m *Module) asked(s shape) string {
	if s == command {
		return "a WASI command that does not describe its tools: called as " + m.base() + " describe, "
	}
	return "asked for its tools: "
}

// instead returns the hint for a module that does not describe its tools.
func (m *Module) instead(s shape) string {
	how := "describe its tools in " + sidecarName(m.source.Path) + ", or in the module with golem tool pack"
	if s == command {
		how += "; it is called as " + m.base() + " call NAME, with the arguments as JSON on standard input"
	}
	return how
}
