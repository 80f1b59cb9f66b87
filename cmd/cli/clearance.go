package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/ui"
)

// clearing are the flags of golem clearance.
type clearing struct {
	flags
	target      string
	definitions []string
	yes         bool // --yes: do not ask
}

func (h *host) clearanceCommand() *cobra.Command {
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
Exit codes: 0 done, 1 not done, 2 wrong usage or no such item.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usage("golem clearance needs list, diff, push, discard or defer").Hinting("for example: golem clearance list")
		},
	}
	cmd.AddCommand(
		h.clearanceSub("list", "list what waits for a decision", 0, h.listItems),
		h.clearanceSub("diff [ID]", "show what pushing an item would do to the files", 1, h.diffItem),
		h.clearanceSub("push [ID]", "write an item to its place, or to a target", 1, h.pushItem),
		h.clearanceSub("discard [ID]", "give an item up; its files stay as they are", 1, h.discardItem),
		h.clearanceSub("defer [ID]", "keep an item, and announce it no more", 1, h.deferItem),
	)
	return cmd
}

// clearanceSub returns one of the subcommands. do works on the project of the current
// directory, or that of --project.
func (h *host) clearanceSub(use, short string, most int, do func(*clearing, *clearance.Store, string) error) *cobra.Command {
	f := &clearing{}
	name, _, _ := strings.Cut(use, " ")
	cmd := &cobra.Command{
		Use: use, Short: short, Args: words(0, most),
		RunE: func(_ *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return h.clear(f, name, id, do)
		},
	}
	s := cmd.Flags()
	f.set = s
	s.StringVar(&f.project, "project", "", "the project directory (default: the current directory)")
	s.BoolVar(&f.json, "json", false, "print JSON on standard output")
	if name == "diff" || name == "push" {
		s.StringVar(&f.target, "target", "", "push to this target of the manifest (clearance.targets) instead of the item's own")
		s.BoolVar(&f.allowOutside, "allow-outside", false, "allow places outside the project")
	}
	if name == "discard" {
		s.BoolVarP(&f.yes, "yes", "y", false, "give it up without asking")
	}
	if name == "push" {
		s.StringArrayVar(&f.definitions, "definition", nil, "agree to push this file although it defines the project; may be repeated")
	}
	return cmd
}

// clear runs do for the item id, or for the only item if id is empty.
func (h *host) clear(f *clearing, name, id string, do func(*clearing, *clearance.Store, string) error) error {
	return h.kept(f, name == "push", (*core.Instance).Clearance, func(store *clearance.Store) error {
		if name != "list" && id == "" {
			var err error
			if id, err = only(store); err != nil {
				return err
			}
		}
		return h.failedClearing(do(f, store, id))
	})
}

// kept opens the project, completes what an interrupted golem left unfinished, and
// calls do with the store that of returns. If writes is true, the project must have no
// faults.
func (h *host) kept(f *clearing, writes bool, of func(*core.Instance) *clearance.Store, do func(*clearance.Store) error) error {
	if err := f.notEmpty("project", "target"); err != nil {
		return err
	}
	if f.project == "" && h.setting("PROJECT") == "" {
		f.project = "."
	}
	p, _, err := h.target(&f.flags, nil)
	if err != nil {
		return err
	}
	t := h.newTools(false)
	defer t.close()
	inst, err := h.open(p, &f.flags, t)
	if inst == nil || err != nil && writes { // a project with faults may protect too little
		return err
	}
	store := of(inst)
	if !store.Kept() {
		return fault.New(fault.Platform, "golem keeps nothing here: GOLEM_HOME is not set").Hinting("set GOLEM_HOME")
	}
	if err := store.Settle(context.Background()); err != nil {
		h.report(err)
	}
	return do(store)
}

// failedClearing reports an error and returns exit code 1. Errors of wrong usage, and
// codes that are set already, are returned unchanged.
func (h *host) failedClearing(err error) error {
	switch {
	case err == nil, errors.Is(err, fault.NotFound), errors.Is(err, fault.Usage):
		return err
	}
	var code exitCode
	if errors.As(err, &code) {
		return err
	}
	h.report(err)
	return exitCode(exitFailed)
}

// only returns the ID of the only item; an error if there is not exactly one.
func only(store *clearance.Store) (string, error) {
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
	return "", usage("%d items wait, so ID must say which", len(items)).Hinting("golem clearance list shows them")
}

func (h *host) listItems(f *clearing, store *clearance.Store, _ string) error {
	items, err := store.List()
	if err != nil {
		return err
	}
	if f.json {
		out := []clearance.Listing{}
		for _, it := range items {
			out = append(out, it.Listing(nil))
		}
		return h.printJSON(map[string]any{"golem": "clearance", "v": 1, "items": out})
	}
	return h.show(h.itemTable(items))
}

