package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall/js"
	"time"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/wasmtool"
)

// server answers the page's messages. Each call runs in its own goroutine, so that a long
// call does not delay others.
type server struct {
	scope  js.Value // the worker's global
	stores *stores
	git    gitProgram
	drafts drafts // of code and tests
	script javascript

	mu        sync.Mutex
	calls     map[int]*call                // the open calls, by id
	breathed  time.Time                    // when breathe last let JavaScript run
	libraries map[string]*wasmtool.Library // by engine
}

// call is one method call of the page that is not answered yet.
type call struct {
	server *server
	id     int
	params json.RawMessage
	bytes  js.Value // undefined if the message had none
	ctx    context.Context
	cancel context.CancelCauseFunc

	answers chan json.RawMessage // answers to approval requests; each has the id of its request
	said    chan message         // messages of the person, in a chat
	ended   chan struct{}        // closed when the page ends the chat
	endOnce sync.Once

	mu     sync.Mutex
	chat   *run.Session            // the session of a chat; nil: there is none yet
	wanted approval.Permission     // what the page asked for before that
	stop   context.CancelCauseFunc // ends the current exchange of a chat; nil: there is none
	begun  bool                    // the chat has had an exchange, or waited for a message
	loans  map[int]*loan           // open calls of functions of the page, by number
	lent   int                     // the number of the last loan
}

func newServer(scope js.Value) *server {
	return &server{scope: scope, stores: &stores{}, calls: map[int]*call{}, libraries: map[string]*wasmtool.Library{}}
}

// receive takes a message of the page: a new call, or a message for an open one. It must not
// wait, because it runs in a JavaScript callback.
func (s *server) receive(m js.Value) {
	id := m.Get("id").Int()
	if method := m.Get("method"); method.Type() == js.TypeString {
		ctx, cancel := context.WithCancelCause(context.Background())
		c := &call{
			server: s, id: id, params: encoded(m.Get("params")), bytes: m.Get("bytes"), ctx: ctx, cancel: cancel,
			answers: make(chan json.RawMessage, 64), said: make(chan message, 64), ended: make(chan struct{}),
		}
		s.mu.Lock()
		s.calls[id] = c
		s.mu.Unlock()
		go c.serve(method.String())
		return
	}
	s.mu.Lock()
	c := s.calls[id]
	s.mu.Unlock()
	if c != nil {
		c.receive(m)
	}
}

// receive takes one more message of the page for an open call.
func (c *call) receive(m js.Value) {
	has := func(name string) bool { return !m.Get(name).IsUndefined() }
	switch {
	case has("answer"):
		offer(c.answers, encoded(m.Get("answer")))
	case has("lent"):
		c.repaid(m.Get("lent"))
	case has("permission"):
		c.permit(approval.Permission(m.Get("permission").String()))
	case has("say"):
		offer(c.said, messageOf(m))
	case has("end"):
		c.endOnce.Do(func() { close(c.ended) })
	case has("cancel"):
		c.cancel(errInterrupted)
	case has("stop"):
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case c.stop != nil:
			c.stop(errInterrupted)
		case !c.begun: // the first message is not sent yet, and must not be sent
			c.cancel(errInterrupted)
		}
	}
}

var _ core.ChatHost = pageChat{}

// Opened keeps the session of a chat, and sets the permission that the page asked for
// meanwhile.
func (c pageChat) Opened(s *run.Session) {
	c.mu.Lock()
	c.chat = s
	wanted := c.wanted
	c.mu.Unlock()
	if wanted != "" {
		permit(s, wanted)
	}
}

// permit sets the permission of a chat, also while an exchange runs.
func (c *call) permit(p approval.Permission) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.chat == nil {
		c.wanted = p
		return
	}
	go permit(c.chat, p) // it must not wait in a JavaScript callback
}

// permit sets the permission of a session, and shows an error in the chat.
func permit(s *run.Session, p approval.Permission) {
	if err := s.Approvals().Permit(p); err != nil {
		s.Say("error", fault.Of(err, fault.Usage).Error())
	}
}

var errInterrupted = fault.New(fault.Interrupted, "interrupted")

// pageChat is the host of a chat.
type pageChat struct {
	core.PlainChat
	*call
}

// Exchange returns the context of one exchange of a chat, and the function to call at its
// end. The page's message stop ends that context.
func (c pageChat) Exchange(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	set := func(to context.CancelCauseFunc) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.stop, c.begun = to, true
	}
	set(cancel)
	return ctx, func() {
		set(nil)
		cancel(nil)
	}
}

// offer sends v without waiting. If the channel is full, v is lost: then the page has sent
// more than golem asked for.
func offer[T any](ch chan T, v T) {
	select {
	case ch <- v:
	default:
	}
}

// serve runs the method and replies once. A panic becomes an error reply.
func (c *call) serve(method string) {
	defer func() {
		if p := recover(); p != nil {
			c.reply(nil, nil, fault.New(fault.Tool, "golem crashed: %v", p).Hinting("reload the page; this is an error in golem"))
		}
		c.cancel(context.Canceled)
		c.server.mu.Lock()
		delete(c.server.calls, c.id)
		c.server.mu.Unlock()
	}()
	f, ok := methods[method]
	if !ok {
		c.reply(nil, nil, fault.New(fault.Usage, "there is no method %q", method))
		return
	}
	result, data, err := f(c)
	c.reply(result, data, err)
}

// decode parses the parameters of the call; it fails with E_USAGE.
func (c *call) decode(into any) error {
	if err := json.Unmarshal(c.params, into); err != nil {
		return fault.New(fault.Usage, "the parameters are not valid: %w", err)
	}
	return nil
}

func (c *call) reply(result any, data []byte, err error) {
	m := map[string]any{"id": c.id}
	if err != nil {
		m["error"] = decoded(faultOf(err))
	} else {
		m["result"] = decoded(result)
	}
	if data != nil {
		array := js.Global().Get("Uint8Array").New(len(data))
		js.CopyBytesToJS(array, data)
		m["bytes"] = array
		c.server.scope.Call("golemTell", m, []any{array.Get("buffer")})
		return
	}
	c.server.scope.Call("golemTell", m)
}

// faultOf returns an error in the form that the page expects: a fault. For several faults it
// returns the first one, with the rest in the field others.
func faultOf(err error) any {
	if list, ok := err.(fault.List); ok && len(list) > 0 {
		return struct {
			*fault.Fault
			Others fault.List `json:"others,omitempty"`
		}{list[0], list[1:]}
	}
	code := fault.Platform
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = fault.NotFound
	case errors.Is(err, fs.ErrExist):
		code = fault.Conflict
	}
	return fault.Of(err, code)
}

// post sends the page the message {id, NAME: v} for this call.
func (c *call) post(name string, v any) {
	c.server.scope.Call("golemTell", map[string]any{"id": c.id, name: v})
}

// encoded returns a JavaScript value as JSON, and "null" for undefined.
func encoded(v js.Value) json.RawMessage {
	if v.IsUndefined() || v.IsNull() {
		return json.RawMessage("null")
	}
	return json.RawMessage(js.Global().Get("JSON").Call("stringify", v).String())
}

// decoded converts a Go value to a JavaScript value, through JSON. If that fails, it returns
// the error's text.
func decoded(v any) js.Value {
	if is, ok := v.(js.Value); ok {
		return is
	}
	raw, err := json.Marshal(v)
	if err != nil {
		raw = fmt.Appendf(nil, "%q", err.Error())
	}
	return js.Global().Get("JSON").Call("parse", string(raw))
}
