package main

import (
	"context"

	"golem/core/fault"
	"golem/core/wasmtool"
)

// tools lends the page's one library to a project; its manifest may insist on
// an engine.
func (s *server) tools(engine string) (*wasmtool.Library, error) {
	if engine == "wazero" {
		return nil, fault.New(fault.Platform, "tools.engine is wazero, and the page has the browser's own engine alone").
			Hinting("write engine: auto, which takes what a platform has")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.library == nil {
		s.library = &wasmtool.Library{
			Name:  "browser",
			Open:  func(context.Context) (wasmtool.Engine, error) { return newBrowserEngine() },
			Cache: &toolCache{stores: s.stores},
			Fetch: moduleFetch,
		}
	}
	return s.library, nil
}
