package batchcmd

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/ui"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
)

// removeCommand returns golem batch remove.
func removeCommand(c *console.Console) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "remove BATCH",
		Short: "remove what golem keeps of a batch; it asks first if the batch has not ended",
		Long: `Removes what golem keeps of a batch: its packed project, inputs, traces and, of items
that have not ended, how far they are. The directory of outputs stays. The command
that began the batch then begins anew. What a queue has of the batch goes too. golem itself keeps all batches that have not
ended, and the ` + fmt.Sprint(batch.KeptCount) + ` newest ones that have.`,
		Args: console.Words(1, 1),
		RunE: func(_ *cobra.Command, words []string) error { return remove(c, words[0], yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "remove without asking")
	return cmd
}

func remove(c *console.Console, name string, yes bool) error {
	if err := named(name); err != nil {
		return err
	}
	names, err := c.Home.Batches()
	if err != nil {
		return err
	}
	if !slices.Contains(names, name) {
		return fault.New(fault.NotFound, "there is no batch %s", fault.Quoted(name)).Hinting("golem batch list shows those that there are")
	}
	lost, err := lostOf(c, name)
	if err != nil {
		return err
	}
	if lost != "" {
		c.Say("%s", lost)
		sure, err := c.Confirm(yes, "remove the batch "+name+"?", "--yes removes the batch "+name)
		if err != nil {
			return err
		}
		if !sure {
			return console.NotConfirmed(c, "nothing was removed")
		}
	}
	store, err := c.Home.Batch(name)
	if err != nil {
		return err
	}
	k, _ := readQueue(&store) // damaged: nobody knows the server
	if err := batch.Remove(c.Home, name); err != nil {
		return err
	}
	if k != nil {
		if err := k.remove(c, name); err != nil {
			c.Say("what the queue %s has of the batch stays there: %s", k.URL, fault.Of(err, fault.Network).Message)
		}
	}
	return c.Print("removed: batch " + name + "\n")
}

// lostOf returns what is lost with a batch; "": it has ended.
func lostOf(c *console.Console, name string) (string, error) {
	q, err := reading(c, name)
	switch {
	case errors.Is(err, fault.Config):
		return fmt.Sprintf("the batch %s cannot be read, so nobody knows whether it has ended: %s", name, fault.Of(err, fault.Config).Message), nil
	case err != nil:
		return "", err
	}
	defer q.Close()
	if q.Held() {
		return "", fault.New(fault.Busy, "another golem runs the batch %s", name).Hinting("golem batch cancel %s ends it", name)
	}
	n := q.Counts()
	if n.Done() == n.Total {
		return "", nil
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{n.Open, "not run to the end"}, {n.Parked, "waiting for an answer"}} {
		if part.n > 0 {
			parts = append(parts, fault.Count(part.n, "item")+" "+part.what)
		}
	}
	return fmt.Sprintf("the batch %s has not ended: %s. What these items did so far is lost, and so are the traces of all items. The results so far stay in %s",
		name, strings.Join(parts, ", "), ui.OneLine(q.Head.Out)), nil
}

// prune removes batches and packed projects that nobody needs.
func prune(c *console.Console) {
	if err := batch.Prune(c.Home, stagedIn{c}); err != nil {
		c.Say("batches that ended could not be removed: %s", fault.Of(err, fault.Config).Message)
	}
	c.Home.SweepPacks()
}

// stagedIn knows which batches have changes that wait in golem clearance.
type stagedIn struct{ c *console.Console }

var _ batch.Waiting = stagedIn{}

// Waits implements batch.Waiting. What cannot be read may wait.
func (s stagedIn) Waits(h batch.Head) bool {
	if h.Place == "" {
		return false
	}
	if info, err := os.Stat(h.Place); errors.Is(err, os.ErrNotExist) || err == nil && !info.IsDir() {
		return false
	}
	files, err := osfs.Open(h.Place)
	if err != nil {
		return true
	}
	kept := s.c.Home.State(files, h.Place)
	items, err := (&clearance.Store{State: &kept}).List()
	return err != nil || slices.ContainsFunc(items, func(i clearance.Item) bool { return path.Dir(i.Run) == h.Name })
}
