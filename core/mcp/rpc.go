package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"golem/core/fault"
)

// message is one JSON-RPC message.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

// encode returns the message as JSON.
func (m message) encode() ([]byte, error) {
	m.JSONRPC = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return nil, fault.New(fault.ToolInput, "the request cannot be encoded: %w", err)
	}
	if len(body) > MaxMessage {
		return nil, fault.New(fault.Limit, "the request has %d bytes; at most %d can be sent", len(body), MaxMessage)
	}
	return body, nil
}

// received is a message from a server.
type received struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (m received) hasID() bool { return len(m.ID) > 0 && string(m.ID) != "null" }

// failed reports whether the message is an error.
func (m received) failed() bool {
	return m.Method == "" && len(m.Error) > 0 && string(m.Error) != "null"
}

// outcome returns the result or the error of an answer.
func (m received) outcome() (json.RawMessage, error) {
	if !m.failed() {
		return m.Result, nil
	}
	out, in := &ServerError{}, fields(m.Error)
	_ = json.Unmarshal(in["code"], &out.Code) // 0 if it is not a number
	if out.Message = text(in["message"]); in == nil {
		out.Message = text(m.Error)
	}
	return nil, out
}

// unquoted returns an id as text. Some servers send a number back as a string.
func unquoted(id json.RawMessage) string { return strings.Trim(string(id), `"`) }

// mark is the byte order mark, with which some servers begin.
var mark = []byte("\xef\xbb\xbf")

// decode reads a message, or a batch of them.
func decode(data []byte) ([]received, error) {
	data = bytes.TrimPrefix(data, mark)
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

// receiver returns the receiver of the progress of r, if token is its token.
func (r request) receiver(token string) func(Progress) {
	if token == string(r.rawID()) {
		return r.progress
	}
	return nil
}
