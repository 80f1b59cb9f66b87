package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"syscall/js"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/toolset"
)

// lent lists what the page provides to a run (golem.provide): toolsets, names of models,
// and whether the browser has a model of its own.
type lent struct {
	Toolsets []toolset.LentSet `json:"toolsets"`
	Models   []string          `json:"models"`
	Device   bool              `json:"device"`
}

// maxLoan limits, in bytes, the answer of a function of the page that was not read yet.
const maxLoan = 64 << 20

// loan is one open call of a function of the page.
type loan struct {
	call *call
	n    int
	name string        // of the tool or model, for messages
	more chan struct{} // has one value if replies may have come

	mu      sync.Mutex
	replies []reply
	size    int
}

// reply is one message of a function of the page: a piece of its answer, the end of the
// answer, or an error.
type reply struct {
	Piece string     `json:"piece"`
	Done  bool       `json:"done"`
	Error *lentError `json:"error"`
}

// lentError is the error that a function of the page threw.
type lentError struct {
	Message string     `json:"message"`
	Code    fault.Code `json:"code"` // "": the function threw it, not golem.js
	Hint    string     `json:"hint"`
	Status  int        `json:"status"` // an HTTP status, if the function gave one
}

func (e *lentError) fault(l *loan, code fault.Code) error {
	switch e.Code {
	case fault.ToolOutput, fault.Platform, fault.Model:
		return fault.New(e.Code, "%s", e.Message).Hinting("%s", e.Hint)
	}
	return fault.New(code, "%s failed in the page: %s", l.name, e.Message)
}

// borrow calls a function of the page. The caller must call back on the loan.
func (c *call) borrow(kind, set, name string, data []byte) *loan {
	c.mu.Lock()
	c.lent++
	l := &loan{call: c, n: c.lent, name: name, more: make(chan struct{}, 1)}
	if c.loans == nil {
		c.loans = map[int]*loan{}
	}
	c.loans[l.n] = l
	c.mu.Unlock()
	c.post("lend", map[string]any{"n": l.n, "kind": kind, "set": set, "name": name, "data": string(data)})
	return l
}

// giveBack ends the call. If the page did not hear that yet, it is told, so that a function
// that still runs can stop.
func (l *loan) giveBack() {
	l.call.mu.Lock()
	_, open := l.call.loans[l.n]
	delete(l.call.loans, l.n)
	l.call.mu.Unlock()
	if open {
		l.call.post("unlend", l.n)
	}
}

// repaid queues a reply of the page. It must not wait: it runs in a JavaScript callback.
func (c *call) repaid(m js.Value) {
	var r reply
	if json.Unmarshal(encoded(m), &r) != nil || m.Get("n").Type() != js.TypeNumber {
		return // golem.js does not send this
	}
	c.mu.Lock()
	l := c.loans[m.Get("n").Int()]
	c.mu.Unlock()
	if l == nil {
		return // the call has ended
	}
	l.mu.Lock()
	if l.size += len(r.Piece); l.size <= maxLoan {
		l.replies = append(l.replies, r)
	}
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// next waits for the next reply. If the reply is an error, next returns it as a fault,
// usually with the given code. It also fails if ctx ends or if more than maxLoan is queued.
func (l *loan) next(ctx context.Context, code fault.Code) (reply, error) {
	for {
		l.mu.Lock()
		if l.size > maxLoan {
			l.mu.Unlock()
			return reply{}, fault.New(code, "the function of the page said more than %d MiB", maxLoan>>20)
		}
		if len(l.replies) > 0 {
			r := l.replies[0]
			l.replies, l.size = l.replies[1:], l.size-len(r.Piece)
			l.mu.Unlock()
			if r.Error == nil {
				return r, nil
			}
			return r, r.Error.fault(l, code)
		}
		l.mu.Unlock()
		select {
		case <-l.more:
		case <-ctx.Done():
			return reply{}, endedBy(ctx)
		}
	}
}

// CallLent calls a function that the page provides as a tool, and returns its result.
func (c *call) CallLent(ctx context.Context, set, name string, args json.RawMessage) (json.RawMessage, error) {
	l := c.borrow("tool", set, name, args)
	defer l.giveBack()
	r, err := l.next(ctx, fault.Tool)
	return json.RawMessage(r.Piece), err
}

// lentModels returns the models that the page provides, by the prefix or name of the model.
func (c *call) lentModels(l lent) map[string]model.HTTPDoer {
	out := map[string]model.HTTPDoer{}
	for _, name := range l.Models {
		out["page:"+name] = lentModel{c, name}
	}
	if l.Device {
		out["device:"] = lentModel{c, ""}
	}
	return out
}

// lentModel is an HTTPDoer that answers chat completions requests with a function of the
// page. The name of the browser's own model is empty.
type lentModel struct {
	call *call
	name string
}

// Do calls the function and returns when its answer begins. An error with an HTTP status
// becomes a response with that status, so that golem repeats the request as for a provider.
func (m lentModel) Do(r *http.Request) (*http.Response, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	kind, name := "model", "page:"+m.name
	if m.name == "" {
		kind, name = "device", "device:"
	}
	l := m.call.borrow(kind, "", m.name, body)
	l.name = name
	first, err := l.next(r.Context(), fault.Model)
	out := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, ContentLength: -1, Request: r}
	if err != nil {
		l.giveBack()
		if first.Error == nil || first.Error.Status < 400 || first.Error.Status > 599 {
			return nil, err
		}
		data, err := json.Marshal(map[string]any{"error": first.Error})
		out.StatusCode, out.Header, out.Body = first.Error.Status, http.Header{"Content-Type": {"application/json"}}, io.NopCloser(bytes.NewReader(data))
		return out, err
	}
	s := &lentStream{ctx: r.Context(), loan: l}
	s.add(first)
	out.Body = s
	return out, nil
}

// lentStream is a function's answer as a stream of server-sent events.
type lentStream struct {
	ctx  context.Context // of the request whose body it is
	loan *loan
	rest []byte
	err  error
}

func (s *lentStream) add(r reply) {
	if r.Piece != "" {
		s.rest = append(append(append(s.rest, "data: "...), r.Piece...), "\n\n"...)
	}
	if r.Done {
		s.rest, s.err = append(s.rest, "data: [DONE]\n\n"...), io.EOF
	}
}

func (s *lentStream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		r, err := s.loan.next(s.ctx, fault.Model)
		if err != nil {
			s.err = err
			continue
		}
		s.add(r)
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *lentStream) Close() error {
	s.loan.giveBack()
	return nil
}
