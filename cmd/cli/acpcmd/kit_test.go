package acpcmd

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"
	"github.com/spf13/pflag"

	"golem/cmd/cli/console"
	"golem/cmd/cli/home"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/telemetry"
)

// files writes the files of a new directory and returns it, without links.
func files(t *testing.T, all map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range all {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// agentOf starts golem acp for a test, with a GOLEM_HOME of its own, and returns the client's
// ends of its pipes. ended is closed when it has ended.
func agentOf(t *testing.T, dir, home0 string, args ...string) (to io.WriteCloser, from io.ReadCloser, ended <-chan struct{}) {
	t.Helper()
	if home0 == "" {
		home0 = t.TempDir()
	}
	c := console.New(home.Env{"GOLEM_HOME": home0, "HOME": t.TempDir(), "PATH": os.Getenv("PATH")}, dir)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	c.In, c.Out, c.Err = null, null, null
	f := &runflags.Flags{Command: "run"}
	set := pflag.NewFlagSet("acp", pflag.ContinueOnError)
	f.Add(set, "serve")
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	sender, err := telemetry.New(c, telemetry.Wanted{URL: f.OTLP, Contents: f.OTLPContents})
	if err != nil {
		t.Fatal(err)
	}
	in, to := io.Pipe()
	from, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer out.Close()
		defer sender.Close()
		serve(t.Context(), c, f, set.Args(), sender, in, out)
	}()
	t.Cleanup(func() {
		to.Close()
		from.Close()
		<-done
		null.Close()
	})
	return to, from, done
}

// editor is a client for tests.
type editor struct {
	*acp.ClientSideConnection
	t  *testing.T
	to io.WriteCloser

	mu      sync.Mutex
	changed *sync.Cond
	updates []acp.SessionNotification
	asked   []acp.RequestPermissionRequest
	answer  func(acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error)
	buffers map[string]string // unsaved, by path
	wrote   map[string]string
	methods []string // that golem called, other than updates
}

func (*editor) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	panic("golem uses the client's terminal")
}
func (*editor) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	panic("golem uses the client's terminal")
}
func (*editor) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	panic("golem uses the client's terminal")
}
func (*editor) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	panic("golem uses the client's terminal")
}
func (*editor) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	panic("golem uses the client's terminal")
}

func (e *editor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, n)
	e.changed.Broadcast()
	return nil
}

func (e *editor) RequestPermission(_ context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	e.mu.Lock()
	e.asked = append(e.asked, r)
	e.changed.Broadcast()
	answer := e.answer
	e.mu.Unlock()
	return answer(r)
}

func (e *editor) ReadTextFile(_ context.Context, r acp.ReadTextFileRequest) (out acp.ReadTextFileResponse, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.methods = append(e.methods, "read "+r.Path)
	text, ok := e.buffers[r.Path]
	if !ok {
		var data []byte
		data, err = os.ReadFile(r.Path)
		text = string(data)
	}
	return acp.ReadTextFileResponse{Content: text}, err
}

func (e *editor) WriteTextFile(_ context.Context, r acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.methods = append(e.methods, "write "+r.Path)
	e.wrote[r.Path] = r.Content
	if _, ok := e.buffers[r.Path]; ok {
		e.buffers[r.Path] = r.Content
	}
	return acp.WriteTextFileResponse{}, os.WriteFile(r.Path, []byte(r.Content), 0o644)
}

type (
	permission = acp.RequestPermissionRequest
	permitted  = acp.RequestPermissionResponse
)

// chooses returns an answer with one option.
func chooses(option string) func(acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	return func(acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(acp.PermissionOptionId(option))}, nil
	}
}

// newEditor returns a client that has initialized. It says yes to each question.
func newEditor(t *testing.T, dir, home string, args ...string) *editor {
	t.Helper()
	to, from, _ := agentOf(t, dir, home, args...)
	return connected(t, to, from)
}

