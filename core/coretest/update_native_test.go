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

// update writes output, trace, requests, sent and faults into the want/ files that the archive
// has, if GOLEM_UPDATE is set and everything else in the outcome is as the case expects. Read
// the changes before you commit them.
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
		return false // the case fails for another reason, so its expectations stay
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
