package batchcmd

import (
	"os"
	"path"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// stagedAt returns where the project of a batch keeps what is staged; nil if its directory is
// gone or it had none.
func (f *flags) stagedAt(c *console.Console, place string, t *toolhost.Tools) (*clearance.Store, error) {
	if info, err := os.Stat(place); place == "" || err != nil || !info.IsDir() {
		return nil, nil
	}
	p, _, err := target.Find(c, f.Wanted(), []string{place})
	if err != nil {
		return nil, err
	}
	inst, err := machine.Open(c, p, f.OpenWith(), t)
	if err != nil {
		return nil, err
	}
	return inst.Clearance(), nil
}

// mostShared is how many files that several items changed are named.
const mostShared = 10

// tellStaged says how many items of clearance wait, and which files several items of the batch
// changed: only one of them can be pushed.
func tellStaged(c *console.Console, store *clearance.Store, name string) error {
	n, err := clearance.WaitingOf(store, name)
	if err != nil || n == 0 {
		return err
	}
	c.Say("[!] %s of this batch pending clearance; run: golem clearance list", fault.Count(n, "item"))
	shared, err := clearance.SharedFiles(store, name)
	for i, s := range shared {
		if i == mostShared {
			c.Say("and %d more files", len(shared)-i)
			break
		}
		c.Say("E_CONFLICT: %s is changed by the items %s (%s) and %s (%s)%s: if you push one, golem refuses the others", ui.OneLine(s.Name),
			path.Base(s.Items[0].Run), s.Items[0].ID, path.Base(s.Items[1].Run), s.Items[1].ID, andMore(len(s.Items)-2))
	}
	return err
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + fault.Count(n, "more item")
}
