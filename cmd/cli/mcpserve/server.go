// Package mcpserve offers callables to clients of the Model Context Protocol, over
// standard input and output or over HTTP on this machine. Each call is one run: its
// progress goes to the client, its questions are put to the client's user
// (elicitation), and it ends when the client cancels it or goes away. The package does
// not know projects: its caller provides the tools.
package mcpserve

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/approval"
	"golem/core/fault"
	protocol "golem/core/mcp"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/ui"
)

// Tool is one tool that clients can call.
type Tool struct {
	Name        string
	Description string
	// Input is the JSON Schema of the arguments; it must describe an object. If it is
	// nil, the tool has one argument, a text with the name input.
	Input json.RawMessage
	// Optional says that this text may be missing or empty.
	Optional bool
	// Output is the JSON Schema of the result, of an object; nil: the result is text.
	Output json.RawMessage
	// Digest names the definitions that a call runs: an answer to a question counts only
	// while they are the same.
	Digest string
	// Run carries out one call. It returns when ctx ends.
	Run func(ctx context.Context, c Call, front ui.UI) run.Result
	// Started returns how often a call of a kept conversation, by its id in the trace, has
	// begun to run; with "" all calls. It is used only if Run calls Call.Kept.
	Started func(conversation, call string) (int, error)
}

// Call is one call of a tool.
type Call struct {
	Input run.Input
	// Resume is the conversation of an interrupted call to go on with; "": a new call.
	Resume string
	// Kept is called before the first question, with the conversation in which the call is
	// kept. It is not called if the call is not kept.
	Kept func(conversation string)
}

// Limits of a server.
const (
	maxMessage  = 4 << 20 // bytes of one message of a client
	maxCalls    = 16      // calls that run at the same time
	maxSessions = 64      // sessions over HTTP at the same time
)

// Server is an MCP server with the tools of one project. It is safe for concurrent use.
type Server struct {
	mcp     *mcp.Server // speaks every revision
	shaking *mcp.Server // speaks those with a handshake: the SDK's HTTP handler with sessions takes no other
	calls   atomic.Int64
	parked  *parked
	running sync.WaitGroup // parked calls
	stopped chan struct{}  // ends every call
	stop    func()
	// asking has a channel for each session that lets only one question be open at a
	// time.
	mu     sync.Mutex
	asking map[*mcp.ServerSession]chan struct{}
	posts  posts // used over HTTP only
}

// New returns a server for the tools. It fails with fault.Schema if the SDK refuses the
// schema of a tool.
func New(version, instructions string, tools []Tool) (*Server, error) {
	s := &Server{stopped: make(chan struct{}), asking: map[*mcp.ServerSession]chan struct{}{}, parked: newParked(memoryStore())}
	s.stop = sync.OnceFunc(func() { close(s.stopped) })
	speaking := func(revisions []string) *mcp.Server {
		return mcp.NewServer(&mcp.Implementation{Name: "golem", Version: version}, &mcp.ServerOptions{
			Instructions: instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
			SupportedProtocolVersions: revisions,
		})
	}
	s.mcp, s.shaking = speaking(protocol.Revisions), speaking(protocol.Shaking())
	for _, t := range tools {
		if err := s.add(t); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// textInput is the input schema of a tool whose only argument is a text, optionalText
// the one where the text may be missing.
const (
	textInput    = `{"type":"object","properties":{"input":{"type":"string","description":"the task"}},"required":["input"],"additionalProperties":false}`
	optionalText = `{"type":"object","properties":{"input":{"type":"string","description":"the task"}},"additionalProperties":false}`
)

// add registers a tool. The SDK panics if it refuses a schema, and a project's file may
// contain such a schema; add therefore turns the panic into a fault.
func (s *Server) add(t Tool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Schema, "%s cannot be offered over MCP: %v", t.Name, p).Hinting("change its input_schema or output_schema")
		}
	}()
	out := &mcp.Tool{Name: t.Name, Description: t.Description, InputSchema: withDialect(t.Input)}
	switch {
	case t.Input == nil && t.Optional:
		out.InputSchema = json.RawMessage(optionalText)
	case t.Input == nil:
		out.InputSchema = json.RawMessage(textInput)
	}
	if t.Output != nil {
		out.OutputSchema = t.Output
	}
	for _, one := range []*mcp.Server{s.mcp, s.shaking} {
		one.AddTool(out, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, t, r), nil
		})
	}
	return nil
}

// withDialect returns an input schema with $schema set to the dialect of all golem
// schemas. Output schemas are left without it: clients compile them, and some clients
// know only an older dialect.
func withDialect(schema json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(schema, &fields) != nil || fields == nil {
		return schema
	}
	fields["$schema"] = json.RawMessage(`"https://json-schema.org/draft/2020-12/schema"`)
	out, err := json.Marshal(fields)
	if err != nil {
		return schema
	}
	return out
}

