package trace

import (
	"sync"
	"sync/atomic"
)

// Sink returns a sink that removes secrets and passes the events on to next.
// Put it before every consumer: file, terminal and page. The given events do
// not change. The end of a streamed text that could be the beginning of a known
// secret, in any form, is held back until more text shows whether it is one, so
// that a secret that is split over two deltas is found. The end of the model's answer releases
// the text. If the model was stopped or failed, at most
// minBeginning-1 bytes of it are passed on.
func (r *Redactor) Sink(next Sink) Sink {
	var now atomic.Pointer[Redactor]
	now.Store(r)
	return Redacting(&now, next)
}

// Redacting returns a sink like Sink, but calls r for the redactor of each event, because
// more secrets become known during a run.
func Redacting(r *atomic.Pointer[Redactor], next Sink) Sink {
	return &redactSink{now: r, next: next, streams: map[streamID]*stream{}}
}

type redactSink struct {
	now  *atomic.Pointer[Redactor]
	r    *Redactor // for the current event
	next Sink

	mu      sync.Mutex
	streams map[streamID]*stream
}

// streamID names a text that arrives in pieces: the answer of a worker run, or what its model
// reasons.
type streamID struct {
	run       string
	reasoning bool
}

// body returns a piece of the text as an event.
func (id streamID) body(text string, reset bool) Body {
	if id.reasoning {
		return Reasoning{Text: text}
	}
	return Delta{Text: text, Reset: reset}
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
	s.r = s.now.Load()
	answer, reasoning := streamID{e.ID, false}, streamID{e.ID, true}
	switch b := e.Body.(type) {
	case Delta:
		if b.Broken {
			s.release(answer, true)
			return
		}
		if b.Reset {
			delete(s.streams, reasoning)
		}
		s.piece(e, answer, b.Text, b.Reset)
		return
	case Reasoning:
		if b.Over == nil {
			s.piece(e, reasoning, b.Text, false)
			return
		}
		s.release(reasoning, b.Broken)
	case ModelEnd:
		s.release(reasoning, false)
		s.release(answer, false)
	case ModelStart, WorkerEnd, RunEnd:
		delete(s.streams, reasoning)
		delete(s.streams, answer)
	}
	s.next.Emit(s.r.Event(e))
}

// release passes on what is held back of a text that has ended, or that breaks off.
func (s *redactSink) release(id streamID, broken bool) {
	st := s.streams[id]
	if st == nil {
		return
	}
	delete(s.streams, id)
	text, _ := s.r.scan(st.before, st.rest, false)
	if broken {
		text = s.r.broken(st.before, st.rest)
	}
	if text != "" {
		st.at.Body = id.body(text, false)
		s.next.Emit(st.at)
	}
}

// piece passes on the part of a text that cannot be the beginning of a secret.
func (s *redactSink) piece(e Event, id streamID, text string, reset bool) {
	if s.r == nil || len(s.r.forms) == 0 {
		s.next.Emit(e)
		return
	}
	st := s.streams[id]
	if st == nil || reset {
		st = &stream{}
		s.streams[id] = st
	}
	all := st.rest + text
	out, rest := s.r.scan(st.before, all, true)
	passed := st.before + all[:len(all)-len(rest)]
	st.at, st.before, st.rest = e, passed[max(0, len(passed)-context):], rest
	if out != "" || reset || text == "" {
		e.Body = id.body(out, reset)
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
