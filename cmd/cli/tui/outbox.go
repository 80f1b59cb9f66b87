package tui

import (
	"strings"
	"sync"

	"golem/core/ui"
)

// outbox has the messages that the person has sent and the session has not got.
type outbox struct {
	wanted   bool     // the session waits for a message
	waiting  waiting  // messages that were sent during an exchange
	returned []string // further messages that a stop returned to the person
	direct   bool     // what was sent last was sent while the session waited for it
	keyed    int      // how many keys were pressed since then
}

// waiting is a list of messages that the session takes from its own goroutine, too. It is
// safe for concurrent use.
type waiting struct {
	mu   sync.Mutex
	list []string
}

// add appends a message.
func (w *waiting) add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, text)
}

// all returns the messages, the first one first.
func (w *waiting) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.list...)
}

// next removes the first message and returns it. With message, it does so only if it is not
// a command.
func (w *waiting) next(message bool) (text string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.list) == 0 || message && !steers(w.list[0]) {
		return "", false
	}
	text = w.list[0]
	w.list = w.list[1:]
	return text, true
}

// empty removes all messages and returns them.
func (w *waiting) empty() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.list
	w.list = nil
	return out
}

// steers reports whether a text can reach the model while an exchange runs: commands wait
// for its end.
func steers(text string) bool { return ui.IsMessage(text) && !strings.HasPrefix(text, "!") }

func (b *outbox) unsent() int { return len(b.waiting.all()) + len(b.returned) }

// refill empties the editor, or fills it with the next of the messages that a stop
// returned.
func (b *outbox) refill(e Editor) {
	next := ""
	if len(b.returned) > 0 {
		next, b.returned = b.returned[0], b.returned[1:]
	}
	e.SetText(next)
}

// giveBack returns the waiting messages to the editor, one by one, so that each stays a
// message or a command of its own.
func (b *outbox) giveBack(e Editor) {
	back := b.waiting.empty()
	if len(back) == 0 {
		return
	}
	if text := e.Text(); strings.TrimSpace(text) != "" {
		back = append(back, text)
	}
	b.returned = append(back, b.returned...)
	b.refill(e)
}
