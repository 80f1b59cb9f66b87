package tui

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/ui"
	"golem/core/ui/view"
)

// staged is the panel of staged changes, or of what runs replaced (undo): a list of
// items, the diff of the marked one, and the decisions. No decision is a default: each
// has a letter, and each is confirmed with a second key.
type staged struct {
	store *clearance.Store
	items []clearance.Item
	mark  int
	// target is the target of a push that the person chose; "": the item's own.
	target string
	patch  []ui.Span // the diff of the marked item, line by line, not escaped yet
	rows   []string  // patch wrapped for the screen, with a style for each line; nil: not wrapped yet
	styles []ui.Role
	width  int
	diffs  []clearance.FileDiff
	top    int
	room   int
	seen   bool // the end of the diff was on the screen
	note   string
	sure   *decision // the decision that has to be confirmed; nil: none
	since  time.Time // when the last key came
	busy   bool
	u      *UI
}

// decision is what a letter key does to the marked item.
type decision struct {
	key, does string
	done      string   // the note after it; "": the note names the item's new state
	asks      []string // definition files, each of which needs its own yes
	writes    bool     // it writes the diff, and so counts only after the diff's end was shown
	do        func(ctx context.Context, it clearance.Item) (clearance.Item, error)
}

// openStore opens the panel of a store. If the store is empty, it shows the command and
// a line that says so in the chat.
func (m *model) openStore(asked string, store *clearance.Store) tea.Cmd {
	p := &staged{store: store, u: m.u}
	return m.u.runOutside(func() then {
		read, err := p.read()
		return func(m *model) tea.Cmd {
			if err != nil {
				m.warn(err)
				return nil
			}
			if read(); len(p.items) > 0 {
				m.overlays.open(p)
			} else {
				m.state.Act(view.Action{Do: view.Told, ID: command, Text: asked})
				m.state.Act(view.Action{Do: view.Told, ID: "info", Text: p.empty()})
			}
			return m.count()
		}
	})
}

// empty returns the text for a store without items.
func (p *staged) empty() string {
	if p.store.Undo {
		return "there is no run here that can be undone"
	}
	return "nothing is staged"
}

// count updates the number of staged items in the header.
func (m *model) count() tea.Cmd {
	if m.o.Clearance == nil || !m.o.Clearance.Kept() {
		return nil
	}
	return m.u.runOutside(func() then {
		items, err := m.o.Clearance.Waiting()
		return func(m *model) tea.Cmd {
			if err == nil {
				m.state.Pending = len(items)
			}
			return nil
		}
	})
}

// read reads the items and the diff of the marked one. It runs outside the program;
// put, called in the program, shows the result.
func (p *staged) read() (put func(), err error) {
	if !p.store.Kept() {
		return nil, fault.New(fault.Platform, "golem keeps nothing here: GOLEM_HOME is not set").Hinting("set GOLEM_HOME")
	}
	var items []clearance.Item
	if p.store.Undo {
		items, err = p.store.Runs(context.Background())
	} else {
		items, err = p.store.List()
	}
	if err != nil {
		return nil, err
	}
	mark, target := min(p.mark, max(len(items)-1, 0)), p.target
	var diffs []clearance.FileDiff
	note := ""
	if len(items) > 0 {
		if diffs, err = p.store.Diff(items[mark], target); err != nil {
			note = fault.Of(err, fault.Conflict).Error()
		} else if items[mark].Err != nil {
			note = "shown only: " + fault.Of(items[mark].Err, fault.Trust).Message
		}
	}
	var patch []ui.Span
	for _, d := range diffs {
		if d.Definition {
			patch = append(patch, ui.Span{Text: "! " + d.To + " defines the project: a push asks for it by name", Role: yellow})
		}
		for l := range strings.SplitSeq(strings.TrimSuffix(d.Patch, "\n"), "\n") {
			patch = append(patch, ui.Span{Text: l, Role: ui.DiffStyle(l)})
		}
	}
	return func() {
		p.items, p.mark, p.diffs, p.patch, p.rows, p.top, p.seen, p.busy = items, mark, diffs, patch, nil, 0, false, false
		if note != "" {
			p.note = note
		}
	}, nil
}

// reload reads the panel's content again.
func (p *staged) reload() tea.Cmd {
	p.busy = true
	return p.u.runOutside(func() then {
		put, err := p.read()
		return func(m *model) tea.Cmd {
			if err != nil {
				p.busy, p.note = false, err.Error()
				return nil
			}
			put()
			return m.count()
		}
	})
}

