// Package mcptest has an MCP server for tests, whose tools and answers a test sets. It uses
// streamable HTTP, over a network or in memory, or standard input and output.
package mcptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// Server is a scripted server. It is safe for concurrent use.
type Server struct {
	// Version is the revision of the protocol that it speaks; "": the one that the client
	// asks for. With mcp.Stateless it refuses a handshake.
	Version string `json:"version"`
	Session string `json:"session"` // Mcp-Session-Id; "": none
	Stream  bool   `json:"stream"`  // answers come as events
	Page    int    `json:"page"`    // tools on one page; 0: all
	Many    int    `json:"many"`    // number of tools that the server makes in addition to Tools
	Tools   []Tool `json:"tools"`
	// Changed are the tools after a call of a tool with Changes.
	Changed   []Tool                     `json:"changed"`
	Resources []map[string]any           `json:"resources"` // with text or blob
	Templates []map[string]any           `json:"templates"` // of resources
	Prompts   []map[string]any           `json:"prompts"`   // with messages
	Raw       map[string]json.RawMessage `json:"raw"`       // results by method, which replace the normal ones
	// Instructions is what it says about its use in the beginning.
	Instructions string `json:"instructions"`
	// Has replaces the capabilities that it announces; nil: those that it has.
	Has map[string]any `json:"has"`
	// Endless says that it lists tools with descriptions that are too long for golem.
	Endless bool `json:"endless"`
	// Noise are lines that it writes to standard output before each answer, and that are no
	// messages.
	Noise []string `json:"noise"`

	Cancel chan struct{} `json:"-"` // closed when a request is cancelled; may be nil
	running
}

// running is the state of a server that runs.
type running struct {
	mu   sync.Mutex
	log  []string
	now  []Tool
	tell chan struct{}
	gone bool
}

// Tool is a scripted tool.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema,omitempty"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`

	Returns  json.RawMessage `json:"returns,omitempty"` // the result; nil: a text with the arguments
	Error    string          `json:"error"`             // message of the JSON-RPC error with which it answers
	Progress []string        `json:"progress"`          // progress messages before the answer
	Hang     bool            `json:"hang"`              // never answers
	Dies     bool            `json:"dies"`              // ends the server, or its session
	Endless  bool            `json:"endless"`           // answers with a text that is too long for golem
	Changes  bool            `json:"changes"`           // replaces the tools by Changed; with Dies, in the next session
}

type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Log returns the messages that the server received, one line for each.
func (s *Server) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.log, "\n")
}

// notices returns a channel that is closed when the list of tools changes.
func (s *Server) notices() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tell == nil {
		s.tell = make(chan struct{})
	}
	return s.tell
}

// Handle answers one message. It calls out with complete messages, the answer last. It
// returns an error if the message is not JSON, the tool Dies or ctx ends.
func (s *Server) Handle(ctx context.Context, data []byte, out func([]byte)) error {
	var in incoming
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	s.mu.Lock()
	s.log = append(s.log, strings.TrimSpace(in.Method+" "+string(in.Params)))
	s.mu.Unlock()
	if in.Method == "notifications/cancelled" {
		s.cancelled()
	}
	if len(in.ID) == 0 {
		return nil
	}
	send := func(key string, value any) {
		m, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": in.ID, key: value})
		if err == nil {
			out(m)
		}
	}
	result, err := s.checked(ctx, in, out)
	var refused *refused
	switch {
	case err == errDies || ctx.Err() != nil:
		return err
	case errors.As(err, &refused):
		send("error", refused)
	case err != nil:
		send("error", map[string]any{"code": -32602, "message": err.Error()})
	default:
		send("result", result)
	}
	return nil
}

// cancelled closes Cancel.
func (s *Server) cancelled() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Cancel != nil {
		close(s.Cancel)
		s.Cancel = nil
	}
}

// refused is an error with a code of its own.
type refused struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error returns the message.
func (r *refused) Error() string { return r.Message }

var errDies = fmt.Errorf("the server ends")

func (s *Server) answer(ctx context.Context, in incoming, out func([]byte)) (any, error) {
	if raw, ok := s.Raw[in.Method]; ok {
		return raw, nil
	}
	switch in.Method {
	case "initialize":
		var p struct{ ProtocolVersion string }
		_ = json.Unmarshal(in.Params, &p) // a client without a version gets none
		if s.Version != "" {
			p.ProtocolVersion = s.Version
		}
		return map[string]any{"protocolVersion": p.ProtocolVersion, "capabilities": s.capabilities(), "serverInfo": info, "instructions": s.Instructions}, nil
	case "ping":
		return struct{}{}, nil
	case "tools/list":
		return s.list(in)
	case "tools/call":
		return s.call(ctx, in, out)
	case "resources/list":
		return map[string]any{"resources": s.Resources}, nil
	case "resources/templates/list":
		return map[string]any{"resourceTemplates": s.Templates}, nil
	case "resources/read":
		return s.named(in, "uri", s.Resources, "contents")
	case "prompts/list":
		return map[string]any{"prompts": s.Prompts}, nil
	case "prompts/get":
		return s.named(in, "name", s.Prompts, "")
	}
	return nil, fmt.Errorf("there is no method %s", in.Method)
}

