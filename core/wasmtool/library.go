package wasmtool

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// Cache stores guarded modules and descriptions between processes. The Library
// adds a checksum to each value, so it notices a damaged or exchanged entry and
// replaces it. Both methods must be safe for concurrent use.
type Cache interface {
	Get(key string) ([]byte, bool)
	Put(key string, data []byte) error
}

// Library guards and compiles each module once, at its first call. Use one
// Library for the whole process; it is safe for concurrent use. Set the fields
// before the first use.
type Library struct {
	// Open makes the engine. It is called once, when the first module is
	// called.
	Open func(ctx context.Context) (Engine, error)
	// Name is the engine's name, "wazero" or "browser", for tools.engine.
	Name string
	// Cache may be nil; then nothing is stored between processes.
	Cache Cache
	// Fetch makes the HTTP requests of modules that are allowed to; nil: no
	// requests can be made.
	Fetch Fetcher

	room    room       // the memory of all instances
	opening sync.Mutex // locked while the engine is made

	mu      sync.Mutex
	engine  Engine
	closed  bool
	known   map[string]*compiled // by digest
	working sync.WaitGroup       // running compilations and calls
}

// compiled is one module of the library. Read code and err only after ready is
// closed.
type compiled struct {
	ready chan struct{}
	work  context.Context // ends at the time limit of compiling, or by stop
	stop  context.CancelFunc
	code  Compiled
	err   error
}

// CompileTime is the time limit for compiling one module. Apart from it,
// compiling counts only against the worker's time limit.
const CompileTime = 5 * time.Minute

// slowAfter is how long compiling takes before the caller is told.
const slowAfter = 250 * time.Millisecond

func errCompileTime() error {
	return fault.New(fault.Timeout, "compiling the module took longer than %v", CompileTime).
		Hinting("run fewer programs beside golem, or build a smaller module: without debugging information, with fewer libraries")
}

// Close waits for running calls and compilations and then releases the engine.
// Afterwards modules cannot be called.
func (l *Library) Close() error {
	l.mu.Lock()
	l.closed = true
	for _, c := range l.known {
		c.stop()
	}
	l.mu.Unlock()
	l.working.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.engine == nil {
		return nil
	}
	err := l.engine.Close()
	l.engine, l.known = nil, nil
	return err
}

func errClosed() error { return fault.New(fault.Interrupted, "the tool engine is closed") }

// enter begins a call. The engine stays open until leave is called.
func (l *Library) enter() (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errClosed()
	}
	l.working.Add(1)
	return l.working.Done, nil
}

// started returns the engine, and makes it if necessary.
func (l *Library) started(ctx context.Context) (Engine, error) {
	l.opening.Lock()
	defer l.opening.Unlock()
	l.mu.Lock()
	e := l.engine
	l.mu.Unlock()
	if e != nil {
		return e, nil
	}
	if l.Open == nil {
		return nil, fault.New(fault.Platform, "this platform has no engine for .wasm tools")
	}
	e, err := l.Open(ctx)
	if err != nil {
		return nil, fault.Of(err, fault.Platform)
	}
	l.mu.Lock()
	l.engine = e
	l.mu.Unlock()
	return e, nil
}

// compile guards and compiles a module, once for each digest. If ctx ends,
// compile returns, but the work continues for the next call. slow, which can be nil, is
// called once if compiling takes a while.
func (l *Library) compile(ctx context.Context, digest string, module []byte, pages uint32, slow func()) (Compiled, error) {
	digest = sized(digest, pages)
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, errClosed()
	}
	c := l.known[digest]
	if c == nil {
		if l.known == nil {
			l.known = map[string]*compiled{}
		}
		c = &compiled{ready: make(chan struct{})}
		l.known[digest] = c
		c.work, c.stop = context.WithTimeoutCause(context.WithoutCancel(ctx), CompileTime, errCompileTime())
		l.working.Go(func() { l.build(c, digest, module, pages) })
	}
	l.mu.Unlock()
	return c.wait(ctx, slow)
}

