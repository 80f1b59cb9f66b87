package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Who has the keyboard while a question is on the screen.
const (
	// early: there is no editor, and no quietFor has passed since the question appeared, or
	// since the last key. Keys answer nothing yet.
	early = iota
	// calm: there is no editor, and no key was pressed for quietFor. A letter marks an
	// answer, and Enter gives it.
	calm
	// typing: there is no editor, and the person types something that is no answer. Only
	// Esc ends it, by which the person gives the keyboard to the question.
	typing
	// away: the editor has the keyboard until Tab.
	away
	// owned: the person gave the keyboard to the question.
	owned
)

const (
	// quietFor is how long no key may be pressed before letters count. It is longer than
	// the pauses between the words of somebody who writes.
	quietFor = 2 * time.Second
	// aloneFor is how long no other key may follow a letter that answers without Enter.
	aloneFor = 500 * time.Millisecond
	// burstFor is the least time between two keys of a person; what comes faster was
	// pasted into a terminal that does not say so.
	burstFor = 30 * time.Millisecond
)

// keyboard says what the keys do while a question is on the screen.
type keyboard struct {
	state   int
	shared  bool          // an editor shares the keyboard
	letters string        // the letters typed since the last other key
	wait    time.Duration // how long to wait without a key before elapsed is called; 0: not
	number  int           // the number of that wait; each key begins another one
	last    time.Time     // when the last key came
	now     func() time.Time
}

// waited is the message that a wait of a question ended without a key.
type waited struct {
	d      *dialog
	number int
}

// giveToQuestion gives the keyboard to the question.
func (k *keyboard) giveToQuestion() { k.state, k.letters, k.wait = owned, "", 0 }

// tooFast notes a key, and reports whether it came too soon after the last one to be
// pressed by a person. The key ends the current wait.
func (k *keyboard) tooFast() bool {
	now := k.now()
	fast := !k.last.IsZero() && now.Sub(k.last) < burstFor
	k.last = now
	k.number++
	if k.state != early {
		k.wait = 0
	}
	return fast
}

// timer returns the command that ends the current wait; nil if there is none.
func (d *dialog) timer() tea.Cmd {
	if d.wait <= 0 {
		return nil
	}
	number := d.number
	return tea.Tick(d.wait, func(time.Time) tea.Msg { return waited{d, number} })
}
