//go:build !js

package core_test

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"golem/core"
	"golem/core/harden"
	"golem/core/model/prices"
	"golem/core/money"
	"golem/core/run"
	"golem/core/worktest"
)

// Five workers of different kinds become code (bench/hardening). The table in bench/README.md has
// what came out, and each worker's own tests pass both ways: what the code leaves open, the
// worker answers.
func TestFiveKindsOfWorkersAreHardened(t *testing.T) {
	files := map[string]string{}
	dir := os.DirFS("../bench/hardening")
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = fs.ReadFile(dir, name)
			files[name] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../bench/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"triage", "order", "date", "route", "invoice"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inst, tree := hardenable(t, files)
			h, err := inst.Harden(t.Context(), name, core.HardenRun{})
			if err != nil {
				t.Fatal(err)
			}
			r := h.Report
			failed := 0
			for _, n := range r.Mutated.Failed {
				failed += n
			}
			row := fmt.Sprintf("| %s | %d | %d | %d of %d | %d of %d | %d | %d | %d of %d |", name, len(r.Rounds), r.ShownCases+r.HeldCases, r.Shown.Same, r.ShownCases,
				r.Held.Same, r.HeldCases, r.Shown.Differ+r.Held.Differ, r.Shown.Unsure+r.Held.Unsure, failed, r.Mutated.Inputs)
			if !strings.Contains(string(readme), row) {
				t.Errorf("bench/README.md does not have the row\n%s\n%s", row, r.Text())
			}
			if r.Held.Cases < 12 || r.Doubt() != "" {
				t.Errorf("%d unseen cases: %s", r.Held.Cases, r.Doubt())
			}
			if err := h.Apply(t.Context()); err != nil {
				t.Fatal(err)
			}
			inst = hardenedIn(t, tree)
			tests, err := inst.Tests()
			if err != nil {
				t.Fatal(err)
			}
			for _, byModel := range []bool{false, true} {
				verdicts, err := tests.Run(t.Context(), core.TestRun{Answers: map[bool]run.Answerer{true: run.ByModel}[byModel]})
				if err != nil {
					t.Fatal(err)
				}
				asked := 0
				for _, v := range verdicts {
					if v.Worker != name {
						continue
					}
					if v.Status != worktest.Passed {
						t.Errorf("by the model %t: %+v", byModel, v)
					}
					asked += int(v.Turns)
				}
				if !byModel {
					t.Log(costRow(t, name, r, asked))
				}
				if want := r.Shown.Unsure + r.Held.Unsure; !byModel && asked != want || byModel && asked != 40 {
					t.Errorf("by the model %t: the model answered %d of 40", byModel, asked)
				}
			}
		})
	}
}

// costRow returns the row of the second table in bench/README.md: what calls cost before and
// after, with the model gpt-5-mini, if asked of the 40 inputs still go to the model.
func costRow(t *testing.T, name string, r *harden.Report, asked int) string {
	listed, ok := prices.Of("openai", "gpt-5-mini")
	if !ok || !listed.Priced {
		t.Fatal("there is no price of gpt-5-mini")
	}
	call := listed.Price.Of(r.Before.In, 0, 0, r.Before.Out)
	return fmt.Sprintf("| %s | %d of 40 | %d, %d | %s | %s | %d | %.1f million |", name, asked, r.Before.In, r.Before.Out,
		(call * 1000).Text(), (call * 1000 * money.USD(asked) / 40).Text(), r.After.MS, float64(r.After.Fuel)/1e6)
}
