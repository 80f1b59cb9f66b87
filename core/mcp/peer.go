package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
)

// peer is what a session knows of its server, over any transport.
type peer struct {
	server  Server
	version string // golem's
	told    Listener

	mu     sync.Mutex
	next   int64 // the number of the last request
	agreed agreement
}

// agreement is what the beginning of a session has settled.
type agreement struct {
	revision     string // "" before the beginning
	has          map[string]json.RawMessage
	instructions string
	headers      map[string][]paramField // fields of arguments that are sent as headers, by tool
}

// transport sends the messages of a session.
type transport interface {
	// send sends a request and returns its result.
	send(ctx context.Context, method string, params any, progress func(Progress)) (json.RawMessage, error)
	// notify sends a message that has no answer.
	notify(ctx context.Context, m message) error
}

// refusal is the fault for an HTTP status with which a server answered.
type refusal struct {
	*fault.Fault
	status int
}

// Unwrap returns the fault.
func (r *refusal) Unwrap() error { return r.Fault }

// begin settles the revision. It asks for the newest one with a handshake; a server that
// refuses it is asked what it supports, as from Stateless on.
func (p *peer) begin(ctx context.Context, t transport) error {
	raw, err := t.send(ctx, MethodInitialize, map[string]any{
		"protocolVersion": Latest, "capabilities": struct{}{}, "clientInfo": p.client(),
	}, nil)
	if refusesHandshake(err) && p.discover(ctx, t) == nil {
		return nil
	}
	if err != nil {
		return err
	}
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil || in == nil {
		return errNotRPC
	}
	revision := text(in["protocolVersion"])
	if revision == Stateless {
		return p.discover(ctx, t)
	}
	if !slices.Contains(Revisions, revision) {
		return fault.New(fault.Tool, "the MCP server %s speaks the protocol version %s, and golem speaks %s", p.server.Name, fault.Quoted(revision), strings.Join(Revisions, ", "))
	}
	p.agree(agreement{revision: revision, has: fields(in["capabilities"]), instructions: text(in["instructions"])})
	return t.notify(ctx, message{Method: NotificationInitialized})
}

// refusesHandshake reports whether an error means that the server does not know the
// handshake.
func refusesHandshake(err error) bool {
	var wire *ServerError
	var status *refusal
	switch {
	case errors.As(err, &wire):
		return true
	case errors.As(err, &status):
		return slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnprocessableEntity, http.StatusNotImplemented}, status.status)
	}
	return false
}

// discover asks a server without a handshake what it has.
func (p *peer) discover(ctx context.Context, t transport) (err error) {
	p.mu.Lock()
	before := p.agreed
	p.mu.Unlock()
	defer func() {
		if err != nil {
			p.agree(before)
		}
	}()
	p.agree(agreement{revision: Stateless})
	raw, err := t.send(ctx, MethodDiscover, map[string]any{}, nil)
	if err != nil {
		return err
	}
	var in map[string]json.RawMessage
	var supported []string
	if json.Unmarshal(raw, &in) != nil || in == nil || json.Unmarshal(in["supportedVersions"], &supported) != nil {
		return errNotRPC
	}
	if !slices.Contains(supported, Stateless) {
		return fault.New(fault.Tool, "the MCP server %s speaks the protocol versions %s, and golem speaks %s", p.server.Name, Plain(strings.Join(supported, ", "), 200), strings.Join(Revisions, ", "))
	}
	p.agree(agreement{revision: Stateless, has: fields(in["capabilities"]), instructions: text(in["instructions"])})
	return nil
}

// text returns a JSON string's text, "" for anything else.
func text(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// fields returns the fields of a JSON object, nil for anything else.
func fields(raw json.RawMessage) (out map[string]json.RawMessage) {
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

func (p *peer) client() map[string]string {
	return map[string]string{"name": "golem", "version": p.version}
}

func (p *peer) agree(a agreement) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.agreed = a
}

// revision returns the revision of the session, "" before its beginning.
func (p *peer) revision() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.agreed.revision
}

// Has reports whether the server said in the beginning that it has what.
func (p *peer) Has(what string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.agreed.has[what]
	return ok
}

// Instructions returns what the server said in the beginning about its use, as it said it.
func (p *peer) Instructions() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.agreed.instructions
}

// listsTold returns the lists about whose changes the server tells.
func (p *peer) listsTold() (out []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, what := range lists {
		if string(fields(p.agreed.has[what])["listChanged"]) == "true" {
			out = append(out, what)
		}
	}
	return out
}

// subscription returns the parameters of the request for messages about changes, which
// servers of Stateless want.
func subscription(changes []string) map[string]any {
	wanted := map[string]bool{}
	for _, what := range changes {
		wanted[what+"ListChanged"] = true
	}
	return map[string]any{"notifications": wanted}
}

// number returns the number of a new request and its parameters, with the fields that the
// revision requires.
func (p *peer) number(params any, progress func(Progress)) (request, any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	r := request{id: p.next, progress: progress}
	given, ok := params.(map[string]any)
	if !ok || progress == nil && p.agreed.revision < Stateless {
		return r, params
	}
	meta := map[string]any{}
	if progress != nil {
		meta["progressToken"] = r.id
	}
	if p.agreed.revision >= Stateless {
		meta[MetaRevision], meta[MetaClient], meta[MetaCapabilities] = p.agreed.revision, p.client(), struct{}{}
	}
	out := maps.Clone(given)
	out["_meta"] = meta
	return r, out
}

// heard handles a message that is not an answer. progress returns the receiver of the
// progress of a request, by its token; reply sends the answer to a request.
func (p *peer) heard(m received, progress func(token string) func(Progress), reply func(message)) {
	switch {
	case m.hasID():
		reply(refusing(m))
	case m.Method == NotificationProgress:
		var in struct {
			Token    json.RawMessage `json:"progressToken"`
			Progress float64         `json:"progress"`
			Total    float64         `json:"total"`
			Message  string          `json:"message"`
		}
		if json.Unmarshal(m.Params, &in) != nil {
			return
		}
		if news := progress(unquoted(in.Token)); news != nil {
			news(Progress{Done: in.Progress, Total: in.Total, Message: in.Message})
		}
	default:
		for _, what := range lists {
			if m.Method == notificationChanged(what) {
				p.told.Changed(what)
			}
		}
	}
}

// refusing returns the answer to a request of a server. golem answers pings and refuses
// everything else.
func refusing(m received) message {
	if m.Method == MethodPing {
		return message{ID: m.ID, Result: struct{}{}}
	}
	return message{ID: m.ID, Error: map[string]any{"code": CodeUnknownMethod, "message": "golem does not offer " + Plain(m.Method, 80)}}
}
