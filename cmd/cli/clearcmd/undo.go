package clearcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/console"
)

// undoing are the flags of golem undo.
type undoing struct {
	clearing
	list, diff, redo, partial bool
}

// UndoCommand returns golem undo.
func UndoCommand(c *console.Console) *cobra.Command {
	f := &undoing{}
	cmd := &cobra.Command{
		Use: "undo [RUN]", Short: "put back what a run wrote, changed, moved and removed",
		Long: `Shows what a run changed in the files, asks, and puts everything back as it was before
the run: all of it, or nothing if a file has changed since (E_CONFLICT). Without RUN it
is the newest run that wrote files and was not undone. --redo undoes an undo.

  golem undo --list            the runs that can be undone
  golem undo [RUN] --diff      what undoing one would do to the files
  golem undo [RUN]             undo it, after a question; without a terminal: --yes

A chat has one part for each exchange that wrote; each undo takes one part back.
golem keeps what tools replace: 64 MB and 10,000 files of a run, and the last 25 runs
that wrote. What commands (the toolset shell) do is not seen, and not undone.
Exit codes: 0 done, 1 not done, 2 wrong usage or no such run,
3 not done because nobody could be asked.`,
		Args: console.Words(0, 1),
		RunE: func(_ *cobra.Command, args []string) error { return runUndo(c, f, strings.Join(args, "")) },
	}
	s := cmd.Flags()
	f.set = s
	s.StringVar(&f.project, "project", "", "the project directory (default: the current directory)")
	s.BoolVar(&f.json, "json", false, "print JSON on standard output; without --yes nothing is written")
	s.BoolVar(&f.list, "list", false, "list the runs that can be undone")
	s.BoolVar(&f.diff, "diff", false, "show what would change, and write nothing")
	s.BoolVarP(&f.yes, "yes", "y", false, "write without asking")
	s.BoolVar(&f.redo, "redo", false, "write again what a run had written before it was undone")
	s.BoolVar(&f.partial, "partial", false, "also if the old content of some files was not kept: they stay as they are")
	s.StringArrayVar(&f.definitions, "definition", nil, "agree to write this file although it defines the project; may be repeated")
	s.BoolVar(&f.outside, "allow-outside", false, "allow places outside the project")
	return cmd
}

func runUndo(c *console.Console, f *undoing, run string) error {
	if f.list && (f.diff || f.yes || f.redo || f.partial || run != "") {
		return console.Usage("--list stands alone").Hinting("golem undo --list")
	}
	return withStore(c, &f.clearing, !f.list && !f.diff, (*core.Instance).Undo, func(store *clearance.Store) error {
		if f.list {
			return listUndo(c, f, store)
		}
		return undoRun(c, f, store, run)
	})
}

func undoRun(c *console.Console, f *undoing, store *clearance.Store, run string) error {
	it, err := store.Of(context.Background(), run, f.redo)
	if err != nil {
		return err
	}
	diffs, err := store.Diff(it, "")
	if err != nil {
		return Failed(c, err)
	}
	seen := true
	if f.json && !f.yes {
		err = c.PrintJSON(map[string]any{"golem": "undo", "v": 1, "runs": []clearance.Listing{it.Listing(diffs)}})
	} else if !f.json {
		seen, err = showUndo(c, f, it, diffs)
	}
	if err != nil || f.diff {
		return err
	}
	if !seen {
		return console.NotConfirmed(c, "nothing was written")
	}
	how := clearance.Push{Digest: it.Digest(), Definitions: f.agreed(), Redo: f.redo, Partial: f.partial}
	if err := it.Undoable(how); err != nil {
		return Failed(c, printUndone(c, f, it, err))
	}
	does := effectOf(it, f.redo)
	write, err := c.Confirm(f.yes, does+"?", "--yes does it: "+does)
	if err != nil {
		return err
	}
	if !write {
		return console.NotConfirmed(c, "nothing was written")
	}
	it, err = store.Push(context.Background(), it.ID, how)
	return Failed(c, printUndone(c, f, it, err))
}

