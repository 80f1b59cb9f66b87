package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/sse"
)

// read reads the answer to a request: JSON, or a stream of events that contains it.
func (h *httpSession) read(ctx context.Context, res *http.Response, r request) (json.RawMessage, error) {
	if !isStream(res) {
		defer res.Body.Close()
		data, err := io.ReadAll(io.LimitReader(res.Body, MaxMessage+1))
		if err != nil {
			return nil, h.unreachable(err)
		}
		return h.document(ctx, data, r)
	}
	s := newStream()
	for again := 0; ; again++ {
		before := s.LastID
		result, done, err := h.events(ctx, res, s, r)
		if done || err != nil {
			return result, err
		}
		if s.LastID != before {
			again = 0
		}
		if s.LastID == "" || again == maxAgain || h.revision() >= Stateless {
			return nil, fault.New(fault.Network, "the MCP server %s broke the connection off before it answered", h.server.Name).Hinting("try again")
		}
		if res, err = h.resume(ctx, s); err != nil {
			return nil, err
		}
	}
}

func isStream(res *http.Response) bool {
	return strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
}

// document returns the answer in a JSON body.
func (h *httpSession) document(ctx context.Context, data []byte, r request) (json.RawMessage, error) {
	if len(data) > MaxMessage {
		return nil, tooLong(h.server.Name)
	}
	result, done, err := h.messages(ctx, data, r)
	if !done && err == nil {
		err = errNotRPC
	}
	return result, err
}

// messages handles one message or a batch of them until one is the answer to r.
func (h *httpSession) messages(ctx context.Context, data []byte, r request) (result json.RawMessage, done bool, err error) {
	all, err := decode(data)
	if err != nil {
		return nil, false, err
	}
	for _, m := range all {
		if result, done, err := h.handle(ctx, m, r); done {
			return result, true, err
		}
	}
	return nil, false, nil
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

// newStream returns the reader of a stream of events, which can be resumed.
func newStream() *sse.Reader { return &sse.Reader{MaxEvent: MaxMessage, MaxStream: maxStream} }

// events reads events until the answer to r comes, and closes the body. done is false if
// the stream ended or broke off without it.
func (h *httpSession) events(ctx context.Context, res *http.Response, s *sse.Reader, r request) (result json.RawMessage, done bool, err error) {
	defer res.Body.Close()
	s.Reset(res.Body)
	for event, err := range s.All() {
		switch {
		case err == sse.ErrLong:
			return nil, false, tooLong(h.server.Name)
		case err != nil:
			return nil, false, nil
		case len(event.Data) > 0:
			if result, done, err := h.messages(ctx, event.Data, r); done || err != nil {
				return result, done, err
			}
		}
	}
	return nil, false, nil
}

// resume waits as long as the server asked, and opens the stream again after its last event.
func (h *httpSession) resume(ctx context.Context, s *sse.Reader) (*http.Response, error) {
	timer := time.NewTimer(min(s.Retry, maxWait))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return h.get(ctx, s.LastID)
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
	if !isStream(res) {
		res.Body.Close()
		return nil, errNotRPC
	}
	return res, nil
}

// listen handles the server's own messages until the session ends or the server ends the
// stream. A server need not offer such a stream, so errors are ignored; golem waits for no
// part of it, because servers and what lies before them may never begin it.
func (h *httpSession) listen(changes []string) {
	s := newStream()
	for again := 0; again <= maxAgain && h.life.Err() == nil; again++ {
		if h.revision() >= Stateless {
			if _, err := h.send(h.life, MethodListen, subscription(changes), nil); err == nil || errors.As(err, new(*ServerError)) {
				return
			}
			continue
		}
		res, err := h.get(h.life, s.LastID)
		if err != nil {
			return
		}
		before := s.LastID
		if _, _, err = h.events(h.life, res, s, request{id: -1}); err != nil || s.LastID == "" {
			return
		}
		if s.LastID != before {
			again = 0
		}
	}
}
