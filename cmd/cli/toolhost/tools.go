// Package toolhost provides custom tools with an engine and a cache on this machine, and
// opens modules that a person names.
package toolhost

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"golem/core/fault"
	"golem/core/jstool"
	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/fetch"
	"golem/cmd/cli/home"
)

// Tools is what this process provides for custom tools: an engine, a cache and the
// network. The engine is made for the first call of a tool; before that, nothing costs
// time.
type Tools struct {
	Library *wasmtool.Library
	Cache   *toolCache
	started bool
	linking jstool.Linking
}

// New returns the tools of a process. The caller must call close.
func New(c *console.Console, verbose bool) *Tools {
	t := &Tools{Cache: &toolCache{}}
	if dir := c.Home.Dir(); dir != "" {
		t.Cache.Dir = filepath.Join(dir, "cache")
		t.Cache.secret = func() ([]byte, error) { return home.StateKey(filepath.Join(dir, "state.key")) }
	}
	if verbose {
		t.Cache.warn = c.Say
	}
	t.Library = &wasmtool.Library{Name: "wazero", Open: t.engine, Cache: t.Cache, Fetch: fetch.Modules{}}
	return t
}

// ForProject returns the library for a project. It returns an error if the manifest
// demands the engine of the browser.
func (t *Tools) ForProject(engine string) (*wasmtool.Library, error) {
	if engine == "browser" {
		return nil, fault.New(fault.Platform, "tools.engine: browser works only in a web page").Hinting("write tools.engine: auto, which uses the engine that the platform has")
	}
	return t.Library, nil
}

func (t *Tools) engine(ctx context.Context) (wasmtool.Engine, error) {
	t.started = true
	return wazeroengine.New(ctx, wazeroengine.Options{Cache: t.Cache})
}

// Close closes the engine and removes cache entries beyond the limits.
func (t *Tools) Close() {
	if err := t.Library.Close(); err != nil && t.Cache.warn != nil {
		t.Cache.warn("warning: the tool engine could not be closed: %s", disk.Cause(err))
	}
	if t.started {
		t.Cache.sweep()
	}
}

// HomeFiles opens a directory of $GOLEM_HOME, such as tools, which contains the modules named
// pkg.mod:register, or skills; nil if there is no such directory. No link leads out of it. It stays open as long as
// the process lives.
func HomeFiles(c *console.Console, name string) fs.FS {
	dir := c.Home.Dir()
	if dir == "" {
		return nil
	}
	root, err := os.OpenRoot(filepath.Join(dir, name))
	if err != nil {
		return nil
	}
	return root.FS()
}
