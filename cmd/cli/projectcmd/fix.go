package projectcmd

import (
	"fmt"
	"strings"

	"golem/core/builtin"
	"golem/core/fault"
	"golem/core/migrate"
	"golem/core/ui"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
)

// fixCheck carries out golem check --fix: it shows the changes, asks, writes all of
// them or none, and then checks the project.
func fixCheck(c *console.Console, f *runflags.Flags, words []string, yes bool) error {
	if err := f.Refuse(); err != nil {
		return err
	}
	p, _, err := target.Find(c, f.Wanted(), target.OrHere(c, f.Project, words))
	if err != nil {
		return err
	}
	files, err := osfs.Open(p.Root)
	if err != nil {
		return err
	}
	defer files.Close()
	only := ""
	if p.File {
		only = strings.TrimPrefix(p.Entry, "./")
	}
	plan, err := migrate.Make(migrate.Source{Files: files, Root: disk.RealPath(p.Root), Builtin: builtin.Workers(), Only: only})
	if err != nil {
		return err
	}
	diff := plan.Diff()
	if console.IsTerminal(c.Out) { // a file gets the exact text, as a patch needs it
		diff = console.Marked(c, diff)
	}
	var left []string
	for _, n := range plan.Left {
		left = append(left, ui.OneLine(fmt.Sprintf("%s:%d: %s", n.File, n.Line, n.Text)))
	}
	seen, err := c.Review(yes || len(plan.Changes) == 0, left, diff)
	if err != nil {
		return err
	}
	if len(plan.Changes) == 0 {
		c.Say("nothing to fix")
		return Inspect(c, f, words)
	}
	write := false
	if seen {
		if write, err = mayWrite(c, len(plan.Changes), yes); err != nil {
			return err
		}
	}
	if !write {
		return console.NotConfirmed(c, "nothing was written")
	}
	if err := plan.Write(files); err != nil {
		return err
	}
	c.Say("written: %s", fault.Count(len(plan.Changes), "file"))
	return Inspect(c, f, words)
}

// mayWrite asks whether to write the files. Without a terminal only --yes agrees.
func mayWrite(c *console.Console, files int, yes bool) (bool, error) {
	return c.Confirm(yes, "write "+thisMany(files)+"?", "--yes writes "+fault.Count(files, "file"))
}

func thisMany(n int) string {
	if n == 1 {
		return "this file"
	}
	return fmt.Sprintf("these %d files", n)
}
