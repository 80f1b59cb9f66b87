//go:build !js

package coretest_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"golem/core/coretest"
)

// update writes what came out into the archive's want/ files, those it has,
// if GOLEM_UPDATE=1 is set and the settings and files are as the author wants
// them. What changed must be read before it is committed.
func update(t *testing.T, c coretest.Case, o coretest.Outcome) bool {
	if os.Getenv("GOLEM_UPDATE") == "" {
		return false
	}
	settled := c
	settled.Want = maps.Clone(c.Want)
	for _, k := range []string{"output", "trace", "requests", "sent", "faults", "config"} {
		delete(settled.Want, k)
	}
	if diffs := coretest.Compare(settled, o); len(diffs) > 0 {
		return false // nothing wrong is blessed: the case fails as it stands
	}
	name := filepath.Join("cases", c.Name+".txtar")
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{"want/output": o.Output, "want/trace": o.Trace, "want/requests": o.Requests, "want/sent": o.Sent, "want/faults": o.Faults}
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
