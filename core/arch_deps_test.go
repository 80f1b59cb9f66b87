//go:build !js

package core_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestDependenciesStayInTheirRooms(t *testing.T) {
	for _, f := range moduleFiles(t) {
		if f.test {
			continue
		}
		for _, imp := range f.imports(t) {
			for prefix, rooms := range outside {
				if imp != prefix && !strings.HasPrefix(imp, prefix+"/") {
					continue
				}
				in := slices.ContainsFunc(strings.Fields(rooms), func(room string) bool {
					return f.dir == room || strings.HasPrefix(f.dir, room+"/")
				})
				if !in {
					t.Errorf("%s imports %s, which belongs to: %s", f.name, imp, rooms)
				}
			}
		}
	}
}

// Every module that golem imports has a line in docs/design.md that says why.
func TestDependenciesAreExplained(t *testing.T) {
	design, err := os.ReadFile("../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for line := range strings.Lines(string(mod)) {
		if f := strings.Fields(line); len(f) >= 2 && strings.Contains(f[0], ".") && strings.HasPrefix(f[1], "v") {
			modules = append(modules, f[0])
		}
	}
	seen := map[string]bool{}
	for _, f := range moduleFiles(t) {
		for _, imp := range f.imports(t) {
			for _, m := range modules {
				if (imp == m || strings.HasPrefix(imp, m+"/")) && !seen[m] {
					seen[m] = true
					if !strings.Contains(string(design), m) {
						t.Errorf("%s imports %s, which docs/design.md does not explain", f.name, m)
					}
				}
			}
		}
	}
}

// The table of dependencies in docs/design.md has the versions in use.
func TestDependencyTableIsCurrent(t *testing.T) {
	var mods string
	for _, name := range []string{"../docs/design.md", "../go.mod", "../tools.mod"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		mods += string(data)
	}
	rows := 0
	for line := range strings.Lines(mods) {
		cells := strings.Split(line, " | ")
		module := strings.TrimPrefix(cells[0], "| ")
		if len(cells) < 5 || !strings.Contains(module, "/") || !strings.HasPrefix(cells[1], "v") {
			continue
		}
		rows++
		if !strings.Contains(mods, module+" "+cells[1]+"\n") {
			t.Errorf("docs/design.md lists %s %s, which neither go.mod nor tools.mod requires", module, cells[1])
		}
	}
	if rows < 10 {
		t.Errorf("docs/design.md lists only %d dependencies", rows)
	}
}
