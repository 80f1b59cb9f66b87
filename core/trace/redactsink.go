package trace

import (
	"strings"
	"sync"
)

// Sink returns a sink that passes events on without their secrets. It stands
// before every consumer: file, terminal, page. The events it gets stay as
// they are. Streamed text whose end could be the beginning of a known secret
// is held back until it is told apart, so that a secret split over two
// deltas does not slip through; whatever event of that call follows lets it go.
func (r *Redactor) Sink(next Sink) Sink {
	return &redactSink{r: r, next: next, held: map[string]Event{}}
}

type redactSink struct {
	r    *Redactor
	next Sink

	mu   sync.Mutex
	held map[string]Event // id → a delta whose text waits
}

func (s *redactSink) Emit(e Event) {
	if e.Body == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting, ok := s.held[e.ID]
	delete(s.held, e.ID)
	if d, isDelta := e.Body.(Delta); isDelta {
		s.delta(e, d, waiting)
		return
	}
	if ok {
		s.next.Emit(waiting)
	}
	s.next.Emit(s.r.Event(e))
}

// delta passes on what cannot be the beginning of a secret.
func (s *redactSink) delta(e Event, d Delta, waiting Event) {
	if w, ok := waiting.Body.(Delta); ok && !d.Reset {
		d.Text = w.Text + d.Text
		d.Reset = w.Reset
	}
	text := s.r.String(d.Text)
	safe := len(text) - s.r.undecided(text)
	if safe < len(text) {
		rest := e
		rest.Body = Delta{Text: text[safe:]}
		s.held[e.ID] = rest
	}
	if safe > 0 || d.Reset || text == "" {
		e.Body = Delta{Text: text[:safe], Reset: d.Reset}
		s.next.Emit(e)
	}
}

// undecided is the length of the longest end of text that a known secret
// begins with.
func (r *Redactor) undecided(text string) int {
	if r == nil {
		return 0
	}
	longest := 0
	for _, form := range r.plain {
		for n := min(len(form)-1, len(text)); n > longest; n-- {
			if strings.HasSuffix(text, form[:n]) {
				longest = n
			}
		}
	}
	return longest
}

// Event returns an event without its secrets.
func (r *Redactor) Event(e Event) Event {
	if r == nil || e.Body == nil {
		return e
	}
	e.Worker = r.String(e.Worker)
	if u, ok := e.Body.(Unknown); ok {
		u.Line = r.JSON(u.Line)
		e.Body = u
		return e
	}
	e.Body = mapBody(e.Body, r.String, r.JSON)
	return e
}

var _ Sink = (*redactSink)(nil)
