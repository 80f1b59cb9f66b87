package trace

import "sync"

// Sink returns a sink that passes events on without their secrets. It stands
// before every consumer: file, terminal, page. The events it gets stay as
// they are. Streamed text whose end could be the beginning of a known secret,
// in any spelling, is held back until it is told apart, so that a secret split
// over two deltas does not slip through; the next event of that call that a trace
// keeps lets it go.
func (r *Redactor) Sink(next Sink) Sink {
	return &redactSink{r: r, next: next, streams: map[string]*stream{}}
}

type redactSink struct {
	r    *Redactor
	next Sink

	mu      sync.Mutex
	streams map[string]*stream // by id of the worker run that speaks
}

// stream is the text of one turn under way.
type stream struct {
	at     Event
	before string // the end of what was passed on, as it came
	rest   string // what waits
}

func (s *redactSink) Emit(e Event) {
	if e.Body == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := e.Body.(Delta); ok {
		s.delta(e, d)
		return
	}
	if st := s.streams[e.ID]; st != nil && !e.Body.Transient() {
		delete(s.streams, e.ID)
		if text, _ := s.r.scan(st.before, st.rest, false); text != "" {
			st.at.Body = Delta{Text: text}
			s.next.Emit(st.at)
		}
	}
	s.next.Emit(s.r.Event(e))
}

// delta passes on what cannot be the beginning of a secret.
func (s *redactSink) delta(e Event, d Delta) {
	if s.r == nil || len(s.r.forms) == 0 {
		s.next.Emit(e)
		return
	}
	st := s.streams[e.ID]
	if st == nil || d.Reset {
		st = &stream{}
		s.streams[e.ID] = st
	}
	text := st.rest + d.Text
	out, rest := s.r.scan(st.before, text, true)
	passed := st.before + text[:len(text)-len(rest)]
	st.at, st.before, st.rest = e, passed[max(0, len(passed)-context):], rest
	if out != "" || d.Reset || d.Text == "" {
		e.Body = Delta{Text: out, Reset: d.Reset}
		s.next.Emit(e)
	}
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
