package mcphost

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/mcp"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
)

// serverProcess is an MCP server that golem has started. It has a process group of its
// own, which is ended with the session.
type serverProcess struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr saidLines
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
	p.cmd.Dir, p.cmd.Env = filepath.Join(root, filepath.FromSlash(s.Cwd)), env
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
		return nil, fault.New(fault.Tool, "the MCP server %s could not be started: %s", s.Name, disk.Cause(err)).
			Hinting("check command in toolsets.mcp.%s, and that the program is installed", s.Name)
	}
	return p, nil
}

// program returns the process as a program that speaks MCP.
func (p *serverProcess) program() mcp.Program {
	return mcp.Program{Out: p.stdout, In: impatient{p.stdin, readingGrace}, Process: p}
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

// End ends the process and all that it has started.
func (p *serverProcess) End() {
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

// Last returns the error that the server ended, with what its process wrote to standard
// error about that.
func (p *serverProcess) Last() error {
	if words := p.stderr.reason(); words != "" {
		return errors.New("the program ended: " + words)
	}
	return errors.New("the server ended")
}

// serverEnvironment returns the environment of a server: the variables of serverEnv,
// and those that the worker sets for it.
func serverEnvironment(c *console.Console, named map[string]string) []string {
	env := []string{"GOLEM=1"}
	for name, value := range c.Env {
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

// serverHTTP is an HTTP transport that adds the configured headers to each request and
// limits the size of the answer.
type serverHTTP struct {
	server mcp.Server
	next   http.RoundTripper
	tokens *serverTokens // nil: no sign-in is used
}

// RoundTrip sends a request. A status that says that the server wants a sign-in, or a
// wider one, is returned as a fault.
func (t *serverHTTP) RoundTrip(r *http.Request) (*http.Response, error) {
	send := t.next.RoundTrip
	if t.tokens != nil {
		send = func(r *http.Request) (*http.Response, error) { return t.tokens.send(r, t.next) }
	}
	res, err := send(r.Clone(r.Context()))
	var own *fault.Fault
	if err != nil {
		if r.Context().Err() != nil || errors.As(err, &own) {
			return nil, err
		}
		return nil, fault.New(fault.Network, "the MCP server %s cannot be reached: %s", t.server.Name, mcp.Plain(disk.Cause(err), 300)).
			Hinting("check url in toolsets.mcp.%s, and that the server runs", t.server.Name)
	}
	if t.tokens != nil {
		if f := t.tokens.wanted(res); f != nil {
			res.Body.Close()
			return nil, f
		}
	}
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
