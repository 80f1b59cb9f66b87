package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"golem/core/fault"
)

// versions are the protocol versions that the session of this package knows, newest first.
var versions = []string{"2025-11-25", "2025-06-18", "2025-03-26"}

// message is one JSON-RPC message.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

// received is a message from a server.
type received struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// decode reads a message, or a batch of them.
func decode(data []byte) ([]received, error) {
	var many []received
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		if json.Unmarshal(data, &many) == nil && len(many) <= 1000 {
			return many, nil
		}
		return nil, errNotRPC
	}
	var one received
	if json.Unmarshal(data, &one) != nil {
		return nil, errNotRPC
	}
	return []received{one}, nil
}

var errNotRPC = fault.New(fault.Tool, "the server sent something that is not a message of MCP").
	Hinting("check that the url is that of an MCP server")

// request is a request that waits for its answer.
type request struct {
	id       int64
	progress func(Progress)
}

func (r request) rawID() json.RawMessage { return strconv.AppendInt(nil, r.id, 10) }

// take handles one message from the server while r waits for its answer. done is true if
// the message is that answer.
func (h *httpSession) take(ctx context.Context, m received, r request) (result json.RawMessage, done bool, err error) {
	noID, mine := len(m.ID) == 0 || string(m.ID) == "null", string(m.ID) == string(r.rawID())
	switch {
	case m.Method == "" && m.Error != nil && (noID || mine): // without an id, the server could not read the request
		return nil, true, &ServerError{Code: m.Error.Code, Message: m.Error.Message}
	case m.Method == "" && mine:
		return m.Result, true, nil
	case m.Method == "":
		return nil, false, nil // the answer to another request: nobody waits for it here
	case !noID:
		h.answer(ctx, m)
	case m.Method == "notifications/progress" && r.progress != nil:
		var p struct {
			Token    json.RawMessage `json:"progressToken"`
			Progress float64         `json:"progress"`
			Total    float64         `json:"total"`
			Message  string          `json:"message"`
		}
		if json.Unmarshal(m.Params, &p) == nil && string(p.Token) == string(r.rawID()) {
			r.progress(Progress{Done: p.Progress, Total: p.Total, Message: p.Message})
		}
	default:
		h.notified(m.Method)
	}
	return nil, false, nil
}

// notified calls changed if the notification says that a list changed.
func (h *httpSession) notified(method string) {
	for _, what := range lists {
		if method == "notifications/"+what+"/list_changed" {
			h.changed(what)
		}
	}
}

var lists = []string{"tools", "resources", "prompts"}
