package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

// tools is what this process provides for custom tools: an engine, a cache and the
// network. The engine is made for the first call of a tool; before that, nothing costs
// time.
type tools struct {
	library *wasmtool.Library
	cache   *toolCache
	started bool
}

// newTools returns the tools of a process. The caller must call close.
func (h *host) newTools(verbose bool) *tools {
	t := &tools{cache: &toolCache{}}
	if home := h.home(); home != "" {
		t.cache.dir = filepath.Join(home, "cache")
		t.cache.secret = func() ([]byte, error) { return stateKey(filepath.Join(home, "state.key")) }
	}
	if verbose {
		t.cache.warn = h.say
	}
	t.library = &wasmtool.Library{Name: "wazero", Open: t.engine, Cache: t.cache, Fetch: moduleFetcher{}.fetch}
	return t
}

// forProject returns the library for a project. It returns an error if the manifest
// demands the engine of the browser.
func (t *tools) forProject(engine string) (*wasmtool.Library, error) {
	if engine == "browser" {
		return nil, fault.New(fault.Platform, "tools.engine: browser works only in a web page").Hinting("write tools.engine: auto, which uses the engine that the platform has")
	}
	return t.library, nil
}

func (t *tools) engine(ctx context.Context) (wasmtool.Engine, error) {
	t.started = true
	return wazeroengine.New(ctx, wazeroengine.Options{Cache: t.cache})
}

// close closes the engine and removes cache entries beyond the limits.
func (t *tools) close() {
	if err := t.library.Close(); err != nil && t.cache.warn != nil {
		t.cache.warn("warning: the tool engine could not be closed: %s", cause(err))
	}
	if t.started {
		t.cache.sweep()
	}
}

// homeTools opens $GOLEM_HOME/tools, which contains the modules named pkg.mod:register;
// nil if there is no such directory. No link leads out of it. It stays open as long as
// the process lives.
func (h *host) homeTools() fs.FS {
	home := h.home()
	if home == "" {
		return nil
	}
	root, err := os.OpenRoot(filepath.Join(home, "tools"))
	if err != nil {
		return nil
	}
	return root.FS()
}
