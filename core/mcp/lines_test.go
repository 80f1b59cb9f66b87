package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/mcp/mcptest"
)

// overLines connects to a program in memory, which serve plays.
func overLines(t *testing.T, serve func(ctx context.Context, in io.Reader, out io.Writer)) *mcp.Connection {
	return mcp.Host{Dialer: dialer(func(ctx context.Context, s mcp.Server, told mcp.Listener) (mcp.Session, error) {
		in, stdin := io.Pipe()
		stdout, out := io.Pipe()
		life, stop := context.WithCancel(context.WithoutCancel(ctx))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			serve(life, in, out)
			in.Close()
			out.Close()
		}()
		return mcp.Lines(ctx, s, "test", told, mcp.Program{Out: stdout, In: stdin, Process: process(func() {
			stop()
			stdin.Close()
			stdout.Close()
			<-ended
		})})
	})}.Connect(mcp.Server{Name: "scripted", Command: "x"})
}

// dialer is a Dialer.
type dialer func(ctx context.Context, s mcp.Server, told mcp.Listener) (mcp.Session, error)

func (d dialer) Dial(ctx context.Context, s mcp.Server, told mcp.Listener) (mcp.Session, error) {
	return d(ctx, s, told)
}

// process is a process that a function ends.
type process func()

func (p process) End()      { p() }
func (process) Last() error { return errors.New("the server ended") }

// The session with a program passes the suite. The test runs natively and as js/wasm.
func TestLines(t *testing.T) {
	mcptest.Suite(t, func(t *testing.T, s *mcptest.Server) *mcp.Connection {
		return overLines(t, func(ctx context.Context, in io.Reader, out io.Writer) {
			_ = s.Serve(ctx, in, out) // a tool that dies ends it
		})
	})
}

// Lines that are no messages are skipped, with one warning that shows the first; so are a
// byte order mark, blank lines and brackets without end.
func TestNoise(t *testing.T) {
	s := &mcptest.Server{Tools: []mcptest.Tool{{Name: "ok"}}, Noise: []string{"\xef\xbb\xbfStarting v1.0\u202e…", "", strings.Repeat("[", 2000), `{"a":1}`, "7", `"x"`}}
	c := overLines(t, func(ctx context.Context, in io.Reader, out io.Writer) {
		_, _ = io.WriteString(out, "\xef\xbb\xbf\r\n")
		_ = s.Serve(ctx, in, out)
	})
	defer c.Close()
	for range 2 {
		if out, err := c.Client().Call(t.Context(), "ok", json.RawMessage(`{}`), nil); err != nil || out.Text != "ok {}" {
			t.Fatalf("%q %v", out.Text, err)
		}
	}
	if w := c.Warnings(); len(w) != 1 || !strings.Contains(w.Error(), `The first: Starting v1.0\u202e…`) {
		t.Error(w)
	}
}

// An id that comes back as a string is that id.
func TestIDsAsStrings(t *testing.T) {
	s := &mcptest.Server{Tools: []mcptest.Tool{{Name: "ok"}}}
	c := overLines(t, func(ctx context.Context, in io.Reader, out io.Writer) {
		_ = s.Serve(ctx, in, quoting{out})
	})
	defer c.Close()
	if out, err := c.Client().Call(t.Context(), "ok", json.RawMessage(`{}`), nil); err != nil || out.Text != "ok {}" {
		t.Fatalf("%q %v", out.Text, err)
	}
}

// quoting writes messages with their ids as strings.
type quoting struct{ io.Writer }

func (q quoting) Write(p []byte) (int, error) {
	var m map[string]json.RawMessage
	if json.Unmarshal(p, &m) != nil {
		return q.Writer.Write(p)
	}
	m["id"] = json.RawMessage(`"` + string(m["id"]) + `"`)
	data, err := json.Marshal(m)
	if err == nil {
		_, err = q.Writer.Write(append(data, '\n'))
	}
	return len(p), err
}

// A program that ends before the handshake, one that never answers, one that does not read
// and one whose line does not end are told apart.
func TestProgramsThatDoNotBegin(t *testing.T) {
	for want, serve := range map[string]func(context.Context, io.Reader, io.Writer){
		"E_TOOL: the MCP server scripted failed at the beginning of the session: the server ended": func(context.Context, io.Reader, io.Writer) {},
		"E_TIMEOUT: the MCP server scripted did not answer the handshake within 1m0s":              func(ctx context.Context, in io.Reader, _ io.Writer) { _, _ = io.Copy(io.Discard, in) },
		"E_TIMEOUT: the MCP server scripted did not answer the handshake within 1m0s; not reading": func(ctx context.Context, _ io.Reader, _ io.Writer) { <-ctx.Done() },
		"E_LIMIT: the MCP server scripted sent a message of more than 8388608 bytes": func(ctx context.Context, in io.Reader, out io.Writer) {
			go func() { _, _ = io.Copy(io.Discard, in) }()
			_, _ = out.Write(bytes.Repeat([]byte("x"), 2*mcp.MaxMessage))
			<-ctx.Done()
		},
	} {
		want, _, _ = strings.Cut(want, ";")
		synctest.Test(t, func(t *testing.T) {
			c := overLines(t, serve)
			err := c.Open(t.Context())
			var f *fault.Fault
			if !errors.As(err, &f) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