var info = map[string]string{"name": "scripted", "version": "1"}

func (s *Server) capabilities() map[string]any {
	if s.Has != nil {
		return s.Has
	}
	has := map[string]any{"tools": map[string]any{"listChanged": len(s.Changed) > 0}}
	if len(s.Resources) > 0 {
		has["resources"] = map[string]any{}
	}
	if len(s.Prompts) > 0 {
		has["prompts"] = map[string]any{}
	}
	return has
}

// offered returns the tools that the server has now.
func (s *Server) offered() []Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		s.now = s.Tools
		for i := range s.Many {
			s.now = append(s.now, Tool{Name: fmt.Sprintf("made_%d", i), Description: fmt.Sprintf("does thing %d", i)})
		}
	}
	return s.now
}

func (s *Server) list(in incoming) (any, error) {
	var p struct{ Cursor string }
	_ = json.Unmarshal(in.Params, &p)
	all, from := s.offered(), 0
	_, _ = fmt.Sscan(p.Cursor, &from)
	to := len(all)
	out := map[string]any{}
	if s.Page > 0 && from+s.Page < to {
		to = from + s.Page
		out["nextCursor"] = fmt.Sprint(to)
	}
	tools := []map[string]any{}
	for _, t := range all[from:to] {
		one := map[string]any{"name": t.Name, "description": t.Description, "inputSchema": json.RawMessage(`{"type":"object"}`)}
		if s.Endless {
			one["description"] = strings.Repeat("x", 20<<20)
		}
		if t.Input != nil {
			one["inputSchema"] = t.Input
		}
		if t.Output != nil {
			one["outputSchema"] = t.Output
		}
		tools = append(tools, one)
	}
	out["tools"] = tools
	return out, nil
}

func (s *Server) call(ctx context.Context, in incoming, out func([]byte)) (any, error) {
	var p struct {
		Name      string
		Arguments json.RawMessage
		Meta      struct{ ProgressToken json.RawMessage } `json:"_meta"`
	}
	if err := json.Unmarshal(in.Params, &p); err != nil {
		return nil, err
	}
	for _, t := range s.offered() {
		if t.Name != p.Name {
			continue
		}
		for i, text := range t.Progress {
			params := map[string]any{"progressToken": p.Meta.ProgressToken, "progress": i + 1, "total": len(t.Progress), "message": text}
			if m, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": "notifications/progress", "params": params}); err == nil && len(p.Meta.ProgressToken) > 0 {
				out(m)
			}
		}
		switch {
		case t.Hang:
			<-ctx.Done()
			return nil, ctx.Err()
		case t.Dies:
			s.mu.Lock()
			if s.gone = true; t.Changes {
				s.now = s.Changed
			}
			s.mu.Unlock()
			return nil, errDies
		case t.Error != "":
			return nil, fmt.Errorf("%s", t.Error)
		case t.Endless:
			return map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Repeat("no end ", 3<<20)}}}, nil
		}
		if t.Changes {
			s.mu.Lock()
			s.now = s.Changed
			if s.tell != nil {
				close(s.tell)
			}
			s.tell = nil
			s.mu.Unlock()
			out([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
		}
		if t.Returns != nil {
			return t.Returns, nil
		}
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": t.Name + " " + string(p.Arguments)}}}, nil
	}
	return nil, fmt.Errorf("there is no tool %s", p.Name)
}

// named returns the resource or prompt that a request names, in a list called in2 unless
// that is "".
func (s *Server) named(in incoming, key string, all []map[string]any, in2 string) (any, error) {
	var p map[string]any
	if err := json.Unmarshal(in.Params, &p); err != nil {
		return nil, err
	}
	for _, one := range all {
		if one[key] == p[key] {
			if in2 != "" {
				return map[string]any{in2: []any{one}}, nil
			}
			return one, nil
		}
	}
	return nil, fmt.Errorf("there is no %s %v", key, p[key])
}

// Serve reads messages from r, one per line, and writes answers to w, until r ends or a
// tool Dies, which is an error.
func (s *Server) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	var calls sync.WaitGroup
	out := func(m []byte) {
		mu.Lock()
		defer mu.Unlock()
		for _, line := range s.Noise {
			_, _ = io.WriteString(w, line+"\n")
		}
		_, _ = w.Write(append(bytes.Clone(m), '\n'))
	}
	died := make(chan error, 1)
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		in := bufio.NewScanner(r)
		in.Buffer(nil, 16<<20)
		for in.Scan() {
			select {
			case lines <- bytes.Clone(in.Bytes()):
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case err := <-died:
			return err
		case line, ok := <-lines:
			if !ok {
				stop()
				calls.Wait()
				return nil
			}
			calls.Go(func() {
				if err := s.Handle(ctx, line, out); err == errDies {
					died <- err
				}
			})
		}
	}
}
