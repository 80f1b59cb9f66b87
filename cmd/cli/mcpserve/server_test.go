package mcpserve

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/approval"
	"golem/core/fault"
	protocol "golem/core/mcp"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
	"golem/core/ui"
)

// serve returns a client of a server with these tools, over a pipe.
func serve(t *testing.T, client *mcp.ClientOptions, tools ...Tool) *mcp.ClientSession {
	t.Helper()
	session, _ := connect(t, client, tools...)
	return session
}

// connect does the same as serve; cut closes the pipe without ending the session. The
// session begins with a handshake.
func connect(t *testing.T, client *mcp.ClientOptions, tools ...Tool) (_ *mcp.ClientSession, cut func()) {
	return connectAs(t, protocol.Latest, client, tools...)
}

// connectAs connects with a revision of the protocol.
func connectAs(t *testing.T, revision string, client *mcp.ClientOptions, tools ...Tool) (_ *mcp.ClientSession, cut func()) {
	t.Helper()
	s, err := New("test", "", tools)
	if err != nil {
		t.Fatal(err)
	}
	here, there := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Pipe(t.Context(), there, there) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, client).Connect(t.Context(), &mcp.IOTransport{Reader: here, Writer: here}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		here.Close()
		<-ended
	})
	return session, func() { here.Close() }
}

func call(t *testing.T, s *mcp.ClientSession, name string, args any) (*mcp.CallToolResult, string) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return res, text(res)
}

func text(res *mcp.CallToolResult) string {
	var all []string
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			all = append(all, c.Text)
		}
	}
	return strings.Join(all, "\n")
}

func echo(_ context.Context, c Call, _ ui.UI) run.Result {
	return run.Result{Status: run.OK, Output: tool.Output{Text: string(c.Input.Raw())}}
}

// Arguments are checked: those that do not fit are a coded fault of the call, and
// nothing runs.
func TestArguments(t *testing.T) {
	object := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	s := serve(t, nil,
		Tool{Name: "text", Run: echo}, Tool{Name: "free", Optional: true, Run: echo},
		Tool{Name: "typed", Input: object, Output: object, Run: func(context.Context, Call, ui.UI) run.Result {
			return run.Result{Status: run.OK, Output: tool.Output{Kind: "json", Data: json.RawMessage(`{"n":2}`), Parts: []tool.Part{{Type: "image", MIME: "image/png", Data: []byte("x")}}}}
		}},
		Tool{Name: "bad", Run: func(context.Context, Call, ui.UI) run.Result {
			return run.Result{Status: run.Failed, Error: fault.New(fault.Turns, "too many").Hinting("fewer")}
		}})
	for _, c := range []struct {
		name string
		args any
		want string
	}{
		{"text", map[string]any{"input": "hi"}, `"hi"`}, {"free", nil, `""`},
		{"text", nil, `E_TOOL_INPUT`}, {"text", map[string]any{"input": 3}, `not a string`}, {"text", map[string]any{"input": nil}, `not a string`},
		{"text", map[string]any{"input": "a", "Input": "b"}, `no argument \"Input\"`}, {"text", []int{1}, `not a JSON object`},
		{"bad", map[string]any{"input": "x"}, `{"error":{"code":"E_TURNS","hint":"fewer","message":"too many"}}`},
	} {
		res, got := call(t, s, c.name, c.args)
		if !strings.Contains(got, c.want) || res.IsError != strings.Contains(got, `"error"`) {
			t.Errorf("%s %v: %v %s", c.name, c.args, res.IsError, got)
		}
	}
	res, _ := call(t, s, "typed", map[string]any{"n": 1})
	if structured, ok := res.StructuredContent.(map[string]any); !ok || structured["n"] != 2.0 || len(res.Content) != 2 {
		t.Errorf("%+v", res)
	}
	if _, err := New("test", "", []Tool{{Name: "t", Input: json.RawMessage(`{"type":"string"}`)}}); fault.Of(err, "").Code != fault.Schema {
		t.Error(err)
	}
}

