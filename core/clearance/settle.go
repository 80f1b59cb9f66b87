package clearance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
)

// Discard removes an item without pushing it. The real files stay as they are.
func (s *Store) Discard(ctx context.Context, id string) (Item, error) {
	return s.decide(ctx, id, func(it *Item) error {
		it.State = Discarded
		return s.desk().finish(*it)
	})
}

// Defer keeps an item, but it is no longer announced.
func (s *Store) Defer(ctx context.Context, id string) (Item, error) {
	return s.decide(ctx, id, func(it *Item) error {
		it.State = Deferred
		if err := s.shelf().put(*it); err != nil {
			return err
		}
		return s.shelf().note(*it)
	})
}

func (s *Store) decide(ctx context.Context, id string, do func(*Item) error) (Item, error) {
	release, err := s.shelf().lock(ctx)
	if err != nil {
		return Item{}, err
	}
	defer release()
	it, err := s.decidable(id)
	if err == nil {
		err = do(&it)
	}
	return it, err
}

// note is a decision of a person that the next root worker is told.
type note struct {
	Item    string `json:"item"`
	Type    Type   `json:"type"`
	Action  State  `json:"action"`
	Message string `json:"message,omitempty"`
	Target  string `json:"target,omitempty"`
	Run     string `json:"run,omitempty"`
	Changes string `json:"changes,omitempty"` // their digest, see changesSum
}

// text returns the note as a message (S4-52).
func (n note) text() string {
	kind := strings.ReplaceAll(string(n.Type), "_", " ")
	to := ""
	if n.Action == Pushed && n.Target != "" {
		to = " to " + n.Target
	}
	return strings.TrimRight(fmt.Sprintf("[System: User %s %s%s]\n%s %s", n.Action, kind, to, n.Item, oneLine(n.Message)), " ")
}

// oneLine returns a message in one line of at most 200 characters, so that it cannot look
// like several messages.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 }), " ")
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return s
}

// lined returns a message with its line breaks, or "" if it has none or is too long for
// oneLine. So a person who saw it in one line has seen every word.
func lined(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(oneLine(line), " ")
	}
	if s = strings.Join(lines, "\n"); len(lines) == 1 || len([]rune(s)) > 200 {
		return ""
	}
	return s
}

// Notes returns and removes the decisions of persons that no root worker was told yet,
// the oldest item first. So each decision is told once, to the root that asks next.
func (s *Store) Notes(ctx context.Context) []string {
	if !s.Kept() {
		return nil
	}
	if entries, err := fs.ReadDir(s.State.Files, notesDir); err != nil || len(entries) == 0 {
		return nil
	}
	release, err := s.shelf().lock(ctx)
	if err != nil {
		return nil // a person is just deciding; the next call will return the decision
	}
	defer release()
	entries, err := fs.ReadDir(s.State.Files, notesDir)
	if err != nil {
		return nil
	}
	sorting.By(entries, func(a, b fs.DirEntry) int {
		if d := len(a.Name()) - len(b.Name()); d != 0 {
			return d
		}
		return strings.Compare(a.Name(), b.Name())
	})
	var out []string
	for _, e := range entries {
		name := path.Join(notesDir, e.Name())
		data, err := sandbox.ReadFile(s.State.Files, name, 1<<20)
		if err != nil {
			continue
		}
		body, err := s.State.Unseal(noteFormat, name, data)
		var n note
		if err != nil || json.Unmarshal(body, &n) != nil {
			continue // it was not written on this machine
		}
		if it, err := s.shelf().load(n.Item); err == nil && it.Err == nil && (it.State == Pushed || it.State == Discarded) && s.shelf().remove(n.Item) != nil {
			continue // if the item stayed, Settle would write its note again
		}
		if s.State.Files.Remove(name) != nil {
			continue
		}
		out = append(out, n.text())
	}
	return out
}

// Settle finishes what a golem that was stopped left unfinished: pushes, decisions, and
// items whose run ended without closing them. Call it before other work with the store.
func (s *Store) Settle(ctx context.Context) error {
	if !s.Kept() {
		return nil
	}
	ids, err := s.desk().unsettled()
	if err != nil || len(ids) == 0 {
		return err
	}
	release, err := s.shelf().lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	var faults []error
	for _, id := range ids {
		faults = append(faults, s.settleOne(id))
	}
	if err = errors.Join(faults...); err == nil {
		s.desk().settled()
	}
	return err
}

// settleOne settles one item. The caller holds the lock of the store.
func (s *Store) settleOne(id string) error {
	it, err := s.shelf().load(id)
	if err != nil {
		s.shelf().sweep(id)
		return nil
	}
	if it.Err != nil {
		return nil // the item may only be shown
	}
	if it.Replaces != "" && it.State != Open {
		if old, err := s.shelf().load(it.Replaces); err == nil && old.Err == nil && old.State != Pushing {
			if err := s.shelf().remove(old.ID); err != nil {
				return err
			}
		}
	}
	switch it.State {
	case Pushing:
		_, err := s.goOn(it)
		return err
	case Pushed, Discarded:
		return s.desk().finish(it)
	case Open:
		return s.settleOpen(id)
	}
	return nil
}

// settleOpen closes an open item whose run has ended without closing it.
func (s *Store) settleOpen(id string) error {
	it, head, err := s.shelf().replay(id)
	if err != nil || it.Err != nil {
		return err
	}
	free, err := s.State.TryHold(s.shelf().lockOf(head.Slot))
	if errors.Is(err, fault.Busy) {
		return nil // its run continues
	}
	if err != nil {
		return err
	}
	defer free()
	// Load the item again: its run may have closed it before the lock was free.
	if it, err = s.shelf().load(id); err != nil || it.Err != nil || it.State != Open {
		return err
	}
	if err := s.asItIs(&it); err != nil {
		return err
	}
	if head.Commit || len(it.Changes)+len(it.Lost) == 0 {
		return s.shelf().remove(id)
	}
	it.State, it.Message = Pending, "changes of a run that was stopped"
	return s.shelf().put(it)
}