func connected(t *testing.T, to io.WriteCloser, from io.Reader) *editor {
	t.Helper()
	e := &editor{t: t, to: to, answer: chooses("yes"), buffers: map[string]string{}, wrote: map[string]string{}}
	e.changed = sync.NewCond(&e.mu)
	ready := make(chan struct{})
	e.ClientSideConnection = acp.NewClientSideConnection(e, to, waiting{from, ready})
	e.SetLogger(slog.New(slog.DiscardHandler))
	close(ready)
	res, err := e.Initialize(t.Context(), acp.InitializeRequest{
		ProtocolVersion:    acp.ProtocolVersionNumber,
		ClientCapabilities: acp.ClientCapabilities{Terminal: true, Fs: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}},
	})
	if err != nil || res.ProtocolVersion != 1 || !res.AgentCapabilities.LoadSession || !res.AgentCapabilities.PromptCapabilities.Image {
		t.Fatalf("%+v %v", res, err)
	}
	return e
}

// waiting is a reader that begins when the connection has its logger.
type waiting struct {
	io.Reader
	until <-chan struct{}
}

func (w waiting) Read(p []byte) (int, error) {
	<-w.until
	return w.Reader.Read(p)
}

// begin begins a session.
func (e *editor) begin(cwd string) acp.NewSessionResponse {
	e.t.Helper()
	s, err := e.NewSession(e.t.Context(), acp.NewSessionRequest{Cwd: cwd, McpServers: []acp.McpServer{}})
	if err != nil {
		e.t.Fatal(err)
	}
	return s
}

// say sends a text, and returns how the answer ended.
func (e *editor) say(id acp.SessionId, text string) acp.StopReason {
	e.t.Helper()
	res, err := e.Prompt(e.t.Context(), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(text)}})
	if err != nil {
		e.t.Fatalf("%q: %v", text, err)
	}
	return res.StopReason
}

// until waits until what the client saw satisfies a condition.
func (e *editor) until(is func() bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for !is() {
		e.changed.Wait()
	}
}

// seen returns what the client saw of a session, one line for each update; parts of a text are
// joined.
func (e *editor) seen(id acp.SessionId) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return seen(e.updates, id)
}

// forget forgets the updates so far.
func (e *editor) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates, e.asked = nil, nil
}

func seen(updates []acp.SessionNotification, id acp.SessionId) string {
	var b strings.Builder
	last := ""
	text := func(who string, c acp.ContentBlock) {
		if last != who {
			b.WriteString("\n" + who + ": ")
		}
		last = who
		if c.Text != nil {
			b.WriteString(c.Text.Text)
		}
	}
	for _, n := range updates {
		if n.SessionId != id {
			continue
		}
		u := n.Update
		switch {
		case u.AgentMessageChunk != nil:
			text("agent", u.AgentMessageChunk.Content)
			continue
		case u.AgentThoughtChunk != nil:
			text("thought", u.AgentThoughtChunk.Content)
			continue
		case u.UserMessageChunk != nil:
			text("user", u.UserMessageChunk.Content)
			continue
		}
		last = ""
		line, _ := json.Marshal(u)
		b.WriteString("\n" + string(line))
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// raw is a client that sends lines as they are.
type raw struct {
	t    *testing.T
	to   io.WriteCloser
	from *bufio.Scanner
}

func newRaw(t *testing.T, dir string, args ...string) (*raw, <-chan struct{}) {
	t.Helper()
	to, from, ended := agentOf(t, dir, "", args...)
	s := bufio.NewScanner(from)
	s.Buffer(nil, 64<<20)
	return &raw{t, to, s}, ended
}

// send sends a line.
func (r *raw) send(line string) {
	r.t.Helper()
	if _, err := io.WriteString(r.to, line+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

// message is one message of golem.
type message struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
	} `json:"error"`
	JSONRPC string `json:"jsonrpc"`
}

// next returns the next message that is no update.
func (r *raw) next() message {
	r.t.Helper()
	for r.from.Scan() {
		var m message
		if err := json.Unmarshal(r.from.Bytes(), &m); err != nil || m.JSONRPC != "2.0" {
			r.t.Fatalf("no message of the protocol: %q", r.from.Text())
		}
		if m.Method != "session/update" {
			return m
		}
	}
	r.t.Fatalf("golem ended: %v", r.from.Err())
	return message{}
}

// begin initializes and begins a session.
func (r *raw) begin(cwd string) string {
	r.t.Helper()
	r.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
	r.next()
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": map[string]any{"cwd": cwd, "mcpServers": []any{}}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.send(string(line))
	var s struct{ SessionID string }
	if m := r.next(); m.Error != nil || json.Unmarshal(m.Result, &s) != nil {
		r.t.Fatalf("%+v", m.Error)
	}
	return s.SessionID
}
