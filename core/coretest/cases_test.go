package coretest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"golem/core/coretest"
)

// TestCases plays every embedded case. Each has its own clock (synctest), so that retries and
// timeouts take no time.
func TestCases(t *testing.T) {
	cases, err := coretest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := coretest.Run(t.Context(), c)
				if update(t, c, o) {
					return
				}
				if c.ExpectsNothing() {
					t.Errorf("core/coretest/cases/%s.txtar expects nothing: add empty parts want/output and want/trace (want/faults for check); GOLEM_UPDATE=1 go test ./core/coretest fills them", c.Name)
				}
				for _, diff := range coretest.Compare(c, o) {
					t.Error(diff)
				}
				if t.Failed() {
					t.Logf("%s proves: %s\nIf the outcome is right, GOLEM_UPDATE=1 go test ./core/coretest -run 'TestCases/%s$' writes the parts want/… that the case has", c.Name, c.Proves, c.Name)
				}
			})
		})
	}
}

// TestScenarios proves that every scenario that golem plays has a case that names it.
func TestScenarios(t *testing.T) {
	cases, err := coretest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	have := map[int]bool{}
	for _, c := range cases {
		for _, n := range c.Scenarios {
			have[n] = true
		}
	}
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 35, 36, 46, 49} {
		if !have[n] {
			t.Errorf("no case names scenario %d; cases name %v", n, slices.Sorted(maps.Keys(have)))
		}
	}
}

// TestParse proves that a mistake in an archive is found and not ignored.
func TestParse(t *testing.T) {
	for name, text := range map[string]string{
		"no comment":       "-- project/main.worker --\nhi\n",
		"no project":       "It proves.\n-- want/output --\nhi\n",
		"unknown setting":  "It proves.\n-- case.json --\n{\"input\": \"x\"}\n-- project/main.worker --\nhi\n",
		"unknown answer":   "It proves.\n-- case.json --\n{\"answers\": {\"0.1\": \"maybe\"}}\n-- project/main.worker --\nhi\n",
		"unknown wish":     "It proves.\n-- project/main.worker --\nhi\n-- want/else --\nx\n",
		"stray file":       "It proves.\n-- main.worker --\nhi\n",
		"bad name":         "It proves.\n-- project/../x --\nhi\n",
		"scenario no word": "It proves.\nScenario: six\n-- project/main.worker --\nhi\n",
	} {
		if _, err := coretest.Parse(name, []byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestCheckIsStable proves that a check of a project with many faults gives the same bytes
// each time, and each fault once (scenario 77).
func TestCheckIsStable(t *testing.T) {
	cases, err := coretest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	c := cases[slices.IndexFunc(cases, func(c coretest.Case) bool { return c.Name == "s77-forty" })]
	first := ""
	for n := range 20 {
		synctest.Test(t, func(t *testing.T) {
			o := coretest.Run(t.Context(), c)
			if n == 0 {
				first = o.Faults
			}
			if o.Faults != first {
				t.Errorf("check %d differs:\n%s\n---\n%s", n, o.Faults, first)
			}
		})
	}
	said, errors := map[string]bool{}, 0
	for line := range strings.Lines(first) {
		if said[line] {
			t.Errorf("said twice: %s", line)
		}
		said[line] = true
		if !strings.Contains(line, ": warning: ") {
			errors++
		}
	}
	if errors < 40 {
		t.Errorf("only %d errors:\n%s", errors, first)
	}
}
