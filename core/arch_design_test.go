//go:build !js

package core_test

import (
	"bytes"
	"fmt"
	"go/doc"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// The lines of docs/design.md between these two are made from the table of arrows.
const (
	roomsBegin = "<!-- rooms: made by GOLEM_UPDATE=1 go test core/arch*_test.go -->\n"
	roomsEnd   = "<!-- end of rooms -->\n"
)

// TestDesignShowsTheRooms compares the picture of the packages in docs/design.md with the
// table of arrows. GOLEM_UPDATE=1 writes it.
func TestDesignShowsTheRooms(t *testing.T) {
	const page = "../docs/design.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(data, []byte(roomsBegin))
	_, after, ended := bytes.Cut(rest, []byte(roomsEnd))
	if !ok || !ended {
		t.Fatalf("%s has no lines %q and %q", page, roomsBegin, roomsEnd)
	}
	want := slices.Concat(before, []byte(roomsBegin+rooms(purposes(t))+roomsEnd), after)
	if bytes.Equal(data, want) {
		return
	}
	if os.Getenv("GOLEM_UPDATE") != "" {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s does not show the table of arrows: GOLEM_UPDATE=1 go test core/arch*_test.go writes it", page)
}

// rooms draws the packages of golem itself by floors, the highest first: a package stands one
// floor above the highest that it may import.
func rooms(purpose map[string]string) string {
	floors, known := map[int][]string{}, map[string]int{}
	for pkg := range arrows {
		if ofGolem(pkg) {
			n := floor(pkg, known)
			floors[n] = append(floors[n], pkg)
		}
	}
	var b strings.Builder
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(floors))) {
		fmt.Fprintf(&b, "\n**Floor %d**\n\n| package | what it is for | may import |\n|---|---|---|\n", n)
		for _, pkg := range slices.Sorted(slices.Values(floors[n])) {
			var to []string
			for _, next := range allowed(pkg) {
				if next = strings.TrimPrefix(next, "golem/"); next != pkg && !everywhere(next) {
					to = append(to, strings.TrimPrefix(next, "core/"))
				}
			}
			if slices.Contains(strings.Fields(arrows[pkg]), "everything") {
				to = slices.DeleteFunc(to, func(name string) bool {
					_, ofCore := arrows["core/"+name]
					return ofCore || name == "core"
				})
				to = append([]string{"all of core"}, to...)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", pkg, purpose[pkg], strings.Join(to, ", "))
		}
	}
	return b.String() + "\n"
}

// ofGolem reports whether a package is part of golem, and not of its tests, its measurements
// or its build.
func ofGolem(pkg string) bool {
	for _, other := range []string{"web/", "bench/", "docs/", "examples/", "core/sandbox/sandboxtest", "core/coretest", "core/model/modeltest", "core/otlp/otlptest", "core/mcp/mcptest", "core/gitrepo/gittest", "core/wasmtool/enginetest"} {
		if strings.HasPrefix(pkg, other) {
			return false
		}
	}
	return true
}

// purposes returns the first sentence of each package comment, without the package's name.
func purposes(t *testing.T) map[string]string {
	out := map[string]string{}
	for _, f := range moduleFiles(t) {
		if f.test || f.ast.Doc == nil || out[f.dir] != "" {
			continue
		}
		text := new(doc.Package).Synopsis(f.ast.Doc.Text())
		text = strings.TrimPrefix(strings.TrimPrefix(text, "Package "+f.ast.Name.Name+" "), "Command "+path.Base(f.dir)+" ")
		out[f.dir] = strings.ReplaceAll(strings.TrimSuffix(text, "."), "|", `\|`)
	}
	return out
}

// floor returns how many packages stand below a package, one above the other.
func floor(pkg string, known map[string]int) int {
	n, ok := known[pkg]
	if ok {
		return n
	}
	for _, next := range allowed(pkg) {
		if next = strings.TrimPrefix(next, "golem/"); next != pkg {
			n = max(n, floor(next, known)+1)
		}
	}
	known[pkg] = n
	return n
}

// everywhere reports whether every package may import this one.
func everywhere(pkg string) bool { return pkg == "core/fault" || pkg == "core/sorting" }
