package core_test

import (
	"errors"
	"testing"

	"golem/core"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
)

// A packed project is refused if it says that it starts with another worker than it does: a
// person reads that line before they run it.
func TestPackNamesItsEntry(t *testing.T) {
	for entry, refused := range map[string]bool{"main": false, "": false, "safe": true, "none": true} {
		tree := sandbox.Memory()
		for name, text := range map[string]string{
			"main.worker":         "---\nmodel: script:minimal\n---\nM.\n",
			"workers/safe.worker": "---\nmodel: script:minimal\n---\nS.\n",
		} {
			if err := tree.WriteFile(name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		data, _, err := workspace.MakePack(workspace.PackSource{Name: "p", Entry: entry, Project: tree})
		if err != nil {
			t.Fatal(err)
		}
		pack, err := workspace.ReadPack(data)
		if err != nil {
			t.Fatal(err)
		}
		inst, err := core.Open(core.Platform{Name: "native", Version: "test"}, core.Options{Files: pack.Project, Name: "p"})
		if err != nil {
			t.Fatal(err)
		}
		if err := core.CheckPack(inst, pack); errors.Is(err, fault.Lock) != refused {
			t.Errorf("entry %q: %v", entry, err)
		}
	}
}
