package trace

import (
	"bytes"
	"io"
	"sync"
)

// Hold delays events for a front end while a person is asked, so that nothing
// is printed between the question and the answer (S4-45), and passes them on
// afterwards in the same order. A trace file gets events at once, because it is
// before the Hold. The question itself (an Ask) is not delayed. The zero value
// is ready for use and safe for concurrent use.
type Hold struct {
	mu      sync.Mutex
	asking  int // number of open questions
	waiting []func()
}

// Asking starts a question: from now on events are delayed. The caller must call done
// when the question is answered. The last done passes the delayed events on.
func (h *Hold) Asking() (done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asking++
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.asking--; h.asking > 0 {
			return
		}
		for _, pass := range h.waiting {
			pass()
		}
		h.waiting = nil
	})
}

// Sink returns a sink that passes events on to next, after the answer while a person is
// asked.
func (h *Hold) Sink(next Sink) Sink { return holdSink{h, next} }

type holdSink struct {
	h    *Hold
	next Sink
}

func (s holdSink) Emit(e Event) {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	if _, question := e.Body.(Ask); question || s.h.asking == 0 {
		s.next.Emit(e)
		return
	}
	s.h.waiting = append(s.h.waiting, func() { s.next.Emit(e) })
}

// Writer returns a writer that passes data on to next, after the answer while a person
// is asked. If next fails for delayed data, the following Write returns the error.
func (h *Hold) Writer(next io.Writer) io.Writer { return &holdWriter{h: h, next: next} }

type holdWriter struct {
	h    *Hold
	next io.Writer
	err  error
}

func (w *holdWriter) Write(p []byte) (int, error) {
	w.h.mu.Lock()
	defer w.h.mu.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	if w.h.asking == 0 {
		return w.next.Write(p)
	}
	line := bytes.Clone(p)
	w.h.waiting = append(w.h.waiting, func() {
		if w.err == nil {
			_, w.err = w.next.Write(line)
		}
	})
	return len(p), nil
}
