package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two golem processes add a module each: one finishes while the other still fetches or
// waits for a yes. Both modules are pinned, and both run.
func TestToolAddBesideAnother(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("main.worker", []byte("---\ntoolsets: {custom: {}}\n---\nx\n"))
	one, err := os.ReadFile(filepath.Join("testdata", "modules", "count.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(filepath.Join("testdata", "modules", "fetch.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	write("other.wasm", two)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if out, bad, exit := golem(t, dir, "tool", "add", "other.wasm", "--yes"); exit != 0 {
			t.Errorf("%d: %s%s", exit, out, bad)
		}
		_, _ = w.Write(one)
	}))
	defer s.Close()
	if out, bad, exit := golem(t, dir, "tool", "add", s.URL+"/one.wasm", "--yes"); exit != 0 {
		t.Fatalf("%d: %s%s", exit, out, bad)
	}
	lock, err := os.ReadFile(filepath.Join(dir, "tools.lock"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tools/one.wasm", "tools/other.wasm"} {
		if !strings.Contains(string(lock), name) {
			t.Errorf("%s is not in tools.lock:\n%s", name, lock)
		}
	}
	if _, bad, exit := golem(t, dir, "check"); exit != 0 {
		t.Errorf("golem check: %s", bad)
	}
	// While other.wasm is fetched, another golem pins it, too. That is a conflict only
	// if the pin changes.
	if _, bad, exit := golem(t, dir, "tool", "add", s.URL+"/other.wasm", "--yes"); exit != 0 {
		t.Errorf("another golem pins the same: %s", bad)
	}
	if _, bad, exit := golem(t, dir, "tool", "add", s.URL+"/other.wasm", "--yes"); exit == 0 || !strings.Contains(bad, "E_CONFLICT") {
		t.Errorf("another golem pins something else meanwhile: %d: %s", exit, bad)
	}
}
