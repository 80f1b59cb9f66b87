package acpcmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	acp "github.com/coder/acp-go-sdk"
)

// maxMessage is the longest message of a client, in bytes. It is what the SDK reads.
const maxMessage = 10 << 20

// lines gives the SDK the client's messages, one line each, in their order: the next one is
// read only after the handler of the one before has begun. It answers what is not a message
// itself, because the SDK would print it and go on.
type lines struct {
	in     *bufio.Reader
	refuse func(*acp.RequestError)
	asked  func()          // is called for each request
	open   <-chan struct{} // closed when the connection is ready
	closed <-chan struct{}
	began  chan struct{} // gets a value when a handler has begun
	waits  bool
	rest   []byte
}

// Read reads a part of one message.
func (l *lines) Read(p []byte) (int, error) {
	<-l.open
	for len(l.rest) == 0 {
		if l.waits {
			l.waits = false
			select {
			case <-l.began:
			case <-l.closed:
				return 0, io.EOF
			}
		}
		line, err := l.line()
		if err != nil {
			return 0, err
		}
		l.rest, l.waits = l.judged(line)
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line returns the next line with its end; nil for one that is too long. A last line without
// an end is no message.
func (l *lines) line() ([]byte, error) {
	var out []byte
	for long := false; ; {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(out)+len(part) > maxMessage; long {
			out = nil
		} else {
			out = append(out, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		case long:
			return nil, nil
		default:
			return out, nil
		}
	}
}

// judged returns a line that is a message, and whether a handler begins for it.
func (l *lines) judged(line []byte) (message []byte, handled bool) {
	text := bytes.TrimSpace(line)
	var m struct {
		ID     *json.RawMessage `json:"id"`
		Method *string          `json:"method"`
	}
	switch {
	case line == nil:
		l.refuse(acp.NewInvalidRequest(map[string]any{"error": "a message has more than 10 MiB"}))
	case len(text) == 0:
	case !json.Valid(text):
		l.refuse(acp.NewParseError(map[string]any{"error": "a line is not JSON"}))
	case text[0] != '{' || json.Unmarshal(text, &m) != nil || m.Method == nil && m.ID == nil || m.Method != nil && *m.Method == "":
		l.refuse(acp.NewInvalidRequest(map[string]any{"error": "a line is not one message of JSON-RPC 2.0"}))
	case m.Method == nil:
		return line, false
	default:
		if m.ID != nil {
			l.asked()
		}
		return line, *m.Method != "$/cancel_request" || m.ID != nil
	}
	return nil, false
}

// answers is where the SDK writes. It counts the answers to requests.
type answers struct {
	to       *outbox
	answered func() // is called for each answer
}

// Write passes a line on.
func (a answers) Write(line []byte) (int, error) {
	n, err := a.to.Write(line)
	var m struct{ Method string }
	if bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0","id":`)) && json.Unmarshal(line, &m) == nil && m.Method == "" {
		a.answered()
	}
	return n, err
}

// maxUnsent is how many bytes may wait for a client that does not read.
const maxUnsent = 64 << 20

// outbox sends lines to the client without making the writer wait, unless very much waits.
type outbox struct {
	to io.Writer
	// sent is called after each line, in order.
	sent func(line []byte)

	mu      sync.Mutex
	changed *sync.Cond
	waiting [][]byte
	size    int
	closed  bool
	idle    chan struct{} // closed when nothing more is sent
}

func newOutbox(to io.Writer, sent func(line []byte)) *outbox {
	o := &outbox{to: to, sent: sent, idle: make(chan struct{})}
	o.changed = sync.NewCond(&o.mu)
	go o.send()
	return o
}

// Write takes one line.
func (o *outbox) Write(line []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size > maxUnsent && !o.closed {
		o.changed.Wait()
	}
	if o.closed {
		return 0, io.ErrClosedPipe
	}
	o.waiting, o.size = append(o.waiting, bytes.Clone(line)), o.size+len(line)
	o.changed.Broadcast()
	return len(line), nil
}

// Close sends what waits and nothing more. idle is closed after that.
func (o *outbox) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.changed.Broadcast()
}

func (o *outbox) send() {
	defer close(o.idle)
	for {
		o.mu.Lock()
		for len(o.waiting) == 0 && !o.closed {
			o.changed.Wait()
		}
		if len(o.waiting) == 0 {
			o.mu.Unlock()
			return
		}
		line := o.waiting[0]
		o.waiting = o.waiting[1:]
		o.mu.Unlock()
		_, err := o.to.Write(line)
		if err == nil {
			o.sent(line)
		}
		o.mu.Lock()
		o.size -= len(line)
		if err != nil { // the client does not read any more
			o.waiting, o.closed = nil, true
		}
		o.changed.Broadcast()
		o.mu.Unlock()
	}
}
