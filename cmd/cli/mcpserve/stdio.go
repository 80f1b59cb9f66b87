package mcpserve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/fault"
)

// Pipe serves one client that writes to in and reads from out, one message a line. It
// returns when in ends or ctx ends; then every call has ended. Only messages of the
// protocol are written to out.
func (s *Server) Pipe(ctx context.Context, in io.Reader, out io.Writer) error {
	session, err := s.mcp.Connect(ctx, pipe{newLines(in, out)}, nil)
	if err != nil {
		return fault.Of(err, fault.Platform)
	}
	defer onClosed(ctx.Done(), func() {
		s.stop()
		session.Close() // waits for the calls, which s.stop has ended
	})()
	err = session.Wait()
	s.stop()
	s.running.Wait() // calls that wait for an answer end with their client
	if err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return fault.New(fault.Network, "the connection to the client broke: %w", err)
	}
	return nil
}

// pipe is the MCP transport over one pair of streams.
type pipe struct{ *lines }

// Connect returns the connection.
func (p pipe) Connect(context.Context) (mcp.Connection, error) { return p.lines, nil }

// lines is a connection with one JSON message a line. Unlike the connection of the SDK,
// it answers a line that is no message, or too long, with an error and goes on, so that
// one bad line does not end the client's other calls.
type lines struct {
	in     *bufio.Reader
	got    chan received
	closed chan struct{}
	once   sync.Once

	open     sync.Map       // the ids of the requests that are answered before the end of in counts
	answered sync.WaitGroup // these requests

	mu  sync.Mutex // protects out
	out io.Writer
}

type received struct {
	message jsonrpc.Message
	err     error
}

var _ mcp.Connection = (*lines)(nil)

func newLines(in io.Reader, out io.Writer) *lines {
	l := &lines{in: bufio.NewReaderSize(in, 64<<10), out: out, got: make(chan received), closed: make(chan struct{})}
	// The goroutine ends when in ends. Nothing can interrupt a read from standard
	// input, so the goroutine may live as long as the process.
	go l.read()
	return l
}

func (l *lines) read() {
	for {
		line, whole, err := l.line()
		var m received
		switch {
		case err != nil:
			m.err = err
		case !whole:
			l.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message has more than %d bytes", maxMessage))
			continue
		case len(bytes.TrimSpace(line)) == 0:
			continue
		case !json.Valid(line):
			l.refuse(jsonrpc.CodeParseError, "the line is not JSON; a message is one line of JSON")
			continue
		default:
			message, bad := jsonrpc.DecodeMessage(line)
			if bad != nil {
				l.refuse(jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC message; batches are not supported")
				continue
			}
			m.message = message
			l.expect(message)
		}
		if m.err != nil {
			l.await()
		}
		select {
		case l.got <- m:
		case <-l.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// expect notes a request that is answered before the end of in counts, as of a script that
// asks for the list of tools: every request but the call of a worker, which ends with its
// client.
func (l *lines) expect(m jsonrpc.Message) {
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && r.Method != "tools/call" {
		if _, twice := l.open.LoadOrStore(r.ID.Raw(), true); !twice {
			l.answered.Add(1)
		}
	}
}

// await waits until these requests are answered, or the connection is closed.
func (l *lines) await() {
	all := make(chan struct{})
	go func() {
		l.answered.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-l.closed:
	}
}

// line returns the next line. If the line is too long, whole is false and line is nil.
func (l *lines) line() (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			line, whole = nil, false
		}
		if whole {
			line = append(line, part...)
		}
		switch {
		case err == nil:
			return line, whole, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && (len(line) > 0 || !whole):
			return line, whole, nil
		default:
			return nil, false, err
		}
	}
}

// refuse sends an error with a null id, for a line whose request id is not known.
func (l *lines) refuse(code int64, why string) {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": why}})
	if err == nil {
		_ = l.write(text) // a client that does not read cannot be told
	}
}

func (l *lines) write(message []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.out.Write(append(message, '\n'))
	return err
}

// Read returns the next message.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-l.got:
		return m.message, m.err
	case <-l.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write writes a message as one line.
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err == nil {
		err = l.write(text)
	}
	if r, ok := m.(*jsonrpc.Response); ok {
		if _, was := l.open.LoadAndDelete(r.ID.Raw()); was {
			l.answered.Done()
		}
	}
	return err
}

// Close makes Read return io.EOF. It does not close the streams, which belong to the
// caller.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// SessionID returns "": the SDK needs no id, because a pipe has only one session.
func (l *lines) SessionID() string { return "" }