// effectOf returns, in a few words, what undoing an item does to the files.
func effectOf(it clearance.Item, redo bool) string {
	var wrote, made, unmade int
	var removed []string
	for _, c := range it.Changes {
		switch {
		case c.Dir() && c.Digest == "":
			unmade++
		case c.Dir():
			made++
		case c.Digest == "":
			removed = append(removed, ui.OneLine(c.Name()))
		default:
			wrote++
		}
	}
	var parts []string
	add := func(n int, verb, what string) {
		if n > 0 {
			parts = append(parts, verb+" "+what)
		}
	}
	verb := "put back"
	if redo {
		verb = "write"
	}
	add(wrote, verb, fault.Count(wrote, "file"))
	gone := fault.Count(len(removed), "file")
	if len(removed) == 1 {
		gone = removed[0]
	}
	add(len(removed), "remove", gone)
	add(made, "make", fault.Count(made, "directory"))
	add(unmade, "remove", fault.Count(unmade, "directory"))
	return strings.Join(parts, ", ")
}

// showUndo prints what an undo would do. seen is false if the person said no before its end.
func showUndo(c *console.Console, f *undoing, it clearance.Item, diffs []clearance.FileDiff) (seen bool, err error) {
	if it.Err != nil {
		c.Report(it.Err)
	}
	notes := []string{fmt.Sprintf("run %s of %s, %s", ui.OneLine(it.Run), console.When(it.Created), ui.OneLine(it.Worker))}
	if !f.redo {
		for _, name := range it.Lost {
			notes = append(notes, "not kept, and not put back: "+ui.OneLine(name))
		}
	}
	for _, tool := range it.Blind {
		notes = append(notes, fmt.Sprintf("the run used the tool %s, which can have changed files that golem does not know of", ui.OneLine(tool)))
	}
	return c.Review(f.yes || f.diff, append(notes, definitionNotes(diffs)...), PatchText(c, diffs))
}

// printUndone prints the result of an undo.
func printUndone(c *console.Console, f *undoing, it clearance.Item, err error) error {
	if f.json {
		out := map[string]any{"golem": "undo-result", "v": 1, "run": it.Run, "redo": f.redo, "ok": err == nil}
		if err != nil {
			out["error"] = fault.Of(err, fault.Conflict)
		}
		return errors.Join(c.PrintJSON(out), err)
	}
	if err != nil {
		return err
	}
	for _, change := range it.Changes {
		verb := "put back"
		switch {
		case change.Digest == "":
			verb = "removed"
		case f.redo:
			verb = "wrote"
		}
		c.Say("%s %s", verb, ui.OneLine(change.Name()))
	}
	if f.redo {
		return c.Print(fmt.Sprintf("redone: run %s\n", it.Run))
	}
	return c.Print(fmt.Sprintf("undone: run %s\n", it.Run))
}

func listUndo(c *console.Console, f *undoing, store *clearance.Store) error {
	items, err := store.Runs(context.Background())
	if err != nil {
		return err
	}
	out, rows := []clearance.Listing{}, [][]string{{"RUN", "STATE", "FILES", "NOT KEPT", "TIME", "WORKER", "CHANGED"}}
	for _, it := range items {
		out = append(out, it.Listing(nil))
		state, changed := map[clearance.State]string{clearance.Open: "running", clearance.Pending: "done"}[it.State], it.Message
		if state == "" {
			state = string(it.State)
		}
		if it.Err != nil {
			state, changed = "shown only", fault.Of(it.Err, fault.Trust).Message
		}
		rows = append(rows, []string{
			ui.OneLine(it.Run), ui.OneLine(state), fmt.Sprint(it.Files()), fmt.Sprint(len(it.Lost)), console.When(it.Created), ui.OneLine(it.Worker), ui.OneLine(changed),
		})
	}
	switch {
	case f.json:
		return c.PrintJSON(map[string]any{"golem": "undo", "v": 1, "runs": out})
	case len(out) == 0:
		return c.Print("there is no run here that can be undone\n")
	}
	return c.Show(ui.Table(console.Narrowed(c.Out, rows, "NOT KEPT", "WORKER", "TIME")))
}
