package wasmtool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"sync"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// Cache keeps guarded modules and descriptions between processes. Values are
// only trusted if they carry their own checksum, which Library adds. Both
// methods may be called from several goroutines.
type Cache interface {
	Get(key string) ([]byte, bool)
	Put(key string, data []byte) error
}

// Library guards and compiles each module once, when it is first called. One
// serves a whole process; it is safe for concurrent use. Set the fields before
// the first use.
type Library struct {
	// Open makes the engine, once, when the first module is called.
	Open func(ctx context.Context) (Engine, error)
	// Name is the engine's, "wazero" or "browser", for tools.engine.
	Name string
	// Cache may be nil: then nothing outlives the process.
	Cache Cache
	// Fetch makes the HTTP requests of modules that may; nil: none can be made.
	Fetch Fetcher

	mu     sync.Mutex
	engine Engine
	known  map[string]*compiled // by digest
}

// compiled is one module of the library; once is done when it is ready.
type compiled struct {
	once sync.Once
	code Compiled
	err  error
}

// Close frees the engine. Modules cannot be called afterwards.
func (l *Library) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.engine == nil {
		return nil
	}
	err := l.engine.Close()
	l.engine, l.known = nil, nil
	return err
}

// started is the engine, made now if it is not there yet.
func (l *Library) started(ctx context.Context) (Engine, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.engine != nil {
		return l.engine, nil
	}
	if l.Open == nil {
		return nil, fault.New(fault.Platform, "this platform has no engine for .wasm tools")
	}
	e, err := l.Open(ctx)
	if err != nil {
		return nil, fault.Of(err, fault.Platform)
	}
	l.engine = e
	return e, nil
}

// compile guards and compiles a module, once for each digest.
func (l *Library) compile(ctx context.Context, digest string, module []byte) (Compiled, error) {
	e, err := l.started(ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	c := l.known[digest]
	if c == nil {
		if l.known == nil {
			l.known = map[string]*compiled{}
		}
		c = &compiled{}
		l.known[digest] = c
	}
	l.mu.Unlock()
	c.once.Do(func() {
		var woven []byte
		if woven, c.err = l.weave(digest, module); c.err == nil {
			c.code, c.err = e.Compile(context.WithoutCancel(ctx), woven, digest)
		}
	})
	return c.code, c.err
}

// weave is guard.Weave with the cache before it.
func (l *Library) weave(digest string, module []byte) ([]byte, error) {
	key := fmt.Sprintf("guard%d-%s", guard.Version, digest)
	if woven, ok := l.cached(key); ok {
		return woven, nil
	}
	woven, err := guard.Weave(module)
	if err != nil {
		return nil, err
	}
	l.keep(key, woven)
	return woven, nil
}

// cached reads a value and checks that it is whole.
func (l *Library) cached(key string) ([]byte, bool) {
	if l.Cache == nil {
		return nil, false
	}
	data, ok := l.Cache.Get(key)
	if !ok || len(data) < sha256.Size {
		return nil, false
	}
	value := data[sha256.Size:]
	if sum := sealed(key, value); [sha256.Size]byte(data[:sha256.Size]) != sum {
		return nil, false
	}
	return value, true
}

// keep stores a value. A cache that cannot be written costs time, not more.
func (l *Library) keep(key string, value []byte) {
	if l.Cache == nil {
		return
	}
	sum := sealed(key, value)
	_ = l.Cache.Put(key, append(sum[:], value...))
}

// sealed binds a value to its key, so that no entry can stand for another.
func sealed(key string, value []byte) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "golem cache %d %s\n", len(key), key)
	h.Write(value)
	return [sha256.Size]byte(h.Sum(nil))
}

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
// bytes are read once, so that what was digested is what runs.
type Module struct {
	library *Library
	source  Source

	once   sync.Once
	data   []byte
	digest string
	info   guard.Info
	err    error
}

// Module is the module of a source; it reads nothing yet.
func (l *Library) Module(s Source) *Module { return &Module{library: l, source: s} }

// Path is where it lies, as its source says.
func (m *Module) Path() string { return m.source.Path }

// Digest is the SHA-256 of the file, hex. It reads the file, and holds it
// against tools.lock (E_LOCK).
func (m *Module) Digest(_ context.Context) (string, error) {
	m.once.Do(m.read)
	return m.digest, m.err
}

func (m *Module) read() {
	m.data, m.err = m.bytes()
	if m.err != nil {
		return
	}
	sum := sha256.Sum256(m.data)
	m.digest = hex.EncodeToString(sum[:])
	if p := m.source.Pinned; p != "" && p != m.digest {
		m.err = fault.New(fault.Lock, "%s has changed: tools.lock has sha256 %s, the file has %s", m.source.Path, p, m.digest).
			Hinting("if you trust the new file, write the lock again: golem tool lock")
		return
	}
	if m.info, m.err = guard.Inspect(m.data); m.err != nil {
		m.err = m.at(m.err)
	}
}

// at names the file in a fault.
func (m *Module) at(err error) error {
	f := fault.Of(err, fault.ToolModule)
	if f.Where != nil && f.Where.File != "" {
		return f
	}
	return f.At(m.source.Path, 0, 0)
}

func (m *Module) bytes() ([]byte, error) {
	f, err := m.source.Open()
	if err != nil {
		return nil, fault.New(fault.NotFound, "the tool module %s cannot be read: %w", m.source.Path, err)
	}
	defer f.Close()
	data, err := readLimited(f, guard.MaxSize)
	if err != nil {
		return nil, m.at(err)
	}
	return data, nil
}

// compiled is the module, ready to run.
func (m *Module) compiled(ctx context.Context) (Compiled, error) {
	digest, err := m.Digest(ctx)
	if err != nil {
		return nil, err
	}
	if m.info.Component {
		return nil, m.component()
	}
	c, err := m.library.compile(ctx, digest, m.data)
	if err != nil {
		return nil, m.at(err)
	}
	return c, nil
}

func (m *Module) component() error {
	return fault.New(fault.ToolContract, "%s is a WebAssembly component, and golem runs core modules", m.source.Path).
		Hinting("build it for wasm32-wasip1, or with an Extism PDK").At(m.source.Path, 0, 0)
}
