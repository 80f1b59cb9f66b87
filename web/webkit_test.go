//go:build !js && webkit

package web_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golem/core/coretest"
	"golem/web/webtest"
)

// notInWebKit returns why a case cannot be played in a browser that keeps no files: some cases
// write files without golem. "" if it can be played.
func notInWebKit(c coretest.Case) string {
	switch {
	case elsewhere[c.Name] != "":
		return elsewhere[c.Name]
	case len(c.Libs) > 0:
		return "its libraries are put among the files that a browser keeps"
	case slices.ContainsFunc(slices.Collect(maps.Keys(c.Project)), func(name string) bool { return strings.Contains("/"+name, "/.git/") }):
		return "its repository is put among the files that a browser keeps"
	}
	return ""
}

// TestWebKit tests the page in WebKitGTK, which gives a page no file storage: golem works in
// memory, says so and offers the zip. The cases have the same outcomes as on the command line,
// also those with custom tools and traps. make webkit runs this test. The driver does not report
// the console, so errors on it are not noticed.
func TestWebKit(t *testing.T) {
	p := webkit.Open(t, webtest.Serve(t, built(t), "/").URL)
	inMemory(p)

	cases, err := coretest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	in := side{webkit.Engine, embeddedIn(t, &webkit), &pageTurn{}}
	if webtest.Eval[bool](in.page, `(async () => (await window.golem).kept)()`) {
		t.Error("golem.kept is true where nothing is kept")
	}
	in.traps(t)
	var table strings.Builder
	played := 0
	for _, c := range cases {
		if why := notInWebKit(c); why != "" {
			fmt.Fprintf(&table, "%-28s left out: %s\n", c.Name, why)
			continue
		}
		played++
		t.Run(c.Name, func(t *testing.T) { table.WriteString(sides{in}.compare(t, c, natively(t, c), side.play)) })
	}
	fmt.Fprintf(&table, "%d of %d cases were played\n", played, len(cases))
	keep(t, "parity-webkit.txt", []byte(table.String()))
}