func ask(kind approval.Kind) approval.Request {
	return approval.Request{
		ID: "q", Kind: kind, Title: "really?", Tool: "write_file", Type: "tool_call", Risk: "medium",
		Args: json.RawMessage(`{"text":"` + strings.Repeat("abc\u202e\u001b[2J def ", 1000) + `"}`), Answers: []approval.Answer{approval.Yes, approval.No, approval.Session, approval.Keep},
	}
}

// asking returns a tool that asks a question and returns the answer.
func asking(kind approval.Kind) Tool {
	return Tool{Name: "ask", Optional: true, Run: func(ctx context.Context, _ Call, front ui.UI) run.Result {
		d, err := front.Approve(ctx, ask(kind))
		out := string(d.Answer) + " " + d.Reason + d.Text
		if err != nil {
			out = "error " + err.Error()
		}
		return run.Result{Status: run.OK, Output: tool.Output{Text: out}}
	}}
}

// Only an answer that was selected by its name approves. A question is plain text, in
// pages, and can be answered on the last one.
func TestQuestions(t *testing.T) {
	var seen []string
	var reply func(*mcp.ElicitParams) *mcp.ElicitResult
	options := &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		seen = append(seen, r.Params.Message)
		return reply(r.Params), nil
	}}
	chosen := func(answer string) func(*mcp.ElicitParams) *mcp.ElicitResult {
		return func(p *mcp.ElicitParams) *mcp.ElicitResult {
			schema, _ := json.Marshal(p.RequestedSchema)
			if strings.Contains(string(schema), `"more"`) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "more"}}
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer, "reason": "because"}}
		}
	}
	s := serve(t, options, asking(approval.KindTool))
	for want, how := range map[string]func(*mcp.ElicitParams) *mcp.ElicitResult{
		"yes because": chosen("yes"), "no because": chosen("no"),
		"no ":       func(*mcp.ElicitParams) *mcp.ElicitResult { return &mcp.ElicitResult{Action: "decline"} },
		"error EOF": func(*mcp.ElicitParams) *mcp.ElicitResult { return &mcp.ElicitResult{Action: "cancel"} },
	} {
		seen, reply = nil, how
		if _, got := call(t, s, "ask", nil); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	seen, reply = nil, chosen("yes")
	call(t, s, "ask", nil)
	all := strings.Join(seen, "")
	if len(seen) < 2 || strings.ContainsAny(all, "\x1b\u202e") || !strings.Contains(all, `\u{1b}`) || strings.Count(all, "def") < 1000 || !strings.Contains(seen[0], "Risk: medium") {
		t.Errorf("%d pages: %q…", len(seen), short(all, 2000))
	}
	// An answer that was not offered, and an accepted form without an answer, count as
	// no.
	for _, content := range []map[string]any{{}, {"answer": "keep"}, {"answer": true}, {"answer": "YES"}, {"answer": "always"}, {"answer": "session"}, {"answer": "never"}} {
		reply = func(*mcp.ElicitParams) *mcp.ElicitResult {
			return &mcp.ElicitResult{Action: "accept", Content: content}
		}
		if _, got := call(t, s, "ask", nil); strings.HasPrefix(got, "yes") || strings.HasPrefix(got, "keep") || strings.HasPrefix(got, "always") || strings.HasPrefix(got, "session") || strings.HasPrefix(got, "never") {
			t.Errorf("%v: %s", content, got)
		}
	}
	reply = func(*mcp.ElicitParams) *mcp.ElicitResult {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"text": "blue"}}
	}
	if _, got := call(t, serve(t, options, asking(approval.KindInput)), "ask", nil); got != "yes blue" {
		t.Error(got)
	}
	// Only the person at this machine decides about trust, whatever the client answers.
	// A client that cannot ask its user counts as nobody.
	reply = chosen("yes")
	for _, s := range []*mcp.ClientSession{serve(t, options, asking(approval.KindTrust)), serve(t, nil, asking(approval.KindTool))} {
		if _, got := call(t, s, "ask", nil); got != "error "+approval.ErrNobody.Error() {
			t.Error(got)
		}
	}
}