// choices returns the decisions that are possible for the marked item.
func (p *staged) choices() []decision {
	if len(p.items) == 0 || p.items[p.mark].Err != nil {
		return nil
	}
	it := p.items[p.mark]
	if p.store.Undo {
		redo := it.State == clearance.Undone
		does, done := "put back what run "+it.Run+" changed", "undone: run "+it.Run
		if redo {
			does, done = "write again what run "+it.Run+" had written", "redone: run "+it.Run
		}
		return []decision{{key: "u", does: does, done: done, writes: true, asks: p.definitions(), do: func(ctx context.Context, it clearance.Item) (clearance.Item, error) {
			return p.store.Push(ctx, it.ID, clearance.Push{Digest: it.Digest(), Definitions: p.definitions(), Redo: redo})
		}}}
	}
	place := ""
	if t := cmp.Or(p.target, it.Target); t != "" {
		place = " to " + t
		if remote := p.store.Targets[t].Remote; remote != "" {
			place += " and " + remote
		}
	}
	return []decision{
		{key: "p", does: "push item " + it.ID + place + ": " + fault.Count(len(it.Changes), "file"), writes: true, asks: p.definitions(), do: func(ctx context.Context, it clearance.Item) (clearance.Item, error) {
			return p.store.Push(ctx, it.ID, clearance.Push{Digest: it.Digest(), Target: p.target, Definitions: p.definitions()})
		}},
		{key: "x", does: "discard item " + it.ID + "; the files stay as they are", do: func(ctx context.Context, it clearance.Item) (clearance.Item, error) {
			return p.store.Discard(ctx, it.ID)
		}},
		{key: "d", does: "defer item " + it.ID, do: func(ctx context.Context, it clearance.Item) (clearance.Item, error) {
			return p.store.Defer(ctx, it.ID)
		}},
	}
}

// definitions returns the files of the item that define the project.
func (p *staged) definitions() (out []string) {
	for _, d := range p.diffs {
		if d.Definition {
			out = append(out, d.To)
		}
	}
	return out
}

func (p *staged) key(name, text string) (tea.Cmd, bool) {
	switch {
	case name == "ctrl+c", p.sure == nil && (name == "esc" || name == "q"):
		return nil, true
	case p.busy:
		return nil, false
	case p.sure != nil:
		return p.agree(text), false
	}
	fast := text != "" && p.tooFast() // keys that move are no text
	p.note = ""
	switch name {
	case "up", "k":
		return p.move(-1), false
	case "down", "j":
		return p.move(1), false
	case "t":
		return p.nextTarget(), false
	case "pgup", "ctrl+b":
		p.scroll(-max(p.room-1, 1))
	case "pgdown", "ctrl+f", "space":
		p.scroll(max(p.room-1, 1))
	case wheelUp:
		p.scroll(-3)
	case wheelDown:
		p.scroll(3)
	case "home":
		p.scroll(-len(p.rows))
	case "end":
		p.scroll(len(p.rows))
	}
	for _, c := range p.choices() {
		switch {
		case c.key != text:
		case fast:
			p.note = "Press " + c.key + " once more, after a moment: a text that you type decides nothing"
		case c.writes && !p.seen:
			p.note = "A yes counts after all of the change was shown: PgDn or End, then " + c.key
		default:
			p.sure = &c
		}
	}
	return nil, false
}

// tooFast notes a key, and reports whether it came so soon after the last one that the
// person may be typing a text: a decision and its yes need a moment between them.
func (p *staged) tooFast() bool {
	now := p.u.model.o.now()
	fast := now.Sub(p.since) < aloneFor
	p.since = now
	return fast
}

// agree handles a key while a decision has to be confirmed: y confirms it, any other
// key cancels it.
func (p *staged) agree(text string) tea.Cmd {
	d := p.sure
	if fast := p.tooFast(); text != "y" || fast {
		p.sure, p.note = nil, "nothing was decided"
		return nil
	}
	if len(d.asks) > 0 { // the first yes was for the item; each definition file needs its own
		p.sure = &decision{key: d.key, does: "write " + d.asks[0] + ", which defines the project", done: d.done, asks: d.asks[1:], do: d.do}
		return nil
	}
	it := p.items[p.mark]
	p.sure, p.busy = nil, true
	return p.u.runOutside(func() then {
		done, err := d.do(context.Background(), it)
		return func(*model) tea.Cmd {
			if err != nil {
				p.note = fault.Of(err, fault.Conflict).Error()
			} else {
				p.note = d.done
				if d.done == "" {
					p.note = string(done.State) + ": item " + done.ID
				}
				p.u.Tell("info", strings.TrimSpace(p.note+" "+line(done.Message)))
			}
			return p.reload()
		}
	})
}

func (p *staged) move(by int) tea.Cmd {
	to := min(max(p.mark+by, 0), max(len(p.items)-1, 0))
	if to == p.mark {
		return nil
	}
	p.mark, p.target = to, ""
	return p.reload()
}

// nextTarget chooses the next target of the manifest.
func (p *staged) nextTarget() tea.Cmd {
	names := slices.Sorted(maps.Keys(p.store.Targets))
	if p.store.Undo || len(names) == 0 || len(p.items) == 0 {
		return nil
	}
	at := slices.Index(names, cmp.Or(p.target, p.items[p.mark].Target))
	p.target = names[(at+1)%len(names)]
	return p.reload()
}

func (p *staged) scroll(by int) { p.top = min(max(p.top+by, 0), max(len(p.rows)-p.room, 0)) }

// row returns the line of an item in the list.
func (p *staged) row(it clearance.Item, width int) string {
	state, about := string(it.State), line(it.Message)
	name, place := it.ID, cmp.Or(it.Target, "in place")
	if p.store.Undo {
		name, place = it.Run, ""
		if it.State == clearance.Pending {
			state = "done"
		}
	}
	if it.Err != nil {
		state = "shown only"
	}
	parts := []string{line(name), state, about, fault.Count(it.Files(), "file")}
	if p.store.Undo { // the id of a run is long and the least useful part
		parts = append(parts[1:], parts[0])
	}
	if place != "" {
		parts = append(parts, "→ "+line(place))
	}
	return cut(strings.Join(filled(parts), "  "), width)
}
