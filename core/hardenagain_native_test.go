//go:build !js

package core_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"golem/core"
	"golem/core/harden"
	"golem/core/sandbox"
)

const onlyBills = `
function answer({input}) {
  return /invoice|refund|payment/.test(input) ? {label: 'billing'} : {unsure: 'no word that tells'}
}`

// again hardens the worker sort of a project once more.
func again(t *testing.T, tree sandbox.FS) *harden.Report {
	t.Helper()
	h, err := hardenedIn(t, tree).Harden(t.Context(), "sort", core.HardenRun{Again: true, Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	return h.Report
}

// hardenedSorter returns a project whose worker sort has code that is unsure about six of its
// ten cases.
func hardenedSorter(t *testing.T) sandbox.FS {
	t.Helper()
	inst, tree := hardenable(t, sorter(onlyBills))
	h, err := inst.Harden(t.Context(), "sort", core.HardenRun{Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r := h.Report; r.Shown.Unsure+r.Held.Unsure != 6 || r.Shown.Unsure == 0 || strings.Join(r.Files, " ") != "workers/sort.hard/cases.json workers/sort.hard/tool.js workers/sort.wasm workers/sort.worker" {
		t.Fatalf("%+v", r)
	}
	if err := h.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	return tree
}

// replaceIn changes a file of a project.
func replaceIn(t *testing.T, tree sandbox.FS, name, old, now string) {
	t.Helper()
	data, err := fs.ReadFile(tree, name)
	if err != nil || !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %q (%v)", name, old, err)
	}
	if err := tree.WriteFile(name, []byte(strings.ReplaceAll(string(data), old, now))); err != nil {
		t.Fatal(err)
	}
}

// Cases of which the code was written are not new, even if it leaves them to the worker: golem
// harden --again asks no model for them alone.
func TestHardenAgainKnowsOldCases(t *testing.T) {
	tree := hardenedSorter(t)
	r := again(t, tree)
	if !r.NothingNew || r.HeldNew != 0 || len(r.Rounds) != 0 || r.Shown.Unsure == 0 || !strings.Contains(r.Text(), "\nThe others were there when it was written.\n") {
		t.Errorf("old cases alone: %+v\n%s", r, r.Text())
	}
}

// A case with another answer than before is new; and so is every case if the list is gone, cannot
// be read, or belongs to another module.
func TestHardenAgainWithChangedCases(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, tree sandbox.FS){
		"another answer": func(t *testing.T, tree sandbox.FS) {
			replaceIn(t, tree, "tests/sort.yaml", "/label: bug", "/label: other")
			replaceIn(t, tree, "answers.yaml", `"label": "bug"`, `"label": "other"`)
		},
		"other files around it": func(t *testing.T, tree sandbox.FS) {
			replaceIn(t, tree, "tests/sort.yaml", "  - {name: ", "  - {files: {a.txt: b}, name: ")
		},
		"no list": func(t *testing.T, tree sandbox.FS) {
			if err := tree.Remove("workers/sort.hard/cases.json"); err != nil {
				t.Fatal(err)
			}
		},
		"a broken list": func(t *testing.T, tree sandbox.FS) {
			replaceIn(t, tree, "workers/sort.hard/cases.json", `"cases": [`, `"cases": [1,`)
		},
		"the list of another module": func(t *testing.T, tree sandbox.FS) {
			replaceIn(t, tree, "workers/sort.hard/cases.json", `"module": "`, `"module": "00`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := hardenedSorter(t)
			change(t, tree)
			if r := again(t, tree); r.NothingNew || len(r.Rounds) != 1 {
				t.Errorf("no model was asked: %+v", r)
			}
		})
	}
}

// A new case that the model would not see asks no model, and the report says that it is there.
func TestHardenAgainWithANewUnseenCase(t *testing.T) {
	shown, unseen := 0, 0
	tree := hardenedSorter(t)
	for n := 0; shown == 0 || unseen == 0; n++ {
		if n == 40 {
			t.Fatalf("of %d inputs, %d are shown and %d are not", n, shown, unseen)
		}
		text, before := fmt.Sprintf("Broken %d", n), map[string]string{}
		for _, name := range []string{"tests/sort.yaml", "answers.yaml"} {
			data, err := fs.ReadFile(tree, name)
			if err != nil {
				t.Fatal(err)
			}
			before[name] = string(data)
		}
		replaceIn(t, tree, "tests/sort.yaml", "cases:\n", fmt.Sprintf("cases:\n  - {name: broken, input: %q, expect: {output: {json: {/label: bug}}}}\n", text))
		replaceIn(t, tree, "answers.yaml", "  \"*\":\n", fmt.Sprintf("  \"*\":\n    - {when: {text: %q}, say: '{\"label\": \"bug\"}'}\n", text))
		switch r := again(t, tree); {
		case !r.NothingNew:
			shown++
		case r.HeldNew != 1 || !strings.Contains(r.Text(), "\n1 new case, which "):
			t.Fatalf("%s: %+v\n%s", text, r, r.Text())
		default:
			unseen++
		}
		for name, data := range before {
			if err := tree.WriteFile(name, []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
