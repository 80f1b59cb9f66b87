//go:build !js

package coretest_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"golem/core/coretest"
)

// update writes what came out into the archive's want/ files, those it has,
// if GOLEM_UPDATE=1 is set. want/files and the settings are the author's and
// stay. What changed must be read before it is committed.
func update(t *testing.T, c coretest.Case, o coretest.Outcome) bool {
	if os.Getenv("GOLEM_UPDATE") == "" {
		return false
	}
	name := filepath.Join("cases", c.Name+".txtar")
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{"want/output": o.Output, "want/trace": o.Trace, "want/requests": o.Requests, "want/faults": o.Faults}
	before := txtar.Format(a)
	for i, f := range a.Files {
		if text, ok := got[f.Name]; ok {
			a.Files[i].Data = []byte(text)
		}
	}
	if after := txtar.Format(a); !slices.Equal(before, after) {
		if err := os.WriteFile(name, after, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("wrote %s", name)
	}
	return true
}
