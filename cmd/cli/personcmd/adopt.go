package personcmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/state"
	"golem/core/trust"
	"golem/core/ui"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
)

// adoptState shows the state in .golem that golem wrote on this machine while the project was
// in another directory, asks, and seals it for this one. What the project's files allow
// is asked again.
func adoptState(c *console.Console, f *runflags.Flags, words []string, yes bool) error {
	p, _, err := target.Find(c, f.Wanted(), target.OrHere(c, f.Project, words))
	if err != nil {
		return err
	}
	if p.Pack != nil {
		return console.Usage("--adopt needs a project directory: a packed project keeps nothing").Hinting("unpack it")
	}
	files, err := osfs.Open(p.Sandbox())
	if err != nil {
		return fault.Of(err, fault.Project)
	}
	defer files.Close()
	s := c.Home.State(files, p.Sandbox())
	if !s.Kept() {
		return c.Home.Missing("nothing can be adopted")
	}
	places := s.Former()
	if data, err := c.Home.Trusted().Read(); err == nil {
		if book, err := trust.ReadBook(data); err == nil {
			places = append(places, slices.Sorted(maps.Keys(book.Projects))...)
		}
	}
	found, err := s.Adoptable(places)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return c.Print("nothing to adopt: no state in .golem was written by golem on this machine in another place of this project\n")
	}
	if err := c.Show(adoptable(found)); err != nil {
		return err
	}
	sure, err := c.Confirm(yes, fmt.Sprintf("adopt %s for this directory?", fault.Count(len(found), "file")), "--yes adopts them")
	if err != nil {
		return err
	}
	if !sure {
		return console.NotConfirmed(c, "nothing was adopted")
	}
	for _, a := range found {
		if err := s.Adopt(a); err != nil {
			return err
		}
	}
	return c.Print(fmt.Sprintf("adopted: %s\n", fault.Count(len(found), "file")))
}

// adoptable returns one line for each file that can be adopted.
func adoptable(found []state.Adoptable) string {
	var b strings.Builder
	for _, a := range found {
		fmt.Fprintf(&b, "%-20s .golem/%s, written in %s\n", ui.OneLine(a.Kind), ui.OneLine(a.Name), ui.OneLine(a.Root))
	}
	return b.String()
}
