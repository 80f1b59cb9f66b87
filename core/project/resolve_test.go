package project

import (
	"errors"
	"slices"
	"testing"

	"golem/core/fault"
)

// Scenario 6, without libraries
func TestOrderOfRoots(t *testing.T) {
	s := demo("-- main.worker --\ninstructions: a\n-- workers/helper.worker --\ninstructions: project\n")
	s.Builtin = tree("-- helper.worker --\ninstructions: built-in\n")
	if w := worker(t, s, "helper"); w.Source != "project" {
		t.Errorf("source %s", w.Source)
	}
	rows, faults := open(t, s).Workers.List()
	if len(faults) > 0 || len(rows) != 2 || !slices.Equal(rows[0].Shadowed, []string{"builtin:helper.worker"}) {
		t.Errorf("list %+v, %v", rows, faults)
	}
	s.FS = tree("-- main.worker --\ninstructions: a\n")
	if w := worker(t, s, "helper"); w.Source != "built-in" || w.File != "builtin:helper.worker" || w.Instructions != "built-in" {
		t.Errorf("%+v", w)
	}
	s.FS = tree("-- main.worker --\ninstructions: a\n-- workers/helper.worker --\ninstructions: a\n-- workers/helper/worker.worker --\ninstructions: a\n")
	_, err := open(t, s).Workers.Find("helper")
	wantFault(t, err, fault.Ambiguous, "workers/helper.worker", "workers/helper/worker.worker")
	if faults := Check(open(t, s), ""); !errors.Is(faults, fault.Ambiguous) {
		t.Errorf("check: %v", faults)
	}
}

// Scenario 7
func TestIdentity(t *testing.T) {
	s := demo(`
-- main.worker --
---
name: calculator
toolsets: {workers: {allowed_workers: [summarizer]}}
---
hi
-- workers/reports/summarizer.worker --
---
name: summarizer
---
hi
-- workers/complex/worker.worker --
instructions: a
`)
	p := open(t, s)
	_, err := p.Workers.Find("reports/summarizer")
	wantFault(t, err, fault.NameMismatch, "workers/reports/summarizer.worker:2:7", `write name: reports/summarizer`)
	w, err := p.Workers.Entry()
	if err != nil || w.ID != "main" || w.Name != "calculator" {
		t.Errorf("%+v, %v", w, err)
	}
	_, err = p.Workers.Delegates(w)
	wantFault(t, err, fault.WorkerNotFound, "main.worker:3:", "did you mean reports/summarizer")
	if w, err := p.Workers.Find("complex"); err != nil || w.ID != "complex" {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := p.Workers.Find("complex/worker"); !errors.Is(err, fault.WorkerNotFound) {
		t.Errorf("complex/worker: %v", err)
	}
}

// Scenario 8
func TestPaths(t *testing.T) {
	s := demo(`
-- main.worker --
instructions: a
-- workers/a/caller.worker --
---
allow_workers: [./workers/deep/n, ./workers/deep/n.worker, deep/n]
---
hi
-- workers/deep/n.worker --
instructions: n
-- workers/out.worker -> ../../outside.worker --
-- workers/abs.worker -> /etc/passwd --
-- workers/loop.worker -> loop.worker --
-- workers/in.worker -> deep/n.worker --
`)
	p := open(t, s)
	caller, err := p.Workers.Find("a/caller")
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Workers.Delegates(caller)
	if err != nil || len(got) != 1 || got[0].ID != "deep/n" {
		t.Errorf("delegates %v, %v", got, err)
	}
	if w, err := p.Workers.Find("in"); err != nil || w.Instructions != "n" {
		t.Errorf("in: %v", err)
	}
	for ref, piece := range map[string]string{
		"../x": "Parent directory references not allowed", "./workers/../../x": "Parent directory references not allowed",
		"/etc/x.worker": "Absolute paths not allowed", `workers\x`: "not a valid worker reference", "C:/x.worker": "not a valid worker reference",
		"out": "points outside the project", "abs": "points outside", "loop": "points outside", "./workers/out.worker": "points outside",
		"a//b": "not a valid worker reference", "./": "not a valid worker reference", "": "empty", "a\x00": "control characters", "a\u202eb": "invisible",
	} {
		_, err := p.Workers.Find(ref)
		if wantFault(t, err, fault.Path, piece); t.Failed() {
			t.Fatalf("reference %q", ref)
		}
	}
	_, err = p.Workers.Find("utils:summarizer")
	wantFault(t, err, fault.LibraryNotFound, "not among the dependencies")
}

// Scenario 10
func TestNothingButTheClosureIsOpened(t *testing.T) {
	s := demo(`
-- workers/o.worker --
---
imports: {workers: [reports/s]}
toolsets: {workers: {allowed_workers: [a]}}
---
hi
-- workers/reports/s.worker --
instructions: s
-- workers/a.worker --
---
imports: {workers: [b]}
---
a
-- workers/b.worker --
---
imports: {workers: [a]}
---
b
-- workers/bad.worker --
---
: : :
  - [
---
`)
	root, ref := Locate("somewhere/workers/o.worker")
	if root != "somewhere" {
		t.Fatalf("root %s", root)
	}
	s.Options.Entry = ref
	p := open(t, s)
	w, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.Workers.Closure(w)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, w := range all {
		ids = append(ids, w.ID)
	}
	if want := []string{"o", "reports/s", "a", "b"}; !slices.Equal(ids, want) {
		t.Errorf("closure %v, want %v", ids, want)
	}
	want := []string{"workers/a.worker", "workers/b.worker", "workers/o.worker", "workers/reports/s.worker"}
	if got := p.Trees.Opened(); !slices.Equal(got, want) {
		t.Errorf("opened %v, want %v", got, want)
	}
	imported, err := p.Workers.Imported(w)
	if err != nil || len(imported) != 1 || imported[0].ID != "reports/s" {
		t.Errorf("imported %v, %v", imported, err)
	}
	if got := Check(p, ""); !slices.ContainsFunc(got, func(f *fault.Fault) bool { return f.Where.File == "workers/bad.worker" }) {
		t.Errorf("check does not see bad.worker: %v", got)
	}
}
