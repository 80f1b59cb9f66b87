package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"golem/core/fault"
	"golem/core/wasmtool"
)

// tools is what this process lends to custom tools: an engine that is made by
// the first call of one, a cache, the network. Nothing costs anything until a
// tool is called.
type tools struct {
	library *wasmtool.Library
	cache   *toolCache
	started bool
}

// newTools makes the library of a process. Close it at the end.
func (h *host) newTools(verbose bool) *tools {
	t := &tools{cache: &toolCache{}}
	if home := h.home(); home != "" {
		t.cache.dir = filepath.Join(home, "cache")
	}
	if verbose {
		t.cache.warn = h.say
	}
	t.library = &wasmtool.Library{Name: "wazero", Open: t.engine, Cache: t.cache, Fetch: moduleFetcher{}.fetch}
	return t
}

// forProject lends the library to a project; its manifest may insist on an
// engine.
func (t *tools) forProject(engine string) (*wasmtool.Library, error) {
	if engine == "browser" {
		return nil, fault.New(fault.Platform, "tools.engine: browser works only in a web page").Hinting("write tools.engine: auto, which uses the engine that the platform has")
	}
	return t.library, nil
}

func (t *tools) engine(ctx context.Context) (wasmtool.Engine, error) {
	t.started = true
	return newEngine(ctx, t.cache)
}

// close frees the engine and brings the cache within its bounds.
func (t *tools) close() {
	if err := t.library.Close(); err != nil && t.cache.warn != nil {
		t.cache.warn("warning: the tool engine could not be closed: %s", cause(err))
	}
	if t.started {
		t.cache.sweep()
	}
}

// homeTools is $GOLEM_HOME/tools, where modules named pkg.mod:register lie;
// nil if there is no such directory. No link leads out of it. It is open as
// long as the process lives.
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
