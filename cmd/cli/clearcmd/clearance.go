// Package clearcmd is golem clearance and golem undo: what waits for a decision of the
// person, and what a run changed.
package clearcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"golem/core"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// decision is what a subcommand does with the item id of a store.
type decision func(c *console.Console, f *clearing, store *clearance.Store, id string) error

// clearing are the flags of golem clearance.
type clearing struct {
	set         *pflag.FlagSet
	project     string
	json        bool
	outside     bool // --allow-outside
	target      string
	definitions []string
	yes         bool // --yes: do not ask
}

// Command returns golem clearance.
func Command(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use: "clearance", Short: "see and decide what workers staged",
		Long: `What workers stage waits in .golem/clearance until you decide. The real files stay
as they are until you push.

  golem clearance list           what waits, with its number
  golem clearance diff [ID]      what pushing it would do to the files
  golem clearance push [ID]      write it, if its files are as they were when it was staged
  golem clearance discard [ID]   give it up, after a question; without a terminal: --yes
  golem clearance defer [ID]     keep it, and announce it no more

ID may be left out if only one item waits. A push writes all files of an item or none.
Exit codes: 0 done, 1 not done, 2 wrong usage or no such item,
3 not done because nobody could be asked.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return console.Usage("golem clearance needs list, diff, push, discard or defer").Hinting("for example: golem clearance list")
		},
	}
	cmd.AddCommand(
		subcommand(c, "list", "list what waits for a decision", 0, listItems),
		subcommand(c, "diff [ID]", "show what pushing an item would do to the files", 1, diffItem),
		subcommand(c, "push [ID]", "write an item to its place, or to a target", 1, pushItem),
		subcommand(c, "discard [ID]", "give an item up; its files stay as they are", 1, discardItem),
		subcommand(c, "defer [ID]", "keep an item, and announce it no more", 1, deferItem),
	)
	return cmd
}

// subcommand returns one of the subcommands. do works on the project of the current
// directory, or that of --project.
func subcommand(c *console.Console, use, short string, most int, do decision) *cobra.Command {
	f := &clearing{}
	name, _, _ := strings.Cut(use, " ")
	cmd := &cobra.Command{
		Use: use, Short: short, Args: console.Words(0, most),
		RunE: func(_ *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return clearItem(c, f, name, id, do)
		},
	}
	s := cmd.Flags()
	f.set = s
	s.StringVar(&f.project, "project", "", "the project directory (default: the current directory)")
	s.BoolVar(&f.json, "json", false, "print JSON on standard output")
	if name == "diff" || name == "push" {
		s.StringVar(&f.target, "target", "", "push to this target of the manifest (clearance.targets) instead of the item's own")
		s.BoolVar(&f.outside, "allow-outside", false, "allow places outside the project")
	}
	if name == "discard" {
		s.BoolVarP(&f.yes, "yes", "y", false, "give it up without asking")
	}
	if name == "push" {
		s.StringArrayVar(&f.definitions, "definition", nil, "agree to push this file although it defines the project; may be repeated")
	}
	return cmd
}

// clearItem runs do for the item id, or for the only item if id is empty.
func clearItem(c *console.Console, f *clearing, name, id string, do decision) error {
	return withStore(c, f, name == "push", (*core.Instance).Clearance, func(store *clearance.Store) error {
		if name != "list" && id == "" {
			var err error
			if id, err = Only(store); err != nil {
				return err
			}
		}
		return Failed(c, do(c, f, store, id))
	})
}

// withStore calls do with the store that Opened returns for the project of the command.
func withStore(c *console.Console, f *clearing, writes bool, of func(*core.Instance) *clearance.Store, do func(*clearance.Store) error) error {
	if err := console.NotEmpty(f.set, "project", "target"); err != nil {
		return err
	}
	if f.project == "" && c.Env.Setting("PROJECT") == "" {
		f.project = "."
	}
	p, _, err := target.Find(c, f.wanted(), nil)
	if err != nil {
		return err
	}
	t := toolhost.New(c, false)
	defer t.Close()
	store, err := Opened(c, p, f.opening(), t, writes, of)
	if err != nil {
		return err
	}
	return do(store)
}

// Opened opens the project of a place, completes what an interrupted golem left unfinished in
// the store that of returns, and returns it. If writes is true, the project must have no faults.
func Opened(c *console.Console, p target.Place, with machine.Opening, t *toolhost.Tools, writes bool, of func(*core.Instance) *clearance.Store) (*clearance.Store, error) {
	inst, err := machine.Open(c, p, with, t)
	if inst == nil || err != nil && writes { // a project with faults may protect too little
		return nil, err
	}
	store := of(inst)
	if !store.Kept() {
		return nil, fault.New(fault.Platform, "golem keeps nothing here: GOLEM_HOME is not set").Hinting("set GOLEM_HOME")
	}
	if err := store.Settle(context.Background()); err != nil {
		c.Report(err)
	}
	return store, nil
}

// Failed reports an error and returns exit code 1. Errors of wrong usage, and
// codes that are set already, are returned unchanged.
func Failed(c *console.Console, err error) error {
	switch {
	case err == nil, errors.Is(err, fault.NotFound), errors.Is(err, fault.Usage):
		return err
	}
	var code console.ExitCode
	if errors.As(err, &code) {
		return err
	}
	c.Report(err)
	return console.ExitCode(console.ExitFailed)
}

// Only returns the ID of the only item; an error if there is not exactly one.
func Only(store *clearance.Store) (string, error) {
	items, err := store.List()
	if err != nil {
		return "", err
	}
	if len(items) == 1 {
		return items[0].ID, nil
	}
	if len(items) == 0 {
		return "", fault.New(fault.NotFound, "nothing is staged here, so there is nothing to decide").Hinting("workers stage what they write into a mount with mode: staged")
	}
	return "", console.Usage("%d items wait, so ID must say which", len(items)).Hinting("golem clearance list shows them")
}

func listItems(c *console.Console, f *clearing, store *clearance.Store, _ string) error {
	items, err := store.List()
	if err != nil {
		return err
	}
	if f.json {
		out := []clearance.Listing{}
		for _, it := range items {
			out = append(out, it.Listing(nil))
		}
		return c.PrintJSON(map[string]any{"golem": "clearance", "v": 1, "items": out})
	}
	return c.Show(ItemTable(c, items))
}

// ItemTable returns the list of items for people, as wide as standard output.
func ItemTable(c *console.Console, items []clearance.Item) string {
	if len(items) == 0 {
		return "nothing waits\n"
	}
	rows := [][]string{{"ID", "STATE", "TYPE", "FILES", "CREATED", "MESSAGE"}}
	for _, it := range items {
		state, message := string(it.State), it.Message
		if it.Err != nil {
			state, message = "shown only", fault.Of(it.Err, fault.Trust).Message
		} else if it.Target != "" {
			message += " → " + it.Target
		}
		rows = append(rows, []string{it.ID, ui.OneLine(state), ui.OneLine(string(it.Type)), fmt.Sprint(len(it.Changes)), console.When(it.Created), ui.OneLine(message)})
	}
	return ui.Table(console.Narrowed(c.Out, rows, "TYPE", "CREATED", "FILES"))
}

func diffItem(c *console.Console, f *clearing, store *clearance.Store, id string) error {
	it, err := store.Get(id)
	if err != nil {
		return err
	}
	diffs, err := store.Diff(it, f.target)
	if err != nil {
		return err
	}
	if f.json {
		return c.PrintJSON(map[string]any{"golem": "clearance", "v": 1, "items": []clearance.Listing{it.Listing(diffs)}})
	}
	if it.Err != nil {
		c.Report(it.Err)
	}
	c.Say("item %s: %s", it.ID, ui.OneLine(it.Message))
	if to := store.Targets[cmp.Or(f.target, it.Target)]; to.Git != "" {
		c.Say("pushing it makes a commit on the branch %s of %s", ui.OneLine(to.Branch), ui.OneLine(to.Git))
		if to.Remote != "" {
			c.Say("and sends the branch to %s", ui.OneLine(to.Remote))
		}
	}
	return printDiffs(c, diffs)
}

func printDiffs(c *console.Console, diffs []clearance.FileDiff) error {
	for _, n := range definitionNotes(diffs) {
		c.Say("%s", n)
	}
	return c.Print(PatchText(c, diffs))
}

// definitionNotes says of which files a push needs to be told by name.
func definitionNotes(diffs []clearance.FileDiff) (notes []string) {
	for _, d := range diffs {
		if d.Definition {
			notes = append(notes, fmt.Sprintf("%s defines the project: to write it needs --definition %s", ui.OneLine(d.To), ui.OneLine(d.To)))
		}
	}
	return notes
}

// PatchText returns the diffs in the form that marked gives them.
func PatchText(c *console.Console, diffs []clearance.FileDiff) string {
	var b strings.Builder
	for _, d := range diffs {
		b.WriteString(console.Marked(c, d.Patch))
	}
	return b.String()
}

func pushItem(c *console.Console, f *clearing, store *clearance.Store, id string) error {
	it, err := store.Push(context.Background(), id, clearance.Push{Target: f.target, Definitions: f.agreed()})
	if err == nil && !f.json {
		for _, change := range it.Changes {
			verb := "wrote"
			if store.Targets[it.Target].Git != "" {
				verb = "committed"
			}
			if change.Digest == "" {
				verb = "removed"
			}
			c.Say("%s %s", verb, ui.OneLine(store.Place(it, change)))
		}
		if to := store.Targets[it.Target]; to.Remote != "" {
			c.Say("sent %s to %s", ui.OneLine(to.Branch), ui.OneLine(to.Remote))
		}
	}
	return printDecision(c, f, "push", it, err)
}

func (f *clearing) wanted() target.Wanted { return target.Wanted{Project: f.project, Set: f.set} }

func (f *clearing) opening() machine.Opening {
	return machine.Opening{Options: core.Options{Opening: options.Opening{AllowOutside: f.outside}}}
}

// agreed returns the files of --definition as clean paths.
func (f *clearing) agreed() (out []string) {
	for _, d := range f.definitions {
		out = append(out, path.Clean(strings.TrimPrefix(d, "./")))
	}
	return out
}

func discardItem(c *console.Console, f *clearing, store *clearance.Store, id string) error {
	it, err := store.Get(id)
	if err != nil {
		return err
	}
	if it.Err == nil && it.State != clearance.Open { // an item that cannot be discarded gives an error without a question
		what := "item " + it.ID + " (" + ui.OneLine(it.Message) + "), " + fault.Count(len(it.Changes), "file")
		sure, err := c.Confirm(f.yes, "discard "+what+"?", "--yes discards "+what)
		if err != nil {
			return err
		}
		if !sure {
			return console.NotConfirmed(c, "nothing was discarded")
		}
	}
	it, err = store.Discard(context.Background(), id)
	return printDecision(c, f, "discard", it, err)
}

func deferItem(c *console.Console, f *clearing, store *clearance.Store, id string) error {
	it, err := store.Defer(context.Background(), id)
	return printDecision(c, f, "defer", it, err)
}

// printDecision prints the result of a decision (S4-20).
func printDecision(c *console.Console, f *clearing, action string, it clearance.Item, err error) error {
	if f.json {
		out := map[string]any{"golem": "clearance-result", "v": 1, "item": it.ID, "action": action, "target": it.Target, "ok": err == nil}
		if err != nil {
			out["error"] = fault.Of(err, fault.Conflict)
		}
		return errors.Join(c.PrintJSON(out), err)
	}
	if err != nil {
		return err
	}
	return c.Print(DecidedText(it))
}

// DecidedText returns the line about an item that was decided.
func DecidedText(it clearance.Item) string {
	return fmt.Sprintf("%s: item %s %s\n", it.State, it.ID, ui.OneLine(it.Message))
}
