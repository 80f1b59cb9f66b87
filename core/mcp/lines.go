package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"golem/core/fault"
)

// Program is a server that was started as a program. It speaks one message a line.
type Program struct {
	Out io.ReadCloser // its standard output
	In  io.Writer     // its standard input; Write fails if the program does not read
	Process
}

// Process is a started program.
type Process interface {
	// End ends the program and returns when it has ended; then Out ends.
	End()
	// Last returns the reason why the program ended, for a message.
	Last() error
}

// Lines begins a session with a program. version is golem's. If it fails, the program has
// ended.
func Lines(ctx context.Context, s Server, version string, told Listener, p Program) (Session, error) {
	l := &lineSession{
		peer: &peer{server: s, version: version, told: told}, program: p,
		write: make(chan []byte), later: make(chan []byte, maxLater), closed: make(chan struct{}), waiting: map[string]waiting{},
	}
	l.work.Go(l.read)
	l.work.Go(l.writeAll)
	if err := l.begin(ctx, l); err != nil {
		l.Close()
		return nil, err
	}
	if changes := l.listsTold(); len(changes) > 0 && l.revision() >= Stateless {
		l.listen(changes)
	}
	return l, nil
}

// lineSession is a session over a pair of streams.
type lineSession struct {
	*peer
	program Program
	work    sync.WaitGroup
	write   chan []byte
	later   chan []byte // messages for which nobody waits
	end     sync.Once
	closed  chan struct{} // the connection does not work any more

	state   sync.Mutex
	waiting map[string]waiting // the requests that wait for an answer, by id
	odd     bool               // a line was skipped
	why     error              // why it does not work any more
}

// waiting is a request that waits for its answer.
type waiting struct {
	progress func(Progress)
	answer   chan<- answer // has room for one
}

type answer struct {
	result json.RawMessage
	err    error
}

var _ Session = (*lineSession)(nil)

// broken is the error of a connection that does not work any more.
type broken struct{ error }

// Is reports true for ErrClosed.
func (broken) Is(target error) bool { return target == errClosed }

// Unwrap returns the reason.
func (b broken) Unwrap() error { return b.error }

var errEnded = errors.New("the server ended")

// read handles the lines of the program until its output ends.
func (l *lineSession) read() {
	in := bufio.NewReaderSize(&shallow{ReadCloser: l.program.Out, lines: true}, 64<<10)
	tooLong := func() { l.failAll(tooLong(l.server.Name), false) }
	for {
		line, err := readLine(in, tooLong)
		if len(line) > 0 {
			l.line(line)
		}
		if err != nil {
			l.failAll(broken{l.program.Last()}, true)
			return
		}
	}
}

// readLine returns the next line without white space around it and without a byte order
// mark. If a line is too long, it calls tooLong at once, because the line may never end, and
// returns nothing of it.
func readLine(in *bufio.Reader, tooLong func()) (line []byte, err error) {
	for long := false; ; {
		part, err := in.ReadSlice('\n')
		switch {
		case long:
		case len(line)+len(part) > MaxMessage:
			long, line = true, nil
			tooLong()
		default:
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), mark)), err
		}
	}
}

// line handles one line. One that is no message is skipped; the first of them is shown in
// a warning.
func (l *lineSession) line(line []byte) {
	all, err := decode(line)
	if err != nil || len(all) == 1 && all[0].Method == "" && !all[0].hasID() && !all[0].failed() {
		l.state.Lock()
		first := !l.odd
		l.odd = true
		l.state.Unlock()
		if first {
			l.told.Warn(fault.Warn(fault.Tool, "the MCP server %s writes lines to its standard output that are not messages; golem skips them. The first: %s", l.server.Name, Plain(string(line), 200)))
		}
		return
	}
	for _, m := range all {
		l.message(m)
	}
}

func (l *lineSession) message(m received) {
	if m.Method != "" {
		l.heard(m, l.receiver, l.putLater)
		return
	}
	l.state.Lock()
	key := unquoted(m.ID)
	w, ok := l.waiting[key]
	if !m.hasID() && len(l.waiting) == 1 { // the server could not read the only request
		for key, w = range l.waiting {
			ok = true
		}
	}
	delete(l.waiting, key)
	l.state.Unlock()
	if ok {
		result, err := m.outcome()
		w.answer <- answer{result, err}
	}
}