// call runs a tool for a client. At most maxCalls calls run at the same time; more fail
// with fault.Busy.
func (s *Server) call(ctx context.Context, t Tool, r *mcp.CallToolRequest) *mcp.CallToolResult {
	defer s.calls.Add(-1)
	if s.calls.Add(1) > maxCalls {
		return failed(fault.New(fault.Busy, "%d calls run at the moment", maxCalls).Hinting("call again when one of them has ended"))
	}
	in, err := input(t, r.Params.Arguments)
	if err != nil {
		return failed(fault.Of(err, fault.ToolInput))
	}
	if r.ProtocolVersion() >= protocol.Stateless {
		if r.Extra != nil {
			inner, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			defer s.posts.whenGone(r.Extra.Header, func() { cancel(fault.New(fault.Interrupted, "the client is gone")) })()
			ctx = inner
		}
		return s.parkedCall(ctx, t, r, in)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer onClosed(s.stopped, func() { cancel(fault.New(fault.Interrupted, "golem was stopped")) })()
	if r.Extra != nil {
		defer s.posts.whenGone(r.Extra.Header, func() { cancel(fault.New(fault.Interrupted, "the client is gone")) })()
	}
	front := &front{turn: s.askingTurn(r.Session)}
	front.elicit = func(ctx context.Context, shown *mcp.ElicitParams, _ approval.Request, _ int) (*mcp.ElicitResult, error) {
		return r.Session.Elicit(ctx, shown)
	}
	if p := r.Session.InitializeParams(); p != nil {
		front.forms = forms(p.Capabilities)
	}
	stop := front.report(ctx, r.Session, r.Params.GetProgressToken())
	res := t.Run(ctx, Call{Input: in, Kept: func(string) {}}, front)
	stop()
	return result(t, res)
}

// onClosed calls do if happens is closed before stop is called. stop waits for a do that
// has begun.
func onClosed(happens <-chan struct{}, do func()) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-happens:
			do()
		case <-end:
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// input converts a client's arguments to the input of a run. It returns fault.ToolInput
// for arguments that do not fit a tool that takes one text.
func input(t Tool, args json.RawMessage) (run.Input, error) {
	if len(bytes.TrimSpace(args)) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	if t.Input != nil {
		return run.Input{JSON: args}, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(args, &fields); err != nil {
		return run.Input{}, fault.New(fault.ToolInput, "the arguments of %s are not a JSON object", t.Name).Hinting(`for example {"input": "…"}`)
	}
	var in run.Input
	for name, value := range fields {
		if name != "input" {
			return run.Input{}, fault.New(fault.ToolInput, "%s has no argument %s", t.Name, fault.Quoted(name)).Hinting("its only argument is input, a string")
		}
		if json.Unmarshal(value, &in.Text) != nil || string(value) == "null" {
			return run.Input{}, fault.New(fault.ToolInput, "the argument input of %s is not a string", t.Name).Hinting(`for example {"input": "…"}`)
		}
	}
	if in.Text == "" && !t.Optional {
		return run.Input{}, fault.New(fault.ToolInput, "%s needs the argument input", t.Name).Hinting(`for example {"input": "…"}`)
	}
	return in, nil
}

// result converts the result of a run to the result that the client gets.
func result(t Tool, res run.Result) *mcp.CallToolResult {
	if res.Error != nil {
		return failed(res.Error)
	}
	out := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: res.Output.String()}}}
	if data := bytes.TrimSpace(res.Output.Data); t.Output != nil && len(data) > 0 && data[0] == '{' {
		out.StructuredContent = json.RawMessage(data)
	}
	for _, p := range res.Output.Parts {
		out.Content = append(out.Content, part(p))
	}
	if note := denials(res); note != "" {
		out.Content = append(out.Content, &mcp.TextContent{Text: note})
	}
	return out
}

func part(p tool.Part) mcp.Content {
	if p.Type == "image" {
		return &mcp.ImageContent{Data: p.Data, MIMEType: p.MIME}
	}
	return &mcp.TextContent{Text: fmt.Sprintf("[%s %s: %s, base64] %s", p.Type, p.Name, p.MIME, base64.StdEncoding.EncodeToString(p.Data))}
}

// denials returns a note that names the calls that were denied because nobody could be
// asked. The worker's answer may not mention them.
func denials(res run.Result) string {
	if len(res.Denied) == 0 {
		return ""
	}
	names := make([]string, len(res.Denied))
	for i, d := range res.Denied {
		names[i] = d.Tool + " (call " + d.ID + ")"
	}
	return "golem: denied, because nobody could be asked: " + strings.Join(names, ", ")
}

// failed returns a fault as a tool result, in the JSON form in which golem's own models
// get it.
func failed(f *fault.Fault) *mcp.CallToolResult {
	body := map[string]any{"error": map[string]string{"code": string(f.Code), "message": f.Message, "hint": f.Hint}}
	if f.Hint == "" {
		delete(body["error"].(map[string]string), "hint")
	}
	text, err := json.Marshal(body)
	if err != nil { // unreachable: strings always encode
		text = []byte(f.Code)
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}

// askingTurn returns the channel that lets one call of a session ask at a time. It also
// removes the channels of closed sessions.
func (s *Server) askingTurn(session *mcp.ServerSession) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	turn := s.asking[session]
	if turn == nil {
		live := map[*mcp.ServerSession]bool{}
		for _, server := range []*mcp.Server{s.mcp, s.shaking} {
			for one := range server.Sessions() {
				live[one] = true
			}
		}
		for old := range s.asking {
			if !live[old] {
				delete(s.asking, old)
			}
		}
		turn = make(chan struct{}, 1)
		turn <- struct{}{}
		s.asking[session] = turn
	}
	return turn
}
