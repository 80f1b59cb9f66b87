package main

import (
	"context"

	"golem/core/wasmtool"
)

// tools returns the page's library of modules for an engine, as the project's manifest names
// it: "browser", "wazero", or any other word for the default. The default is the browser's
// own engine, or wazero if the browser cannot suspend a module.
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
			Open:  startEarly(start),
			Cache: &toolCache{stores: s.stores},
			Fetch: moduleFetcher{},
		}
	}
	return s.libraries[engine], nil
}

// startEarly starts an engine at once, in its own goroutine, and returns a function that waits
// for it and returns it. If the start failed, or the engine was returned already, that
// function starts an engine again.
func startEarly(start func() (wasmtool.Engine, error)) func(context.Context) (wasmtool.Engine, error) {
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
