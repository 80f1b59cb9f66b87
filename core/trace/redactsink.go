package trace

import "sync"

// Sink returns a sink that removes secrets and passes the events on to next.
// Put it before every consumer: file, terminal and page. The given events do
// not change. The end of a streamed text that could be the beginning of a known
// secret, in any form, is held back until more text shows whether it is one, so
// that a secret that is split over two deltas is found. The next event of that
// call that is not transient releases the text.
func (r *Redactor) Sink(next Sink) Sink {
	return Redacting(func() *Redactor { return r }, next)
}

// Redacting returns a sink like Sink, but calls r for the redactor of each event, because
// more secrets become known during a run.
func Redacting(r func() *Redactor, next Sink) Sink {
	return &redactSink{now: r, next: next, streams: map[string]*stream{}}
}

type redactSink struct {
	now  func() *Redactor
	r    *Redactor // for the current event
	next Sink

	mu      sync.Mutex
	streams map[string]*stream // by id of the worker run that produces the text
}

// stream is the text of one turn that is still arriving.
type stream struct {
	at     Event
	before string // the end of the text that was passed on, before redaction
	rest   string // the text that is held back
}

func (s *redactSink) Emit(e Event) {
	if e.Body == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.r = s.now()
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

// delta passes on the part of the text that cannot be the beginning of a
// secret.
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

// Event returns an event with its secrets removed.
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
