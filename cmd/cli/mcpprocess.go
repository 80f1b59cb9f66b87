package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/fault"
	"golem/core/mcp"
)

// serverProcess is an MCP server that golem has started. It has a process group of its
// own, which is ended with the session.
type serverProcess struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr tail
	stop   context.CancelFunc
	ended  chan struct{}
}

// serverEnv are the environment variables that every server gets. API keys are never
// among them.
var serverEnv = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SHELL",
	// Windows cannot start programs without these.
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES",
}

// tail is a writer that keeps the last maxTail bytes.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const maxTail = 4 << 10 // bytes

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-maxTail):]...)
	t.text = slices.Clone(t.text[max(0, len(t.text)-maxTail):])
	return len(p), nil
}

// String returns these bytes as text.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text), "\uFFFD")
}

const (
	serverGrace  = time.Second            // how long a server may take to end by itself, once its input is closed
	readingGrace = time.Minute            // how long it may take to read one message
	killGrace    = 300 * time.Millisecond // from SIGTERM until the process is killed for sure
)

func startServer(s mcp.Server, root string, env []string) (*serverProcess, error) {
	life, stop := context.WithCancel(context.Background())
	program := s.Command
	if strings.ContainsAny(program, `/\`) && !filepath.IsAbs(program) {
		program = filepath.Join(root, program)
	}
	p := &serverProcess{cmd: exec.CommandContext(life, program, s.Args...), stop: stop, ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = root, env
	p.cmd.Stderr, p.cmd.WaitDelay = &p.stderr, killGrace
	detach(p.cmd)
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err == nil {
		if p.stdout, err = p.cmd.StdoutPipe(); err == nil {
			err = p.cmd.Start()
		}
	}
	if err != nil {
		stop()
		return nil, fault.New(fault.Tool, "the MCP server %s could not be started: %s", s.Name, cause(err)).
			Hinting("check command in toolsets.mcp.%s, and that the program is installed", s.Name)
	}
	return p, nil
}

// transport returns the transport to the process, with one message a line.
func (p *serverProcess) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: &shallow{ReadCloser: p.stdout}, Writer: impatient{p.stdin, readingGrace}, MaxLineLength: mcp.MaxMessage}
}

// impatient is the input of a server. A server that does not read a message within limit
// loses its input: otherwise the call that writes it would never return.
type impatient struct {
	io.WriteCloser
	limit time.Duration
}

// Write writes a message.
func (w impatient) Write(b []byte) (int, error) {
	if f, ok := w.WriteCloser.(*os.File); ok {
		_ = f.SetWriteDeadline(time.Now().Add(w.limit)) // where pipes have no deadlines, the end of the process ends the write
	}
	n, err := w.WriteCloser.Write(b)
	if err != nil {
		w.WriteCloser.Close() // nothing may follow half a message
	}
	return n, err
}

// end ends the process and all that it has started.
func (p *serverProcess) end() {
	p.stdin.Close()
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the error only says that the process was ended
	}()
	select {
	case <-p.ended:
	case <-time.After(serverGrace):
	}
	p.stop()
	<-p.ended
	endGroup(p.cmd)
}

// last returns the error that the server ended, with the last text that its process
// wrote to standard error.
func (p *serverProcess) last() error {
	text := ""
	if p != nil {
		text = strings.TrimSpace(p.stderr.String())
	}
	if text == "" {
		return errEnded
	}
	return errors.New("the program ended: " + text[max(0, len(text)-500):])
}

// explained adds what the program wrote to standard error to the error of a handshake.
func (p *serverProcess) explained(name string, err error) error {
	text := strings.TrimSpace(p.stderr.String())
	if text == "" {
		return err
	}
	return fault.New(fault.Tool, "the MCP server %s did not begin a session; its program said: %s", name, mcp.Plain(text[max(0, len(text)-500):], 600)).
		Hinting("start the program by hand to see what is wrong")
}

// serverEnvironment returns the environment of a server: the variables of serverEnv,
// and those that the worker sets for it.
func (h *host) serverEnvironment(named map[string]string) []string {
	env := []string{"GOLEM=1"}
	for name, value := range h.env {
		if _, own := named[name]; !own && slices.Contains(serverEnv, strings.ToUpper(name)) {
			env = append(env, name+"="+value)
		}
	}
	for name, value := range named {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// serverTransport returns the transport to a server over streamable HTTP. If the
// worker's file sets no Authorization header, requests carry the token of the person's
// sign-in.
func (h *host) serverTransport(s mcp.Server) sdk.Transport {
	client := newHTTPClient()
	t := &serverHTTP{server: s, next: client.Transport}
	if store := h.secretStore(); store != nil && !slices.ContainsFunc(slices.Collect(maps.Keys(s.Headers)), func(name string) bool { return strings.EqualFold(name, "Authorization") }) {
		t.tokens = &serverTokens{server: s, store: store}
	}
	client.Transport = t
	return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxRetries: 3, MaxEventSize: mcp.MaxMessage}
}

// serverHTTP is an HTTP transport that adds the configured headers to each request and
// limits the size of the answer.
type serverHTTP struct {
	server mcp.Server
	next   http.RoundTripper
	tokens *serverTokens // nil: no sign-in is used
}

// RoundTrip sends a request. It returns an HTTP error status as a fault, unless the SDK
// has to handle it.
func (t *serverHTTP) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range t.server.Headers {
		r.Header.Set(name, value)
	}
	send := t.next.RoundTrip
	if t.tokens != nil {
		send = func(r *http.Request) (*http.Response, error) { return t.tokens.send(r, t.next) }
	}
	res, err := send(r)
	var own *fault.Fault
	if err != nil {
		if r.Context().Err() != nil || errors.As(err, &own) {
			return nil, err
		}
		return nil, fault.New(fault.Network, "the MCP server %s cannot be reached: %s", t.server.Name, mcp.Plain(cause(err), 300)).
			Hinting("check url in toolsets.mcp.%s, and that the server runs", t.server.Name)
	}
	switch {
	case res.StatusCode == http.StatusNotFound && r.Header.Get("Mcp-Session-Id") != "", res.StatusCode == http.StatusMethodNotAllowed && r.Method == http.MethodGet:
		return res, nil // the session has ended, or the server offers no stream
	case res.StatusCode >= 300 && r.Method == http.MethodPost:
		res.Body.Close()
		if t.tokens != nil {
			if f := t.tokens.wanted(res); f != nil {
				return nil, f
			}
		}
		return nil, mcp.StatusFault(t.server.Name, res.StatusCode)
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		res.Body = &bounded{ReadCloser: res.Body, left: mcp.MaxMessage}
	}
	res.Body = &shallow{ReadCloser: res.Body}
	return res, nil
}

// bounded is a body that may have at most left more bytes. After that, Read returns
// errTooLong.
type bounded struct {
	io.ReadCloser
	left int64
}

var errTooLong = errors.New("the message is too long")

// Read reads up to the limit.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
