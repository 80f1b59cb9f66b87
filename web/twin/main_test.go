//go:build !js

package main

import (
	"os"
	"strings"
	"testing"

	"golem/core/ui"
	"golem/core/wasmtool"
)

// TestTwinIsFresh tests that web/tool/twin.js is what the generator writes, and that each text
// has its arguments.
func TestTwinIsFresh(t *testing.T) {
	table := wasmtool.Shared()
	got, err := os.ReadFile("../tool/twin.js")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != script(table) {
		t.Error("web/tool/twin.js is stale; run at the repository's root: go run ./web/twin")
	}
	for _, x := range table.Texts {
		all := x.Text
		if x.Fault != nil {
			all = x.Fault.Message + x.Fault.Hint
		}
		for _, arg := range x.Args {
			if strings.Count(all, arg[1]) != 1 {
				t.Errorf("%s: the argument %s stands %d times in %q", x.Name, arg[0], strings.Count(all, arg[1]), all)
			}
		}
	}
}

// TestActionsAreFresh tests that web/ui/actions.js has the list of core/ui.
func TestActionsAreFresh(t *testing.T) {
	got, err := os.ReadFile("../ui/actions.js")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != actions(ui.Actions()) {
		t.Error("web/ui/actions.js is stale; run at the repository's root: go run ./web/twin")
	}
}

// TestTwinIsUsed tests that the scripts of web/tool use every name of the generated table, and
// contain no fault codes themselves.
func TestTwinIsUsed(t *testing.T) {
	var scripts strings.Builder
	for _, name := range []string{"kernel.js", "wasi.js", "files.js", "worker.js"} {
		data, err := os.ReadFile("../tool/" + name)
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(data)
	}
	all, table := scripts.String(), wasmtool.Shared()
	if strings.Contains(all, "'E_") || strings.Contains(all, `"E_`) {
		t.Error("a script of web/tool names a fault code itself; add the fault to core/wasmtool/twin.go")
	}
	used := func(name string) {
		if !strings.Contains(all, name) {
			t.Errorf("no script of web/tool uses %s", name)
		}
	}
	for _, n := range table.Limits {
		used(n.Name)
	}
	for _, n := range table.Errnos {
		used("E." + n.Name)
	}
	for _, x := range table.Texts {
		if x.Fault != nil {
			used("faults." + x.Name + "(")
		} else {
			used("words." + x.Name)
		}
	}
}
