package wasmtool

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"sync"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/wasmtool/guard"
)

// Source says where a module is.
type Source struct {
	Path string // for messages and the trace: relative to the project, "tools/a.wasm"
	File File   // nil: the module cannot be read
	// Pinned is the SHA-256 (hex) that tools.lock requires; "" if there is no
	// lock.
	Pinned string
}

// File opens a module and what describes it. Its methods must be safe for concurrent use.
type File interface {
	Open() (fs.File, error)
	// Sidecar reads NAME.tools.yaml beside the module, or returns fs.ErrNotExist.
	Sidecar() ([]byte, error)
}

// MemoryFile is a File in memory.
type MemoryFile struct {
	Module      []byte
	Description []byte // the content of NAME.tools.yaml; nil: there is none
}

var _ File = MemoryFile{}

// Open opens the module.
func (m MemoryFile) Open() (fs.File, error) {
	files := sandbox.Memory()
	if err := files.WriteFile("m.wasm", m.Module); err != nil {
		return nil, err
	}
	return files.Open("m.wasm")
}

// Sidecar returns the description.
func (m MemoryFile) Sidecar() ([]byte, error) {
	if m.Description == nil {
		return nil, fs.ErrNotExist
	}
	return m.Description, nil
}

// Module is one .wasm file. It is read when it is first needed, and its bytes
// are read once, so that the bytes whose digest was checked are the bytes that
// run. It is safe for concurrent use.
type Module struct {
	library *Library
	source  Source

	mu     sync.Mutex
	data   []byte // the bytes, until the module is compiled
	digest string // "" until the file was read; then info, alien and bad are set, too
	info   guard.Info
	alien  *foreign // what the module was built for, if not for golem
	bad    error    // why this file is never run: tools.lock, or malformed

	callsBack bool // it imports golem_call; known after Describe

	describing turn
	tools      []Description // the tools, once they are known
}

// Module returns the module of a source. It does not read the file yet.
func (l *Library) Module(s Source) *Module { return &Module{library: l, source: s} }

// Path returns where the module is, as in its Source.
func (m *Module) Path() string { return m.source.Path }

// Digest returns the SHA-256 of the file in hex. It reads the file and compares
// it with tools.lock (E_LOCK). A file that is not a module is E_TOOL_MODULE.
func (m *Module) Digest(_ context.Context) (string, error) {
	if err := m.read(); err != nil {
		return "", err
	}
	return m.digest, m.bad
}

// read reads the file once. If reading fails, the next call tries again.
func (m *Module) read() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.digest != "" {
		return nil
	}
	data, err := m.bytes()
	if err != nil {
		return err
	}
	digest := digestOf(data)
	if p := m.source.Pinned; p != "" && p != digest {
		m.bad = fault.New(fault.Lock, "%s has changed: tools.lock has sha256 %s, the file has %s", m.source.Path, p, digest).
			Hinting("if you trust the new file, update tools.lock with golem tool lock").At(m.source.Path, 0, 0)
	} else {
		m.alien = foreignTo(guard.Outlined(data))
		if m.info, err = guard.Inspect(data); err != nil {
			m.bad = m.located(m.alien.explained(err))
			// A module whose initial memory exceeds the default limit is accepted here:
			// a worker may grant it more.
			if large, err := guard.InspectFor(data, guard.MostMemoryPages); err == nil && m.alien == nil && shapeOf(large) != plain {
				m.info, m.bad = large, nil
			}
		}
	}
	m.digest = digest
	if m.bad == nil {
		m.data = data
	}
	return nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// located adds the file's path to an error.
func (m *Module) located(err error) error {
	f := fault.Of(err, fault.ToolModule)
	if f.Where != nil && f.Where.File != "" {
		return f
	}
	return f.At(m.source.Path, 0, 0)
}

// bytes reads the whole file.
func (m *Module) bytes() ([]byte, error) {
	f, err := m.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readLimited(f, guard.MaxSize)
	if err != nil {
		return nil, m.located(err)
	}
	return data, nil
}

