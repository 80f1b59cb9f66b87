package run

import (
	"context"
	"fmt"
	"slices"

	"golem/core/clearance"
	"golem/core/model"
)

// undone tells the root which of its direct writes a person has undone or written again.
// A person can do that only between two exchanges.
type undone struct {
	store  *clearance.Store
	record *clearance.Record
	runs   []string                   // whose writes belong to the conversation
	older  []string                   // items of the runs before this one
	looked bool                       // older is known
	told   map[string]clearance.State // by item: what the root knows
}

// lookedAt is how many of the run's items are looked at, the newest ones.
const lookedAt = 20

// notes returns what has changed since the last call. messages is what the root has been
// told.
func (u *undone) notes(ctx context.Context, messages []model.Message) (out []string) {
	if !u.store.Kept() {
		return nil
	}
	if !u.looked && len(u.runs) > 1 {
		all, err := u.store.Runs(ctx)
		if err != nil && len(all) == 0 {
			return nil // golem undo reports the error
		}
		for _, it := range slices.Backward(all) {
			if it.Err == nil && slices.Contains(u.runs[1:], it.Run) {
				u.older = append(u.older, it.ID)
			}
		}
	}
	u.looked = true
	ids := slices.Concat(u.older, u.record.Items())
	for _, id := range ids[max(len(ids)-lookedAt, 0):] {
		it, err := u.store.Get(id)
		if err != nil || it.Err != nil {
			continue
		}
		text, before := "", u.told[id]
		switch {
		case it.State == clearance.Undone && before != clearance.Undone:
			text = undoneText("undid these changes of files, which are as before now", it)
		case it.State == clearance.Pending && before == clearance.Undone:
			text = undoneText("wrote these changes of files again, which had been undone", it)
		}
		u.told[id] = it.State
		heard := func(m model.Message) bool { return m.Note && m.Text == text }
		if text != "" && (before != "" || !slices.ContainsFunc(messages, heard)) {
			out = append(out, text)
		}
	}
	return out
}

// undoneText returns a note with the files of an item.
func undoneText(what string, it clearance.Item) string {
	text := "[System: User " + what + "]"
	for i, c := range it.Changes {
		if i == maxNamed {
			return text + fmt.Sprintf("\nand %d more", len(it.Changes)-i)
		}
		text += "\n/" + c.Name()
	}
	return text
}

// UndoRuns returns the runs whose direct writes belong to the conversation of a session, this
// one first.
func UndoRuns(s *Session) []string { return s.tree.staging.undone.runs }
