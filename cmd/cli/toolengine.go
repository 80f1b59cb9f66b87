package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

// cachingEngine is wazero with its cache on disk. wazero reports a damaged cache file
// or a full disk like a fault of the module. So a module that fails is compiled again
// without the cache, and damaged files are removed.
type cachingEngine struct {
	wasmtool.Engine
	cache *toolCache

	mu    sync.Mutex
	plain wasmtool.Engine // without a cache; nil until it is needed
}

var _ wasmtool.Engine = (*cachingEngine)(nil)

// newEngine returns the engine, with the cache if that can be used.
func newEngine(ctx context.Context, cache *toolCache) (wasmtool.Engine, error) {
	if dir := cache.compiled(); dir != "" {
		if e, err := wazeroengine.New(ctx, wazeroengine.Options{Cache: dir}); err == nil {
			return &cachingEngine{Engine: e, cache: cache}, nil
		}
	}
	return wazeroengine.New(ctx, wazeroengine.Options{})
}

// Compile compiles a module with the cache, and without it if that fails.
func (e *cachingEngine) Compile(ctx context.Context, guarded []byte, digest string) (wasmtool.Compiled, error) {
	code, err := e.Engine.Compile(ctx, guarded, digest)
	if err == nil || ctx.Err() != nil || errors.Is(err, fault.Interrupted) {
		return code, err
	}
	if strings.Contains(err.Error(), "compilationcache") {
		e.cache.dropCompiled()
	}
	plain, perr := e.uncached(ctx)
	if perr != nil {
		return nil, err
	}
	return plain.Compile(ctx, guarded, digest)
}

func (e *cachingEngine) uncached(ctx context.Context) (wasmtool.Engine, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.plain != nil {
		return e.plain, nil
	}
	plain, err := wazeroengine.New(ctx, wazeroengine.Options{})
	if err == nil {
		e.plain = plain
	}
	return plain, err
}

// Close closes both engines.
func (e *cachingEngine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	err := e.Engine.Close()
	if e.plain != nil {
		err = errors.Join(err, e.plain.Close())
	}
	return err
}

// dropCompiled removes all compiled code, because some of it is damaged. It will be
// compiled again.
func (c *toolCache) dropCompiled() {
	for _, f := range c.files() {
		if filepath.Dir(f.name) != c.entries() {
			_ = os.Remove(f.name) // a damaged file that stays is found again, which only costs time
		}
	}
}