func (m *Module) open() (fs.File, error) {
	if m.source.File == nil {
		return nil, fault.New(fault.NotFound, "the tool module cannot be read").At(m.source.Path, 0, 0)
	}
	f, err := m.source.File.Open()
	if err != nil {
		return nil, m.unreadable(err)
	}
	return f, nil
}

// unreadable returns the error for a file that cannot be opened or read.
func (m *Module) unreadable(err error) error {
	var known *fault.Fault
	if errors.As(err, &known) {
		return m.located(known)
	}
	code := fault.ToolModule
	if errors.Is(err, fs.ErrNotExist) {
		code = fault.NotFound
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the path in it may be one of the host
	}
	return fault.New(code, "the tool module cannot be read: %w", err).At(m.source.Path, 0, 0)
}

// readLimited reads a file of at most limit bytes.
func readLimited(f io.Reader, limit int64) ([]byte, error) {
	var buf bytes.Buffer
	if file, ok := f.(fs.File); ok { // the reported size only saves copies
		if info, err := file.Stat(); err == nil && info.Size() > 0 {
			buf.Grow(int(min(info.Size(), limit)) + bytes.MinRead)
		}
	}
	_, err := buf.ReadFrom(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fault.New(fault.ToolModule, "the module cannot be read: %w", err)
	}
	if int64(buf.Len()) > limit {
		return nil, fault.New(fault.ToolModule, "the module has more than %d bytes", limit)
	}
	return buf.Bytes(), nil
}

// whole returns the bytes whose digest was computed, and reads them again if
// they were released.
func (m *Module) whole() ([]byte, error) {
	m.mu.Lock()
	data, digest := m.data, m.digest
	m.mu.Unlock()
	if data != nil {
		return data, nil
	}
	data, err := m.bytes()
	if err != nil {
		return nil, err
	}
	if digestOf(data) != digest {
		return nil, fault.New(fault.Lock, "the tool module has changed since it was read").
			Hinting("start golem again to use the new file").At(m.source.Path, 0, 0)
	}
	return data, nil
}

// compiled returns the compiled module. The module's bytes are then released,
// because the library has the compiled code by its digest. memory is the greatest
// size of the module's memory in bytes; 0: tool.UsualMemory. told may be nil; it
// is told if compiling takes a while.
func (m *Module) compiled(ctx context.Context, memory int64, told Listener) (Compiled, error) {
	pages := uint32(min(cmp.Or(memory, tool.UsualMemory), tool.MostMemory) >> 16)
	digest, err := m.Digest(ctx)
	if err != nil {
		return nil, err
	}
	if m.info.Component {
		return nil, m.component()
	}
	if c, err, ok := m.library.ready(sized(digest, pages)); ok {
		return c, m.wrapped(err)
	}
	data, err := m.whole()
	if err != nil {
		return nil, err
	}
	slow := func() {}
	if told != nil {
		slow = func() { told.Compiling(m.source.Path) }
	}
	c, err := m.library.compile(ctx, digest, data, pages, slow)
	if err != nil {
		return nil, m.located(err)
	}
	m.mu.Lock()
	m.data = nil
	m.mu.Unlock()
	return c, nil
}

func (m *Module) wrapped(err error) error {
	if err == nil {
		return nil
	}
	return m.located(err)
}

// componentHeader is the beginning of a component; a module has version 1 here.
var componentHeader = []byte{0, 'a', 's', 'm', 0x0d, 0, 1, 0}

func isComponent(head []byte) bool { return bytes.HasPrefix(head, componentHeader) }

func (m *Module) component() error {
	return componentFault(m.source.Path).At(m.source.Path, 0, 0)
}

func componentFault(path string) *fault.Fault {
	return fault.New(fault.ToolContract, "%s is a WebAssembly component, and golem runs only core modules", path).
		Hinting("build it for wasm32-wasip1, or with an Extism PDK")
}
