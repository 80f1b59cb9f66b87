//go:build !js

package examples_test

import (
	"os"
	"path/filepath"
	"testing"

	"golem/core"
	"golem/core/worktest"
)

// TestExamplesTests runs the tests that each example has.
func TestExamplesTests(t *testing.T) {
	found, err := filepath.Glob("*/tests")
	levels, _ := filepath.Glob("levels/*/tests")
	if found = append(found, levels...); err != nil || len(found) < 17 {
		t.Fatalf("%d examples have tests: %v", len(found), err)
	}
	for _, tests := range found {
		t.Run(filepath.Dir(tests), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Dir(tests))); err != nil {
				t.Fatal(err)
			}
			inst := openExample(t, dir, play{dir: filepath.Dir(tests)})
			suite, err := inst.Tests()
			if err != nil {
				t.Fatal(err)
			}
			verdicts, err := suite.Run(t.Context(), core.TestRun{})
			if err != nil || suite.Faults.Err() != nil {
				t.Fatal(err, suite.Faults)
			}
			for _, v := range verdicts {
				if v.Status != worktest.Passed {
					t.Error(v.Lines())
				}
			}
			if len(verdicts) == 0 {
				t.Error("there is no case")
			}
		})
	}
}
