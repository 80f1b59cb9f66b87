package main

import (
	"context"
	"runtime"

	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
)

// tools makes what runs custom tools here.
func (s *server) tools(engine string) (*wasmtool.Library, error) {
	if engine == "browser" {
		return nil, fault.New(fault.Platform, "this version of the page runs tools on wazero only").Hinting("set tools.engine to auto")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.library == nil {
		s.library = &wasmtool.Library{Name: "wazero", Open: func(ctx context.Context) (wasmtool.Engine, error) {
			return wazeroengine.New(ctx, wazeroengine.Options{Interpreter: true, Workers: 1, Yield: func() { s.breathe(); runtime.Gosched() }})
		}}
	}
	return s.library, nil
}