func (c *compiled) wait(ctx context.Context, slow func()) (Compiled, error) {
	select {
	case <-c.ready:
		return c.code, c.err
	default:
	}
	timer := time.NewTimer(slowAfter)
	defer timer.Stop()
	for {
		select {
		case <-c.ready:
			return c.code, c.err
		case <-c.work.Done():
			select {
			case <-c.ready:
				return c.code, c.err
			default: // the time is over; do not wait until the engine notices it
				return nil, ended(c.work)
			}
		case <-ctx.Done():
			return nil, ended(ctx)
		case <-timer.C:
			if slow != nil {
				slow()
			}
		}
	}
}

// sized returns a module's digest, with the maximum of its memory in pages unless that is
// the default. With another maximum the guarded module and its compiled code differ.
func sized(digest string, pages uint32) string {
	if pages == guard.MaxMemoryPages {
		return digest
	}
	return fmt.Sprintf("%s-m%d", digest, pages)
}

// ready returns the result of an earlier compilation, if it is finished.
func (l *Library) ready(digest string) (Compiled, error, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.known[digest]
	if c == nil || l.closed {
		return nil, nil, false
	}
	select {
	case <-c.ready:
		return c.code, c.err, true
	default:
		return nil, nil, false
	}
}

// build guards and compiles a module. It keeps the error of a module that is not
// accepted. After other errors (no engine, no time left) the next call tries again.
func (l *Library) build(c *compiled, digest string, module []byte, pages uint32) {
	defer c.stop()
	defer close(c.ready)
	ctx := c.work
	e, err := l.started(ctx)
	if err != nil {
		c.err = err
		l.forget(digest)
		return
	}
	if stem, filling, ok := guard.Divide(module, slotExport); ok {
		if code, err := l.compile(ctx, digestOf(stem), stem, pages, nil); err == nil {
			c.code = filled{code, filling}
		} else if c.err = err; ctx.Err() != nil {
			l.forget(digest)
		}
		return
	}
	woven, err := l.weave(digest, module, pages)
	if err != nil {
		c.err = err
		return
	}
	if c.code, c.err = e.Compile(ctx, woven, digest); c.err != nil && ctx.Err() != nil {
		c.err = ended(ctx)
		l.forget(digest)
	}
}

func (l *Library) forget(digest string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, digest)
}

// weave returns the guarded module, from the cache if it is there.
func (l *Library) weave(digest string, module []byte, pages uint32) ([]byte, error) {
	key := fmt.Sprintf("guard%d-%s", guard.Version, digest)
	if woven, ok := l.cached(key); ok {
		return woven, nil
	}
	woven, err := guard.WeaveFor(module, pages)
	if err != nil {
		return nil, err
	}
	l.cacheValue(key, woven)
	return woven, nil
}

// cached reads a value from the cache and verifies its checksum.
func (l *Library) cached(key string) ([]byte, bool) {
	if l.Cache == nil {
		return nil, false
	}
	data, ok := l.Cache.Get(key)
	if !ok || len(data) < sealSize {
		return nil, false
	}
	value := data[sealSize:]
	if sum := sealed(key, value); [sealSize]byte(data[:sealSize]) != sum {
		return nil, false
	}
	return value, true
}

// cacheValue stores a value in the cache. It ignores errors, because a missing entry
// only costs time.
func (l *Library) cacheValue(key string, value []byte) {
	if l.Cache == nil {
		return
	}
	sum := sealed(key, value)
	_ = l.Cache.Put(key, append(sum[:], value...))
}

// sealed returns the checksum of a value with its key. It detects accidents, not
// attacks: anyone who can write to the cache can run code anyway.
func sealed(key string, value []byte) [sealSize]byte {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum([]byte(key), table), table, value)
	var out [sealSize]byte
	binary.LittleEndian.PutUint32(out[:], sum)
	binary.LittleEndian.PutUint32(out[4:], uint32(len(value)))
	return out
}

const sealSize = 8