// receiver returns the receiver of the progress of the request with this token.
func (l *lineSession) receiver(token string) func(Progress) {
	l.state.Lock()
	defer l.state.Unlock()
	return l.waiting[token].progress
}

// failAll answers all requests that wait with an error. For ever says that the connection
// does not work any more.
func (l *lineSession) failAll(err error, forEver bool) {
	l.state.Lock()
	defer l.state.Unlock()
	for key, w := range l.waiting {
		w.answer <- answer{err: err}
		delete(l.waiting, key)
	}
	if forEver && l.why == nil {
		l.why = err
		close(l.closed)
	}
}

// writeAll writes messages until the connection does not work any more.
func (l *lineSession) writeAll() {
	for {
		var body []byte
		select {
		case body = <-l.write:
		case body = <-l.later:
		case <-l.closed:
			return
		}
		if _, err := l.program.In.Write(append(body, '\n')); err != nil {
			select {
			case <-l.closed: // the reader knows why
			case <-time.After(closing):
				l.failAll(broken{errors.New("it does not read what golem sends")}, true)
			}
			return
		}
	}
}

// put hands a message to the writer.
func (l *lineSession) put(ctx context.Context, body []byte) error {
	select {
	case l.write <- body:
		return nil
	case <-l.closed:
		return l.reason()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// putLater hands a message to the writer without waiting. If too many wait already, the
// server does not read, and the message is dropped.
func (l *lineSession) putLater(m message) {
	if body, err := m.encode(); err == nil {
		select {
		case l.later <- body:
		default:
		}
	}
}

func (l *lineSession) reason() error {
	l.state.Lock()
	defer l.state.Unlock()
	return l.why
}

// notify is the notify of transport.
func (l *lineSession) notify(ctx context.Context, m message) error {
	body, err := m.encode()
	if err != nil {
		return err
	}
	return l.put(ctx, body)
}

// Request sends a request and waits for its answer.
func (l *lineSession) Request(ctx context.Context, method string, params any, progress func(Progress)) (json.RawMessage, error) {
	return l.send(ctx, method, params, progress)
}

// send is the send of transport.
func (l *lineSession) send(ctx context.Context, method string, params any, progress func(Progress)) (json.RawMessage, error) {
	r, params := l.number(params, progress)
	body, err := message{ID: r.rawID(), Method: method, Params: params}.encode()
	if err != nil {
		return nil, err
	}
	got, forget := l.wait(r)
	defer forget()
	if err := l.put(ctx, body); err != nil {
		return nil, err
	}
	select {
	case a := <-got:
		return a.result, a.err
	case <-ctx.Done():
		if method != MethodInitialize {
			l.putLater(message{Method: NotificationCancelled, Params: map[string]any{"requestId": r.id}})
		}
		return nil, context.Cause(ctx)
	}
}

// wait adds a request to those that wait for an answer; forget removes it.
func (l *lineSession) wait(r request) (got <-chan answer, forget func()) {
	l.state.Lock()
	defer l.state.Unlock()
	key, out := string(r.rawID()), make(chan answer, 1)
	if l.why != nil {
		out <- answer{err: l.why}
		return out, func() {}
	}
	l.waiting[key] = waiting{r.progress, out}
	return out, func() {
		l.state.Lock()
		defer l.state.Unlock()
		delete(l.waiting, key)
	}
}

// listen asks for messages about changes. The request is answered when the session ends.
func (l *lineSession) listen(changes []string) {
	r, params := l.number(subscription(changes), nil)
	l.putLater(message{ID: r.rawID(), Method: MethodListen, Params: params})
}

// Close ends the program.
func (l *lineSession) Close() error {
	l.end.Do(func() {
		l.program.End()
		l.failAll(broken{errEnded}, true)
	})
	l.work.Wait()
	return nil
}
