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

// notInWebKit says why a case cannot be played where a page has no files: what a case
// puts there goes past golem.
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

// WebKitGTK lends no files to a page: golem runs in memory there, says so and offers the
// zip. The cases come to what they come to on the command line, custom tools and the words
// of traps among them. make webkit runs it. The driver tells nothing of the console, so
// what the page complains of there is not seen.
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