// Progress is sent, escaped, while a call runs. A client that cancels, or goes away,
// ends its call.
func TestProgressAndCancelling(t *testing.T) {
	heard := make(chan string, 64)
	options := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		heard <- r.Params.Message
	}}
	ended := make(chan error, 4)
	waiting := Tool{Name: "wait", Optional: true, Run: func(ctx context.Context, _ Call, front ui.UI) run.Result {
		front.Emit(trace.Event{Body: trace.Progress{Description: "main\x1b[1m", Status: "running", Task: strings.Repeat("é", 300)}})
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return run.Result{Status: run.Interrupted, Error: fault.Of(context.Cause(ctx), fault.Interrupted)}
	}}
	s, cut := connect(t, options, waiting)
	ctx, cancel := context.WithCancel(t.Context())
	params := &mcp.CallToolParams{Name: "wait"}
	params.SetProgressToken("p")
	done := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, params)
		done <- err
	}()
	if got := <-heard; !strings.HasPrefix(got, `main\u{1b}[1m: running: éé`) || len(got) > maxTold+len("…") {
		t.Errorf("%q", got)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("not cancelled")
	}
	if err := <-done; err == nil {
		t.Error("the call has a result")
	}
	go s.CallTool(t.Context(), params)
	<-heard
	cut()
	if err := <-ended; err == nil {
		t.Error("the call goes on without its client")
	}
}

// A line that is not a message is answered, and the calls of the client go on.
func TestBadLines(t *testing.T) {
	s, err := New("test", "", []Tool{{Name: "text", Run: echo}})
	if err != nil {
		t.Fatal(err)
	}
	in, write := io.Pipe()
	read, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Pipe(t.Context(), in, out) }()
	lines := bufio.NewReaderSize(read, 1<<20)
	for _, c := range []struct{ send, want string }{
		{"{bad", `-32700`}, {"42", `-32600`}, {`[]`, `-32600`}, {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `-32600`}, {"\n\"\xff\"", `-32`},
		{strings.Repeat("x", maxMessage+1), `-32600`}, {`{"jsonrpc":"2.0","id":` + strings.Repeat("[", 20000) + `}`, `-32700`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"text"}}`, `"error"`}, // before initialize
		{`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, `"protocolVersion":"2025-11-25"`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"none"}}`, `"error"`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"text","arguments":{"input":"ok"}}}`, `\"ok\"`},
	} {
		if _, err := io.WriteString(write, c.send+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil || !json.Valid([]byte(line)) || !strings.Contains(line, c.want) {
			t.Fatalf("%.80s: %v %.300s", c.send, err, line)
		}
	}
	write.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The last line of a client may have no line end. If it is too long, it is refused as any
// other long line.
func TestLongLastLine(t *testing.T) {
	s, err := New("test", "", []Tool{{Name: "echo", Run: echo}})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := s.Pipe(t.Context(), strings.NewReader(strings.Repeat("x", maxMessage+1)), &out); err != nil {
		t.Error(err)
	}
	if got := out.String(); !strings.Contains(got, `-32600`) || strings.Count(got, "\n") != 1 {
		t.Error(got)
	}
}

// A client that sends its requests and ends, as printf in a pipe does, gets the answers.
func TestLastRequestsAreAnswered(t *testing.T) {
	s, err := New("test", "", []Tool{{Name: "echo", Run: echo}})
	if err != nil {
		t.Fatal(err)
	}
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"two","method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"nope"}
`
	var out strings.Builder
	if err := s.Pipe(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"id":1,"result"`, `"id":"two","result"`, `"id":3,"error"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
}

// Calls and sessions are bounded.
func TestBounds(t *testing.T) {
	begun, release := make(chan bool, maxCalls), make(chan bool)
	s := serve(t, nil, Tool{Name: "wait", Optional: true, Run: func(context.Context, Call, ui.UI) run.Result {
		begun <- true
		<-release
		return run.Result{Status: run.OK}
	}})
	done := make(chan bool, maxCalls)
	for range maxCalls {
		go func() {
			s.CallTool(t.Context(), &mcp.CallToolParams{Name: "wait"})
			done <- true
		}()
	}
	for range maxCalls {
		<-begun
	}
	if res, got := call(t, s, "wait", nil); !res.IsError || !strings.Contains(got, "E_BUSY") {
		t.Error(got)
	}
	close(release)
	for range maxCalls {
		<-done
	}
}