func (h *host) itemTable(items []clearance.Item) string {
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
		rows = append(rows, []string{it.ID, oneLine(state), oneLine(string(it.Type)), fmt.Sprint(len(it.Changes)), when(it.Created), oneLine(message)})
	}
	return table(narrowed(h.out, rows, "TYPE", "CREATED", "FILES"))
}

func (h *host) diffItem(f *clearing, store *clearance.Store, id string) error {
	it, err := store.Get(id)
	if err != nil {
		return err
	}
	diffs, err := store.Diff(it, f.target)
	if err != nil {
		return err
	}
	if f.json {
		return h.printJSON(map[string]any{"golem": "clearance", "v": 1, "items": []clearance.Listing{it.Listing(diffs)}})
	}
	if it.Err != nil {
		h.report(it.Err)
	}
	h.say("item %s: %s", it.ID, oneLine(it.Message))
	if to := store.Targets[cmp.Or(f.target, it.Target)]; to.Git != "" {
		h.say("pushing it makes a commit on the branch %s of %s", oneLine(to.Branch), oneLine(to.Git))
	}
	return h.printDiffs(diffs)
}

func (h *host) printDiffs(diffs []clearance.FileDiff) error {
	for _, n := range definitionNotes(diffs) {
		h.say("%s", n)
	}
	return h.print(h.patchText(diffs))
}

// definitionNotes says of which files a push needs to be told by name.
func definitionNotes(diffs []clearance.FileDiff) (notes []string) {
	for _, d := range diffs {
		if d.Definition {
			notes = append(notes, fmt.Sprintf("%s defines the project: to write it needs --definition %s", oneLine(d.To), oneLine(d.To)))
		}
	}
	return notes
}

// patchText returns the diffs in the form that marked gives them.
func (h *host) patchText(diffs []clearance.FileDiff) string {
	var b strings.Builder
	for _, d := range diffs {
		b.WriteString(h.marked(d.Patch))
	}
	return b.String()
}

// marked returns a diff, whose lines golem did not write, escaped and wrapped for the
// width of the terminal.
func (h *host) marked(patch string) string {
	width := columns(h.out)
	var b strings.Builder
	for line := range strings.Lines(patch) {
		b.WriteString(strings.Join(ui.Marked(strings.TrimSuffix(line, "\n"), width), "\n") + "\n")
	}
	return b.String()
}

func (h *host) pushItem(f *clearing, store *clearance.Store, id string) error {
	it, err := store.Push(context.Background(), id, clearance.Push{Target: f.target, Definitions: f.agreed()})
	if err == nil && !f.json {
		for _, c := range it.Changes {
			verb := "wrote"
			if store.Targets[it.Target].Git != "" {
				verb = "committed"
			}
			if c.Digest == "" {
				verb = "removed"
			}
			h.say("%s %s", verb, oneLine(store.Place(it, c)))
		}
	}
	return h.decided(f, "push", it, err)
}

// agreed returns the files of --definition as clean paths.
func (f *clearing) agreed() (out []string) {
	for _, d := range f.definitions {
		out = append(out, path.Clean(strings.TrimPrefix(d, "./")))
	}
	return out
}

func (h *host) discardItem(f *clearing, store *clearance.Store, id string) error {
	it, err := store.Get(id)
	if err != nil {
		return err
	}
	if it.Err == nil && it.State != clearance.Open { // an item that cannot be discarded gives an error without a question
		what := "item " + it.ID + " (" + oneLine(it.Message) + "), " + fault.Count(len(it.Changes), "file")
		sure, err := h.confirmed(&f.flags, f.yes, "discard "+what+"?", "--yes discards "+what)
		if err != nil {
			return err
		}
		if !sure {
			h.say("nothing was discarded")
			return exitCode(exitFailed)
		}
	}
	it, err = store.Discard(context.Background(), id)
	return h.decided(f, "discard", it, err)
}

func (h *host) deferItem(f *clearing, store *clearance.Store, id string) error {
	it, err := store.Defer(context.Background(), id)
	return h.decided(f, "defer", it, err)
}

// decided prints the result of a decision (S4-20).
func (h *host) decided(f *clearing, action string, it clearance.Item, err error) error {
	if f.json {
		out := map[string]any{"golem": "clearance-result", "v": 1, "item": it.ID, "action": action, "target": it.Target, "ok": err == nil}
		if err != nil {
			out["error"] = fault.Of(err, fault.Conflict)
		}
		return errors.Join(h.printJSON(out), err)
	}
	if err != nil {
		return err
	}
	return h.print(decidedText(it))
}

func decidedText(it clearance.Item) string {
	return fmt.Sprintf("%s: item %s %s\n", it.State, it.ID, oneLine(it.Message))
}

func (h *host) printJSON(v any) error {
	line, err := jsonLine(v)
	if err != nil {
		return err
	}
	return h.print(line)
}
