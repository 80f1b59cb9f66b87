package main

import (
	"context"

	"golem/core/wasmtool"
)

// tools lends the page's library to a project, whose manifest may insist on an
// engine: the browser's own, or wazero, which is also what a browser gets that
// cannot suspend a module.
func (s *server) tools(engine string) (*wasmtool.Library, error) {
	open := newBrowserEngine
	if engine == "wazero" || engine != "browser" && !suspends() {
		engine, open = "wazero", newWazeroEngine
	} else {
		engine = "browser"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.libraries[engine] == nil {
		s.libraries[engine] = &wasmtool.Library{
			Name:  engine,
			Open:  func(context.Context) (wasmtool.Engine, error) { return open() },
			Cache: &toolCache{stores: s.stores},
			Fetch: moduleFetch,
		}
	}
	return s.libraries[engine], nil
}
