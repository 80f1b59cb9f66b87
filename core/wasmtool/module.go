package wasmtool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"sync"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// Source is where a module lies.
type Source struct {
	Path string // for messages and the trace: project-relative, "tools/a.wasm"
	Open func() (fs.File, error)
	// Sidecar reads NAME.tools.yaml beside the module; fs.ErrNotExist if there
	// is none. nil: there is none.
	Sidecar func() ([]byte, error)
	// Pinned is the SHA-256 (hex) that tools.lock demands; "": not locked.
	Pinned string
}

// Module is one .wasm file. Nothing of it is read before it is asked for. Its
// bytes are read once, so that what was digested is what runs. It is safe for
// concurrent use.
type Module struct {
	library *Library
	source  Source

	mu     sync.Mutex
	data   []byte // until it is compiled
	digest string // "" until it was read; then this, info, alien and bad stand
	info   guard.Info
	alien  *foreign // what it was built for, if not for golem
	bad    error    // why these bytes are never run: tools.lock, or malformed

	callsBack bool // it imports golem_call; known after Describe

	describing turn
	tools      []Description // once they are known; set and read in turn
}

// Module is the module of a source; it reads nothing yet.
func (l *Library) Module(s Source) *Module { return &Module{library: l, source: s} }

// Path is where it lies, as its source says.
func (m *Module) Path() string { return m.source.Path }

// Digest is the SHA-256 of the file, hex. It reads the file, and holds it
// against tools.lock (E_LOCK). A file that is no module is E_TOOL_MODULE.
func (m *Module) Digest(_ context.Context) (string, error) {
	if err := m.read(); err != nil {
		return "", err
	}
	return m.digest, m.bad
}

// read reads the file, once. That it could not be read is not remembered.
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
			m.bad = m.at(m.alien.explained(err))
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

// at names the file in a fault.
func (m *Module) at(err error) error {
	f := fault.Of(err, fault.ToolModule)
	if f.Where != nil && f.Where.File != "" {
		return f
	}
	return f.At(m.source.Path, 0, 0)
}

// bytes reads the file whole.
func (m *Module) bytes() ([]byte, error) {
	f, err := m.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readLimited(f, guard.MaxSize)
	if err != nil {
		return nil, m.at(err)
	}
	return data, nil
}

func (m *Module) open() (fs.File, error) {
	if m.source.Open == nil {
		return nil, fault.New(fault.NotFound, "the tool module cannot be read").At(m.source.Path, 0, 0)
	}
	f, err := m.source.Open()
	if err != nil {
		return nil, m.unreadable(err)
	}
	return f, nil
}

// unreadable is the fault of a file that cannot be opened or read.
func (m *Module) unreadable(err error) error {
	var known *fault.Fault
	if errors.As(err, &known) {
		return m.at(known)
	}
	code := fault.ToolModule
	if errors.Is(err, fs.ErrNotExist) {
		code = fault.NotFound
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the path may be the host's
	}
	return fault.New(code, "the tool module cannot be read: %w", err).At(m.source.Path, 0, 0)
}

// readLimited reads a file that may have limit bytes.
func readLimited(f io.Reader, limit int64) ([]byte, error) {
	var buf bytes.Buffer
	if file, ok := f.(fs.File); ok { // what it says of its size saves copies, and nothing else
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

// whole are the bytes that were digested, read anew if they were let go.
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

// compiled is the module, ready to run. Once it is, its bytes are let go: the
// library has what is made of them, by their digest.
// slow is called if it takes a while; it may be nil.
func (m *Module) compiled(ctx context.Context, slow func()) (Compiled, error) {
	digest, err := m.Digest(ctx)
	if err != nil {
		return nil, err
	}
	if m.info.Component {
		return nil, m.component()
	}
	if c, err, ok := m.library.ready(digest); ok {
		return c, m.wrapped(err)
	}
	data, err := m.whole()
	if err != nil {
		return nil, err
	}
	c, err := m.library.compile(ctx, digest, data, slow)
	if err != nil {
		return nil, m.at(err)
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
	return m.at(err)
}

// componentHeader is how a component begins, where a module has version 1.
var componentHeader = []byte{0, 'a', 's', 'm', 0x0d, 0, 1, 0}

func isComponent(head []byte) bool { return bytes.HasPrefix(head, componentHeader) }

func (m *Module) component() error {
	return componentFault(m.source.Path).At(m.source.Path, 0, 0)
}

func componentFault(path string) *fault.Fault {
	return fault.New(fault.ToolContract, "%s is a WebAssembly component, and golem runs only core modules", path).
		Hinting("build it for wasm32-wasip1, or with an Extism PDK")
}
