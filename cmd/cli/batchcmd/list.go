package batchcmd

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/console"
)

// listCommand returns golem batch list.
func listCommand(c *console.Console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the batches of this machine",
		Args:  console.Words(0, 0),
		RunE: func(*cobra.Command, []string) error {
			names, err := c.Home.Batches()
			if err != nil {
				return err
			}
			all := []batch.Listing{}
			for _, name := range names {
				if l := listingOf(c, name); l.Error == nil || l.Error.Code != fault.NotFound { // a directory without a batch
					all = append(all, l)
				}
			}
			if asJSON {
				return c.PrintJSON(all)
			}
			if len(all) == 0 {
				c.Say("there is no batch yet: golem batch DIR --inputs FILE starts one")
				return nil
			}
			rows := [][]string{{"BATCH", "BEGAN", "ITEMS", "OK", "FAILED", "PARKED", "LEFT", "STATE", "OUT"}}
			for _, l := range all {
				n := l.Counts
				rows = append(rows, []string{l.Name, console.WhenText(l.Begun), fmt.Sprint(n.Total), fmt.Sprint(n.OK), fmt.Sprint(n.Failed), fmt.Sprint(n.Parked), fmt.Sprint(n.Open), l.State(), l.Out})
			}
			return c.Print(ui.Table(console.Narrowed(c.Out, rows, "OUT", "BEGAN")))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return cmd
}

func listingOf(c *console.Console, name string) batch.Listing {
	q, err := reading(c, name)
	if err != nil {
		return batch.Listing{Head: batch.Head{Name: name}, Error: fault.Of(err, fault.Config)}
	}
	return batch.Listed(q)
}

// reading opens a batch to look at it.
func reading(c *console.Console, name string) (*batch.Local, error) {
	if err := named(name); err != nil {
		return nil, err
	}
	store, err := c.Home.Batch(name)
	if err != nil {
		return nil, err
	}
	return batch.ReadLocal(&store)
}

// showCommand returns golem batch show.
func showCommand(c *console.Console) *cobra.Command {
	var asJSON bool
	var w batch.Wanted
	cmd := &cobra.Command{
		Use:   "show BATCH [ITEM]",
		Short: "show how far a batch is, or the result of one item",
		Example: `  golem batch show reviews
  golem batch show reviews --status error
  golem batch show reviews --code E_MODEL
  golem batch show reviews 4711`,
		Args: console.Words(1, 2),
		RunE: func(_ *cobra.Command, words []string) error {
			w.Item = strings.Join(words[1:], "")
			if err := w.Check(); err != nil {
				return err
			}
			q, err := reading(c, words[0])
			if err != nil {
				return err
			}
			if w != (batch.Wanted{}) {
				return printFound(c, q, w)
			}
			s, err := q.Summary()
			if err != nil {
				return err
			}
			if asJSON {
				return c.PrintJSON(s)
			}
			return c.Show(ui.Safe(s.Text() + "inputs: " + q.Head.Inputs + "\nresults: " + filepath.Join(q.Head.Out, batch.ResultsFile) + "\n"))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the summary as one line of JSON")
	cmd.Flags().StringVar((*string)(&w.Status), "status", "", "print the results with this status: ok, needs_input, error, parked, open or cancelled")
	cmd.Flags().StringVar((*string)(&w.Code), "code", "", "print the results of items that failed with this code, such as E_MODEL")
	return cmd
}

// printFound prints the results of the items that are looked for.
func printFound(c *console.Console, q *batch.Local, w batch.Wanted) error {
	found := false
	err := q.Find(w, func(r batch.Result) error {
		found = true
		return c.PrintJSON(r)
	})
	if err == nil && !found && w.Item != "" {
		err = fault.New(fault.NotFound, "the batch %s has no such item %s", q.Head.Name, fault.Quoted(w.Item)).Hinting("golem batch show %s --status error lists those that failed", q.Head.Name)
	}
	return err
}

// cancelCommand returns golem batch cancel.
func cancelCommand(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel BATCH",
		Short: "end a batch: what has not ended is not run any more",
		Args:  console.Words(1, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			q, err := reading(c, words[0])
			if err != nil {
				return err
			}
			if q.Held() {
				if err := q.AskToCancel(); err != nil {
					return err
				}
				c.Say("the golem that runs %s ends it within seconds", words[0])
				return nil
			}
			store, err := c.Home.Batch(words[0])
			if err != nil {
				return err
			}
			own, err := batch.OpenLocal(&store, q.Head)
			if err != nil {
				return err
			}
			defer own.Close()
			n, err := own.Cancel()
			if err != nil {
				return err
			}
			if _, err := writeResults(own); err != nil {
				return err
			}
			c.Say("cancelled: %s were not run; golem batch retry %s runs them after all", fault.Count(n, "item"), words[0])
			return nil
		},
	}
}
