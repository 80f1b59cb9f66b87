//go:build !js

package web_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/core/coretest"
)

// TestExamplesParity plays every example that the page offers, with every suggested input,
// natively and in each browser.
func TestExamplesParity(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("examples.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Examples []struct {
			Name, Model string
			Inputs      []string
		}
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	sides := everywhere(t)
	for _, e := range list.Examples {
		files := tree(t, filepath.Join("..", "examples", e.Name))
		for _, input := range e.Inputs {
			in := json.RawMessage(input)
			if !json.Valid(in) {
				in, err = json.Marshal(input)
				if err != nil {
					t.Fatal(err)
				}
			}
			c := coretest.Case{Name: e.Name, Project: files, Settings: coretest.Settings{
				Inputs: []json.RawMessage{in}, Model: e.Model, Approval: "approve_all",
			}}
			t.Run(e.Name, func(t *testing.T) {
				here := natively(t, c)
				if here.Status != "ok" {
					t.Errorf("natively it ended %s: %s%s", here.Status, here.Output, here.Faults)
				}
				sides.compare(t, c, here, side.play)
			})
		}
	}
}

// TestLevelsParity plays the seven levels natively and in each browser.
func TestLevelsParity(t *testing.T) {
	t.Parallel()
	sides := everywhere(t)
	inputs := map[string]string{
		"0-file": "My kettle leaks", "1-project": "My bicycle squeaks", "2-tools": "3 hours", "3-workers": "My lamp flickers",
		"4-templates": "My lamp flickers", "5-own-tools": "Desk lamp, 2 hours", "6-libraries": "My lamp flickers",
	}
	levels, err := filepath.Glob("../examples/levels/[0-6]-*")
	if err != nil || len(levels) != len(inputs) {
		t.Fatalf("%v, and %d inputs: %v", levels, len(inputs), err)
	}
	for _, dir := range levels {
		in, err := json.Marshal(inputs[filepath.Base(dir)])
		if err != nil {
			t.Fatal(err)
		}
		c := coretest.Case{Name: filepath.Base(dir), Project: tree(t, dir), Settings: coretest.Settings{Inputs: []json.RawMessage{in}, Model: "script:script.yaml", Quiet: true}}
		c.Libs = map[string][]byte{}
		for name, data := range c.Project {
			if below, ok := strings.CutPrefix(name, "libs/"); ok {
				c.Libs[below] = data
			}
		}
		if c.Name == "0-file" {
			c.Settings.Entry = "./task.worker"
		}
		t.Run(c.Name, func(t *testing.T) {
			here := natively(t, c)
			if here.Status != "ok" {
				t.Errorf("natively it ended %s: %s%s", here.Status, here.Output, here.Faults)
			}
			sides.compare(t, c, here, side.play)
		})
	}
}

// tree returns the files of a directory, by path.
func tree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(root, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
