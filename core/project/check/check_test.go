package check

import (
	"errors"
	"slices"
	"testing"
	"testing/fstest"

	"golem/core/fault"
	"golem/core/project"
)

var broken = fstest.MapFS{
	"project.yaml":         {Data: []byte("nam: x\nexports: [none]\nentry: other\ntools: {engine: browser}\n")},
	"main.worker":          {Data: []byte("---\nmodel: gpt-5\nlimits: {turns: no}\nallow_workers: [a, missing]\nimports: {tools: [./gone]}\n---\nhi\n")},
	"workers/a.worker":     {Data: []byte("---\nallow_workers: [main]\n---\nhi\n")},
	"workers/A.worker":     {Data: []byte("---\ntoolsets: {shel: {}}\n---\nhi\n")},
	"workers/b.worker":     {Data: []byte("---\nname: c\n---\nhi\n")},
	"workers/b.yaml":       {Data: []byte("instructions: hi\n")},
	"tools/t.go":           {Data: []byte("package main\n")},
	"tools/old.tools.yaml": {Data: []byte("tools: []\n")},
	"golem.lock":           {Data: []byte("{}")},
	"tools.lock":           {Data: []byte("lock: 1\ntools: {tools/gone.wasm: zz}\n")},
}

// Each check finds the same alone, on a project that no other check has looked at, and all of
// them together find nothing else.
func TestNoCheckNeedsAnother(t *testing.T) {
	load := func() *project.Project {
		p, err := project.Load(project.Setup{FS: broken, Name: "demo", Platform: project.Platform{Name: "native", Toolsets: []string{"workers"}}, Part: true})
		if p == nil {
			t.Fatal(err)
		}
		return p
	}
	want := Project(load(), "", nil)
	var alone fault.List
	found := 0
	for _, c := range slices.Backward(Checks) {
		faults := c.find(resolve(load(), "native", nil))
		if len(faults) > 0 {
			found++
		}
		alone = append(alone, faults...)
	}
	alone.Sort()
	var got, all []string
	for _, f := range alone.Compact() {
		got = append(got, f.Error())
	}
	for _, f := range want {
		all = append(all, f.Error())
	}
	slices.Sort(got)
	slices.Sort(all)
	if !slices.Equal(got, all) {
		t.Errorf("alone the checks find\n%q\ntogether\n%q", got, all)
	}
	if found < 10 {
		t.Errorf("only %d checks found anything", found)
	}
}

// noModels are models of which none can be opened.
type noModels struct{}

func (noModels) Check(name, _, _ string) (string, error) {
	return "", errors.New("unknown provider in " + name)
}
func (noModels) Beginnings() []string { return nil }

func TestModelsAreJudgedByTheHost(t *testing.T) {
	p, err := project.Load(project.Setup{Name: "demo", FS: fstest.MapFS{
		"project.yaml": {Data: []byte("model: nope:x\n")}, "main.worker": {Data: []byte("instructions: a\n")}, "workers/b.worker": {Data: []byte("instructions: a\n")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := Project(p, "", noModels{})
	if len(got) != 1 || got[0].Error() != "project.yaml:1:8: E_MODEL: unknown provider in nope:x" {
		t.Errorf("%v", got)
	}
}
