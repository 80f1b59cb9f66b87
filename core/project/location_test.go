package project

import (
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
)

// golem uses a tree that is added as a source in the same way as the others: its
// workers have IDs, it looks for their prompts and schemas in the tree, paths begin
// with the source's name, and "*" leaves the workers out.
func TestSourcesAreAlike(t *testing.T) {
	p := open(t, demo("-- main.worker --\n---\nallow_workers: '*'\n---\nhi\n-- workers/own.worker --\n---\n---\nown\n-- in.json --\n{\"type\": \"string\"}\n"))
	p.Trees.all = append(p.Trees.all, &Tree{
		Name: "far/", Label: "far", Roots: []string{"workers"}, Prompts: "texts",
		FS: tree("-- workers/far/away.worker --\ninput_schema: in.json\n-- texts/far/away.md --\nfar\n-- schemas/in.json --\n{\"$ref\": \"more.json\"}\n" +
			"-- schemas/more.json --\n{\"type\": \"object\"}\n-- workers/own.worker --\n---\n---\ntheirs\n"),
	})
	p.Trees.all[0].Needs = []string{"far/"}
	w, err := p.Workers.Find("far/away")
	if err != nil {
		t.Fatal(err)
	}
	if w.File != "far/workers/far/away.worker" || w.Source != "far" || w.Instructions != "far\n" || len(w.Input) == 0 {
		t.Errorf("%+v", w)
	}
	rows, faults := p.Workers.List()
	if len(faults) > 0 {
		t.Error(faults)
	}
	for _, row := range rows {
		if row.ID == "own" && (row.Source != "project" || len(row.Shadowed) != 1 || row.Shadowed[0] != "far/workers/own.worker") {
			t.Errorf("%+v", row)
		}
	}
	entry, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := p.Workers.Delegates(entry)
	if err != nil || len(allowed) != 1 || allowed[0].File != "workers/own.worker" {
		t.Errorf("'*' allows %v, %v", allowed, err)
	}
}

// A directory of the project named builtin/ is one like others: golem uses its workers
// and opens its modules, although the source of the built-in workers has a similar
// name.
func TestADirectoryNamedBuiltin(t *testing.T) {
	s := demo("-- project.yaml --\nworkers: {paths: [builtin]}\ntools: {roots: [builtin]}\n-- main.worker --\ninstructions: m\n" +
		"-- builtin/foo.worker --\ninstructions: own\n-- builtin/add.wasm --\nbytes\n-- tools.lock --\nlock: 1\ntools: {builtin/add.wasm: " + strings.Repeat("ab", 32) + "}\n")
	s.Builtin = tree("-- foo.worker --\ninstructions: built-in\n")
	p := open(t, s)
	var used []string
	for _, w := range p.Workers.Used() {
		used = append(used, w.File)
	}
	if want := []string{"builtin/foo.worker", "main.worker"}; !slices.Equal(used, want) {
		t.Errorf("used %v, want %v", used, want)
	}
	if w, err := p.Workers.InFile("builtin/foo.worker"); err != nil || w.Source != "project" || w.Instructions != "own" {
		t.Errorf("%+v, %v", w, err)
	}
	if w, err := p.Workers.InFile("builtin:foo.worker"); err != nil || w.Source != "built-in" || w.Instructions != "built-in" {
		t.Errorf("%+v, %v", w, err)
	}
	w, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	modules, err := p.Modules.Of(w)
	if err != nil || len(modules) != 1 || modules[0].Path != "builtin/add.wasm" {
		t.Fatal(modules, err)
	}
	file, err := p.Modules.Open(modules[0])
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	if got := Check(p, ""); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// golem does not use files of a directory whose name is the beginning of another
// source's paths, because their paths would be those of the library, or of
// $GOLEM_HOME/tools.
func TestNamesOfOtherSources(t *testing.T) {
	s := demo("-- project.yaml --\ndependencies: [utils]\nworkers: {paths: ['utils:x', 'notes:x']}\ntools: {roots: ['home:']}\n-- main.worker --\ninstructions: m\n" +
		"-- utils:x/foo.worker --\ninstructions: x\n-- home:/a.wasm --\nbytes\n-- notes:x/fine.worker --\ninstructions: x\n")
	s.Libraries = []LibraryRoot{{Label: "libs", FS: tree("-- utils/lib.yaml --\nname: utils\n-- utils/x/foo.worker --\ninstructions: x\n")}}
	p := open(t, s)
	faults := Check(p, "")
	wantFault(t, faults.Err(), fault.Path, `utils:x/foo.worker:1:1: E_PATH: "utils:x/foo.worker" is not a valid path in the project`)
	if len(faults) != 1 {
		t.Errorf("%v", faults)
	}
	if _, err := p.Workers.Find("foo"); err == nil {
		t.Error("a file was used that reads like the library's")
	}
	w, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	if modules, err := p.Modules.Of(w); len(modules) > 0 || err != nil {
		t.Errorf("%v, %v", modules, err)
	}
}
