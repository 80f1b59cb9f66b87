package main

import (
	"syscall/js"
	"testing"
)

// TestEngineOfAProject tests which engine a project gets: the browser's own if it can suspend
// a module, else wazero. A project may ask for either (SPEC §6).
func TestEngineOfAProject(t *testing.T) {
	s := newServer(js.Global())
	engine := func(word, want string) {
		t.Helper()
		l, err := s.tools(word)
		if err != nil || l.Name != want {
			t.Errorf("tools.engine %s: %v, %v; want %s", word, l, err, want)
		}
	}
	engine("auto", "browser")
	engine("wazero", "wazero")
	wasm := js.Global().Get("WebAssembly")
	suspending := wasm.Get("Suspending")
	wasm.Set("Suspending", js.Undefined())
	defer wasm.Set("Suspending", suspending)
	engine("auto", "wazero")
	engine("", "wazero")
	engine("browser", "browser")
	for name, l := range s.libraries { // which have begun to start
		e, err := l.Open(t.Context())
		if err != nil || e.Name() != name {
			t.Fatalf("%s: %v, %v", name, e, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
