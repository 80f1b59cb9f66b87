package openaiserve

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

const (
	// writeTime is how long a client may take to take a piece of a stream.
	writeTime = 30 * time.Second
	// quiet is how often a comment keeps a stream open while nothing else is sent.
	quiet = 15 * time.Second
)

// events writes server-sent events. It is safe for concurrent use.
type events struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
	broken  bool
	gone    func() // is called when the client does not take what is written
	n       int    // of the next event of responses
}

// raw writes bytes and sends them at once.
func (e *events) raw(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.write([]byte(text))
}

// write is called with mu held.
func (e *events) write(text []byte) {
	if e.broken {
		return
	}
	if !e.begun {
		e.begun = true
		h := e.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Trailer", deniedHeader)
		h.Set("X-Accel-Buffering", "no")
		e.w.WriteHeader(http.StatusOK)
	}
	// The error is ignored: only the response writers of tests have no deadlines.
	_ = e.control.SetWriteDeadline(time.Now().Add(writeTime))
	_, err := e.w.Write(text)
	if err == nil {
		err = e.control.Flush()
	}
	if err != nil {
		e.broken = true
		e.gone()
	}
}

// send writes an event; name is "" in chat completions.
func (e *events) send(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		return // unreachable: all values encode
	}
	var b bytes.Buffer
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	b.WriteString("data: ")
	b.Write(data)
	b.WriteString("\n\n")
	e.raw(b.String())
}

// open reports whether something was sent.
func (e *events) open() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.begun
}

// anew is what a stream says when the provider broke off its answer, and gives it again: what
// a client got cannot be taken back.
const anew = "\n\n[golem: the provider broke off here, and the answer begins again]\n\n"

// streaming turns the events of a run into the text of a stream. Only the goroutine that
// emits uses it.
type streaming struct {
	as    protocol
	to    *events
	made  answer
	begun bool
	sent  strings.Builder // the whole text so far
	turn  int             // where the text of the last turn begins in it
}

// follow sends what an event adds to the answer. A worker that answers with JSON has its
// answer sent at the end, after it was validated.
func (s *streaming) follow(e trace.Event) {
	if e.ID != rootID || s.made.worker.Output != nil {
		return
	}
	switch b := e.Body.(type) {
	case trace.ModelStart:
		s.turn = s.sent.Len()
	case trace.Delta:
		if b.Reset && s.sent.Len() > s.turn {
			s.piece(anew)
			s.turn = s.sent.Len()
		} else if b.Text != "" && s.sent.Len() == s.turn {
			s.paragraph()
		}
		s.piece(b.Text)
	}
}

// begin sends what comes before the text, once.
func (s *streaming) begin() {
	if !s.begun {
		s.begun = true
		s.as.begin(s.to, s.made)
	}
}

func (s *streaming) piece(text string) {
	if text != "" {
		s.begin()
		s.sent.WriteString(text)
		s.as.text(s.to, s.made, text)
	}
}

// paragraph separates what follows from what was sent.
func (s *streaming) paragraph() {
	if s.sent.Len() > 0 && !strings.HasSuffix(s.sent.String(), "\n\n") {
		s.piece("\n\n")
	}
	s.turn = s.sent.Len()
}

// finish sends what is left of an answer, and makes its text the one that was sent.
func (s *streaming) finish(made *answer) {
	s.begin()
	if strings.TrimSpace(s.sent.String()[s.turn:]) != strings.TrimSpace(made.text) { // a tool, a module or JSON: no model said it piece by piece
		s.paragraph()
		s.piece(made.text)
	}
	s.piece(made.note)
	made.text, made.note = s.sent.String(), ""
}

// stream runs the worker and sends its answer as a stream. An error before the first piece
// is an answer with a status of its own.
func (s *Server) stream(ctx context.Context, cancel context.CancelCauseFunc, w http.ResponseWriter, as protocol, made answer, in run.Input) {
	to := &events{w: w, control: http.NewResponseController(w), gone: func() {
		cancel(fault.New(fault.Interrupted, "the client does not take the answer"))
	}}
	streaming := &streaming{as: as, to: to, made: made}
	front := &front{on: streaming.follow}
	keepOpen := ui.Every(quiet, func() { to.raw(": the worker is working\n\n") })
	res := made.worker.Run(ctx, made.id, in, front)
	keepOpen.Stop()
	made.finish(res, front.cut())
	made.setDenied(w.Header())
	if made.problem != nil && !to.open() {
		refuse(w, made.problem)
		return
	}
	if made.problem == nil {
		streaming.finish(&made)
	}
	as.end(to, made)
	_ = to.control.SetWriteDeadline(time.Time{}) // for the next request of the connection
}
