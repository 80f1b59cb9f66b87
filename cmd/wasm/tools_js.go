package main

import (
	"context"

	"golem/core/wasmtool"
)

// tools lends the page's library to a project, whose manifest may insist on an
// engine: the browser's own, or wazero, which is also what a browser gets that
// cannot suspend a module.
func (s *server) tools(engine string) (*wasmtool.Library, error) {
	start := newBrowserEngine
	if engine == "wazero" || engine != "browser" && !suspends() {
		engine, start = "wazero", newWazeroEngine
	} else {
		engine = "browser"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.libraries[engine] == nil {
		s.libraries[engine] = &wasmtool.Library{
			Name:  engine,
			Open:  early(start),
			Cache: &toolCache{stores: s.stores},
			Fetch: moduleFetch,
		}
	}
	return s.libraries[engine], nil
}

// early starts an engine at once, beside what else there is to do, for whoever
// opens it. What fails is tried again then.
func early(start func() (wasmtool.Engine, error)) func(context.Context) (wasmtool.Engine, error) {
	type outcome struct {
		engine wasmtool.Engine
		err    error
	}
	begun := make(chan outcome, 1)
	go func() {
		e, err := start()
		begun <- outcome{e, err}
		close(begun)
	}()
	return func(context.Context) (wasmtool.Engine, error) {
		if o := <-begun; o.engine != nil {
			return o.engine, nil
		}
		return start()
	}
}
