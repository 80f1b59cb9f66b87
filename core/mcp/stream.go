package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"golem/core/fault"
)

// Limits of a stream of events.
const (
	maxStream = 64 << 20         // bytes of an answer and everything before it
	maxAgain  = 3                // how often a stream is resumed that broke off without a new event
	maxWait   = 10 * time.Second // the longest wait before that, if the server asks for one
)

// read reads the answer to a request: JSON, or a stream of events that contains it.
func (h *httpSession) read(ctx context.Context, res *http.Response, r request) (json.RawMessage, error) {
	if !events(res) {
		defer res.Body.Close()
		data, err := io.ReadAll(io.LimitReader(res.Body, MaxMessage+1))
		if err != nil {
			return nil, h.unreachable(err)
		}
		return h.document(ctx, data, r)
	}
	s := stream{}
	for again := 0; ; again++ {
		before := s.last
		result, done, err := h.events(ctx, res, &s, r)
		if done || err != nil {
			return result, err
		}
		if s.last != before {
			again = 0
		}
		if s.last == "" || again == maxAgain || h.revision() >= Stateless {
			return nil, fault.New(fault.Network, "the MCP server %s broke the connection off before it answered", h.server.Name).Hinting("try again")
		}
		if res, err = h.resume(ctx, s); err != nil {
			return nil, err
		}
	}
}

func events(res *http.Response) bool {
	return strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
}

// document returns the answer in a JSON body.
func (h *httpSession) document(ctx context.Context, data []byte, r request) (json.RawMessage, error) {
	if len(data) > MaxMessage {
		return nil, tooLong(h.server.Name)
	}
	all, err := decode(data)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if result, done, err := h.handle(ctx, m, r); done {
			return result, err
		}
	}
	return nil, errNotRPC
}

// handle handles one message from the server while r waits for its answer. done is true if
// the message is that answer. An error without an id is the answer, too: the server could
// not read the request.
func (h *httpSession) handle(ctx context.Context, m received, r request) (result json.RawMessage, done bool, err error) {
	mine := unquoted(m.ID) == string(r.rawID())
	switch {
	case m.Method == "" && (mine || !m.hasID() && m.failed()):
		result, err = m.outcome()
		return result, true, err
	case m.Method == "": // the answer to another request: nobody waits for it here
	default:
		h.heard(m, r.receiver, func(out message) { h.reply(ctx, out) })
	}
	return nil, false, nil
}

func tooLong(server string) *fault.Fault {
	return fault.New(fault.Limit, "the MCP server %s sent a message of more than %d bytes", server, MaxMessage).Hinting("ask it for less at once")
}

// stream is the position in a stream of events, from which it can be resumed.
type stream struct {
	last string        // id of the last event
	wait time.Duration // time to wait before resuming
	size int64         // bytes so far
	cr   bool          // the last line ended with CR, so a following LF belongs to it
}

// events reads events until the answer to r comes, and closes the body. done is false if
// the stream ended without it. At the end of the stream, an event without its blank line
// is used if its data is complete JSON.
func (h *httpSession) events(ctx context.Context, res *http.Response, s *stream, r request) (result json.RawMessage, done bool, err error) {
	defer res.Body.Close()
	in := bufio.NewReaderSize(res.Body, 16<<10)
	s.cr = false
	var data []byte
	if begin, err := in.Peek(len(mark)); err == nil && bytes.Equal(begin, mark) {
		in.Discard(len(mark))
	}
	for {
		line, err := s.line(in, MaxMessage-len(data))
		s.size += int64(len(line)) + 1
		if err == errLong || s.size > maxStream {
			return nil, true, tooLong(h.server.Name)
		}
		if err != nil && len(line) == 0 { // the stream ended or broke off
			if !json.Valid(data) {
				return nil, false, nil
			}
			return h.event(ctx, data, r)
		}
		name, value, _ := strings.Cut(string(line), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case len(line) == 0 && len(data) > 0:
			if result, done, err = h.event(ctx, data, r); done || err != nil {
				return result, true, err
			}
			data = nil
		case name == "data":
			data = append(append(data, value...), '\n')
		case name == "id" && len(value) < 1<<10:
			s.last = value
		case name == "retry":
			if ms, err := time.ParseDuration(value + "ms"); err == nil {
				s.wait = min(max(ms, 0), maxWait)
			}
		}
	}
}

func (h *httpSession) event(ctx context.Context, data []byte, r request) (json.RawMessage, bool, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, false, nil // an event that only sets the id
	}
	all, err := decode(data)
	if err != nil {
		return nil, true, err
	}
	for _, m := range all {
		if result, done, err := h.handle(ctx, m, r); done {
			return result, true, err
		}
	}
	return nil, false, nil
}

var errLong = fault.New(fault.Limit, "a line is too long")

// line reads a line of at most limit bytes and returns it without its end, which is LF, CR
// or CR LF.
func (s *stream) line(in *bufio.Reader, limit int) (line []byte, err error) {
	for {
		c, err := in.ReadByte()
		second := s.cr && c == '\n'
		s.cr = c == '\r'
		switch {
		case err != nil || !second && (c == '\n' || c == '\r'):
			return line, err
		case second:
		case len(line) == limit:
			return nil, errLong
		default:
			line = append(line, c)
		}
	}
}

// resume waits as long as the server asked, and opens the stream again after its last event.
func (h *httpSession) resume(ctx context.Context, s stream) (*http.Response, error) {
	timer := time.NewTimer(s.wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return h.get(ctx, s.last)
}

// get opens a stream of the server's own messages. last is the id of the last event of an
// earlier stream; "" starts a new one. The caller must close the body.
func (h *httpSession) get(ctx context.Context, last string) (*http.Response, error) {
	req, err := h.request(ctx, http.MethodGet, nil)
	if err != nil {
		return nil, err
	}
	if last != "" {
		req.Header.Set("Last-Event-Id", last)
	}
	res, err := h.do.Do(req)
	if err != nil {
		return nil, h.unreachable(err)
	}
	if err := h.status(req, res); err != nil {
		res.Body.Close()
		return nil, err
	}
	if !events(res) {
		res.Body.Close()
		return nil, errNotRPC
	}
	return res, nil
}

// listen handles the server's own messages until the session ends or the server ends the
// stream. A server need not offer such a stream, so errors are ignored; golem waits for no
// part of it, because servers and what lies before them may never begin it.
func (h *httpSession) listen(changes []string) {
	s := stream{}
	for again := 0; again <= maxAgain && h.life.Err() == nil; again++ {
		if h.revision() >= Stateless {
			if _, err := h.send(h.life, "subscriptions/listen", subscription(changes), nil); err == nil || errors.As(err, new(*ServerError)) {
				return
			}
			continue
		}
		res, err := h.get(h.life, s.last)
		if err != nil {
			return
		}
		before := s.last
		if _, _, err = h.events(h.life, res, &s, request{id: -1}); err != nil || s.last == "" {
			return
		}
		if s.last != before {
			again = 0
		}
	}
}
