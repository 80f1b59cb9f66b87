package acpcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	acp "github.com/coder/acp-go-sdk"

	"golem/core/approval"
	"golem/core/fault"
)

// maxRequests is how many requests of the client are carried out at the same time.
const maxRequests = 128

// method carries out one method of the client.
type method func(ctx context.Context, params json.RawMessage) (any, error)

// request returns a method with a result.
func request[P, R any](do func(context.Context, P) (R, error)) method {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, acp.NewInvalidParams(map[string]any{"error": err.Error()})
		}
		return do(ctx, p)
	}
}

// withServers accepts an empty list of MCP servers in the forms in which Lua writes it.
func withServers(do method) method {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(params, &fields) == nil && fields != nil {
			switch string(bytes.TrimSpace(fields["mcpServers"])) {
			case "", "null", "{}":
				fields["mcpServers"] = json.RawMessage("[]")
				if again, err := json.Marshal(fields); err == nil {
					params = again
				}
			}
		}
		return do(ctx, params)
	}
}

// methods returns what the agent can do.
func (a *agent) methods() map[string]method {
	return map[string]method{
		acp.AgentMethodInitialize:             request(a.initialize),
		acp.AgentMethodAuthenticate:           request(a.authenticate),
		acp.AgentMethodSessionNew:             withServers(request(a.newSession)),
		acp.AgentMethodSessionLoad:            withServers(request(a.loadSession)),
		acp.AgentMethodSessionResume:          withServers(request(a.resumeSession)),
		acp.AgentMethodSessionList:            request(a.listSessions),
		acp.AgentMethodSessionClose:           request(a.closeSession),
		acp.AgentMethodSessionSetMode:         request(a.setMode),
		acp.AgentMethodSessionSetConfigOption: request(a.setOption),
		acp.AgentMethodSessionSetModel:        request(a.setModel),
		acp.AgentMethodSessionCancel:          request(a.cancel),
	}
}

// handle carries out a message of the client. It tells the reader that it has begun when the
// next message may be read.
func (a *agent) handle(ctx context.Context, name string, params json.RawMessage) (result any, failed *acp.RequestError) {
	begun := func() { a.began <- struct{}{} }
	defer func() {
		if p := recover(); p != nil { // of the SDK's decoding
			result, failed = nil, acp.NewInternalError(map[string]any{"error": "golem could not read this message"})
		}
	}()
	defer a.requests.Add(-1)
	if a.requests.Add(1) > maxRequests {
		begun()
		return nil, answerTo(fault.New(fault.Busy, "%d requests run at the moment", maxRequests).Hinting("send it again when one of them has ended"))
	}
	do := a.known[name]
	switch {
	case name == acp.AgentMethodSessionPrompt:
		return a.promptRequest(ctx, params, begun)
	case name == acp.AgentMethodSessionCancel:
		defer begun() // a prompt that follows is a new one
	default:
		begun()
	}
	if do == nil {
		return nil, acp.NewMethodNotFound(name)
	}
	if a.client.Load() == nil && name != acp.AgentMethodInitialize && name != acp.AgentMethodSessionCancel {
		return nil, acp.NewInvalidRequest(map[string]any{"error": "the first request is initialize"})
	}
	out, err := do(ctx, params)
	return out, answerTo(err)
}

// answerTo returns an error as an answer to the client; nil for none.
func answerTo(err error) *acp.RequestError {
	var known *acp.RequestError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	}
	faults := fault.Of(err, fault.Config)
	var all fault.List
	if errors.As(err, &all) && len(all) > 0 {
		faults = all[0]
	}
	code := acp.NewInternalError(nil).Code
	switch faults.Code {
	case fault.Usage, fault.Path, fault.ToolInput, fault.Attachment:
		code = acp.NewInvalidParams(nil).Code
	case fault.NotFound:
		code = resourceNotFound
	case fault.Interrupted:
		code = acp.NewRequestCancelled(nil).Code
	}
	text := faults.Error()
	if n := len(all); n > 1 {
		text += fmt.Sprintf(" (and %d more: golem check shows them)", n-1)
	}
	text, _ = approval.Visible(text)
	return &acp.RequestError{Code: code, Message: text, Data: map[string]any{"code": string(faults.Code)}}
}

// resourceNotFound is the protocol's code for a session or a file that does not exist.
const resourceNotFound = -32002
