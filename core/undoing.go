package core

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golem/core/clearance"
	"golem/core/fault"
)

// undoing is the command /undo of a chat.
type undoing struct {
	store *clearance.Store
	shown []clearance.Item // what /undo showed last; yes undoes only these
	all   bool
}

// carryOut shows what undoing the last exchange would change in the files, with all what
// undoing the conversation would, or with yes undoes what was shown.
func (u *undoing) carryOut(ctx context.Context, arg string, runs []string) (string, error) {
	words := strings.Fields(arg)
	yes := len(words) > 0 && words[len(words)-1] == "yes"
	if yes {
		words = words[:len(words)-1]
	}
	all := len(words) == 1 && words[0] == "all"
	switch {
	case !u.store.Kept():
		return "", fault.New(fault.Usage, "what runs replace is not kept here").Hinting("golem keeps it with files on disk, where GOLEM_HOME is set")
	case len(words) > 1 || len(words) == 1 && !all:
		return "", fault.New(fault.Usage, "/undo does not take %s", fault.Brief(arg)).Hinting("/undo shows what it would change, /undo yes does it; /undo all and /undo all yes are for the whole conversation")
	case yes && len(u.shown) > 0 && (u.all == all || !all):
		return u.undo(ctx)
	case yes:
		return "", fault.New(fault.Usage, "/undo has not shown yet what it would change").Hinting("/undo, or /undo all, and then with yes")
	}
	return u.show(ctx, all, runs)
}

// show returns the changes that an undo would make.
func (u *undoing) show(ctx context.Context, all bool, runs []string) (string, error) {
	items, err := u.store.OfRuns(ctx, runs)
	if err != nil {
		return "", err
	}
	what := "your last exchange that wrote files"
	switch {
	case len(items) == 0 && all:
		return "", fault.New(fault.NotFound, "this conversation has written no files that can be put back").Hinting("golem undo --list shows the runs that can be undone")
	case len(items) == 0:
		it, err := u.store.Of(ctx, "", false)
		if err != nil {
			return "", err
		}
		items, what = []clearance.Item{it}, "run "+it.Run
	case all:
		what = "this conversation: " + fault.Count(len(items), "exchange") + " that wrote files"
	default:
		items = items[:1]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: undoing it would change this\n", what)
	for _, it := range items {
		diffs, err := u.store.Diff(it, "")
		if err != nil {
			return "", err
		}
		for _, d := range diffs {
			b.WriteString(d.Patch)
		}
		for _, tool := range it.Blind {
			fmt.Fprintf(&b, "the tool %s can have changed files that golem does not know of\n", tool)
		}
	}
	u.shown, u.all = items, all
	b.WriteString("/undo yes does it")
	return b.String(), nil
}

// undo undoes what was shown, the newest first, up to the first error.
func (u *undoing) undo(ctx context.Context) (string, error) {
	items := u.shown
	u.shown = nil
	var files []string
	for n, it := range items {
		done, err := u.store.Push(context.WithoutCancel(ctx), it.ID, clearance.Push{Digest: it.Digest()})
		if err != nil {
			f := fault.Of(err, fault.Conflict)
			if n > 0 {
				return "", fault.New(f.Code, "%s undone, and then: %s", fault.Count(n, "exchange"), f.Message).Hinting("%s", f.Hint)
			}
			return "", f
		}
		for _, c := range done.Changes {
			if name := "/" + c.Name(); !slices.Contains(files, name) {
				files = append(files, name)
			}
		}
	}
	slices.Sort(files)
	return fmt.Sprintf("undone: %s (%s); the model hears of it with your next message", fault.Count(len(items), "exchange"), strings.Join(files[:min(len(files), 20)], ", ")), nil
}
