package harden_test

import (
	"errors"
	"io/fs"
	"maps"
	"testing"

	"golem/core/fault"
	"golem/core/harden"
	"golem/core/sandbox"
	"golem/core/state"
)

// dying is a tree whose process is killed before a change.
type dying struct {
	sandbox.FS
	left *int
}

var errDead = errors.New("killed")

func (d dying) live() error {
	if *d.left--; *d.left < 0 {
		return errDead
	}
	return nil
}

// WriteFile writes a file, or dies.
func (d dying) WriteFile(name string, data []byte) error {
	if err := d.live(); err != nil {
		return err
	}
	return d.FS.WriteFile(name, data)
}

// Remove removes a file, or dies.
func (d dying) Remove(name string) error {
	if err := d.live(); err != nil {
		return err
	}
	return d.FS.Remove(name)
}

// Mkdir makes a directory, or dies.
func (d dying) Mkdir(name string, perm fs.FileMode) error {
	if err := d.live(); err != nil {
		return err
	}
	return d.FS.Mkdir(name, perm)
}

// Whenever the process is killed, the next Recover leaves all old files or all new ones.
func TestAllFilesOrNone(t *testing.T) {
	before := map[string][]byte{"workers/a.worker": []byte("old")}
	after := map[string][]byte{"workers/a.worker": []byte("new"), "workers/a.wasm": []byte("module"), "workers/a.hard/tool.js": []byte("source")}
	store := state.Memory(sandbox.Memory())
	store.Project = "p"
	seen := map[string]bool{}
	for n := range 40 {
		tree := sandbox.Memory()
		for name, data := range before {
			if err := tree.WriteFile(name, data); err != nil {
				t.Fatal(err)
			}
		}
		left := n
		err := harden.Journal{Root: dying{tree, &left}, State: &store}.Write(after, before)
		if again := (harden.Journal{Root: tree, State: &store}).Recover(); again != nil {
			t.Fatalf("killed at %d: %v", n, again)
		}
		got := map[string][]byte{}
		for name := range after {
			if data, err := fs.ReadFile(tree, name); err == nil {
				got[name] = data
			}
		}
		switch same := func(a, b []byte) bool { return string(a) == string(b) }; {
		case maps.EqualFunc(got, before, same):
			seen["old"] = true
			if err == nil {
				t.Errorf("killed at %d: Write says that it is done", n)
			}
		case maps.EqualFunc(got, after, same):
			seen["new"] = true
		default:
			t.Errorf("killed at %d: %s", n, got)
		}
	}
	if len(seen) != 2 {
		t.Errorf("only %v", seen)
	}
}

// A journal of another machine or project, and one whose contents were changed, write nothing.
func TestAForeignJournalIsLeftAlone(t *testing.T) {
	for n, foreign := range []bool{true, false} {
		tree := sandbox.Memory()
		if err := tree.WriteFile("a.worker", []byte("old")); err != nil {
			t.Fatal(err)
		}
		store, other := state.Memory(sandbox.Memory()), state.Memory(sandbox.Memory())
		store.Project, other.Project = "p", "q"
		left := 5 // the journal is there, and no file is written yet
		writer := &store
		if foreign {
			writer = &other
		}
		for left = range 12 {
			l := left
			if err := (harden.Journal{Root: dying{tree, &l}, State: writer}).Write(map[string][]byte{"a.worker": []byte("new")}, map[string][]byte{"a.worker": []byte("old")}); err == nil {
				t.Fatal("it was not killed")
			}
			if (harden.Journal{Root: tree, State: writer}).Unfinished() {
				break
			}
		}
		if !foreign {
			if err := tree.WriteFile(".golem/hardening/0", []byte("changed")); err != nil {
				t.Fatal(err)
			}
		}
		if err := (harden.Journal{Root: tree, State: &store}).Recover(); err != nil {
			t.Error(err)
		}
		if data, _ := fs.ReadFile(tree, "a.worker"); string(data) != "old" {
			t.Errorf("%d: %s", n, data)
		}
	}
}

// A worker file gets the key, and every other byte stays.
func TestEdit(t *testing.T) {
	r := harden.Rights{Module: "workers/a b.wasm", Calls: []string{"read_file"}}
	line := `hardened: {module: "workers/a b.wasm", when: always, otherwise: worker, fs: false, calls: ["read_file"]}`
	for file, want := range map[string]string{
		"---\nmodel: x\n---\nBody\n---\n":      "---\nmodel: x\n" + line + "\n---\nBody\n---\n",
		"\ufeff---\r\nmodel: x\r\n---\r\nBody": "\ufeff---\r\nmodel: x\r\n" + line + "\r\n---\r\nBody",
		"instructions: Do\nmodel: x":           "instructions: Do\nmodel: x\n" + line + "\n",
		"---\n---\nBody":                       "---\n" + line + "\n---\nBody",
		"---\nmodel: x\n":                      "",
		"Only a body":                          "",
	} {
		got, err := harden.Edit("workers/a.worker", []byte(file), r)
		if string(got) != want || (want == "") != errors.Is(err, fault.Config) {
			t.Errorf("%q: %q, %v", file, got, err)
		}
	}
}

// The source and the module lie beside the worker.
func TestPlaces(t *testing.T) {
	for in, want := range map[[2]string][2]string{
		{"workers/a.worker", "a"}:        {"workers/a.hard/tool.js", "workers/a.wasm"},
		{"workers/r/a.yaml", "r/a"}:      {"workers/r/a.hard/tool.js", "workers/r/a.wasm"},
		{"workers/c/worker.worker", "c"}: {"workers/c.hard/tool.js", "workers/c/c.wasm"},
		{"main.worker", "main"}:          {"agents/main.hard/tool.js", "agents/main.wasm"},
	} {
		if p := harden.PlacesOf(in[0], in[1], "agents", ""); p.Source != want[0] || p.Module != want[1] {
			t.Errorf("%v: %+v", in, p)
		}
	}
}
