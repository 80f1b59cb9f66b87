package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/otlp"
	"golem/core/trace"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
)

// maxWaiting is how many bytes of requests may wait to be sent. What is more is left out.
const maxWaiting = 64 << 20

// Sender sends traces in the background, one after the other. A nil one sends nothing.
type Sender struct {
	settings
	console *console.Console
	client  *http.Client
	stop    context.CancelFunc
	done    chan struct{}

	mu      sync.Mutex
	more    sync.Cond
	waiting [][][]byte // the requests of traces
	size    int        // of all that wait
	closed  bool
	traces  int // all that were to be sent
	failed  int // of these
	told    bool
}

// New returns the sender that the flags and the environment ask for; nil: nobody does. A mistake
// in the flags is an error, one in the environment a warning. Close must be called.
func New(c *console.Console, w Wanted) (*Sender, error) {
	if err := Check(c, w); err != nil {
		return nil, err
	}
	set, err := read(c.Env, w)
	if err != nil {
		c.Say("warning: no trace is sent to a collector: %s", fault.Of(err, fault.Usage).Text())
		return nil, nil
	}
	if set == nil {
		return nil, nil
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Sender{settings: *set, console: c, client: fetch.NewClient(), stop: stop, done: make(chan struct{})}
	s.more.L = &s.mu
	go s.work(ctx)
	return s, nil
}

// Run is one run whose trace is sent.
type Run struct {
	// Lines gets the lines of the trace: it is core.RunOptions.Lines. It is nil if nobody wants
	// them.
	Lines  io.Writer
	sender *Sender
	of     *reading
}

// Run returns the run whose lines also go to next, which may be nil.
func (s *Sender) Run(next io.Writer) *Run {
	if s == nil {
		return &Run{Lines: next}
	}
	r := &Run{sender: s, of: &reading{options: s.options}}
	if r.Lines = r.of; next != nil {
		r.Lines = io.MultiWriter(r.of, next)
	}
	return r
}

// Close sends the trace. It does not wait, and returns nil.
func (r *Run) Close() error {
	if r.sender != nil {
		r.sender.send(r.of)
	}
	return nil
}

// Trace sends a whole trace. batch is the name of the batch that it belongs to, or "".
func (s *Sender) Trace(lines []byte, batch string) {
	if s == nil || len(lines) == 0 {
		return
	}
	r := &reading{options: s.options}
	if batch != "" {
		r.options.Resource = map[string]string{"golem.batch": batch}
		for key, value := range s.options.Resource {
			r.options.Resource[key] = value
		}
	}
	_, _ = r.Write(lines) // it never fails
	s.send(r)
}

// reading makes spans of the lines of a trace, as they come.
type reading struct {
	options otlp.Options
	rest    []byte
	spans   *otlp.Builder // nil: the header did not come yet
}

// Write reads lines. A line that is not one of a trace is left out.
func (r *reading) Write(data []byte) (int, error) {
	rest := append(r.rest, data...)
	for {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		if !whole {
			r.rest = append(r.rest[:0], rest...)
			return len(data), nil
		}
		r.line(line)
		rest = after
	}
}

func (r *reading) line(line []byte) {
	if r.spans == nil {
		var h trace.Header
		if json.Unmarshal(line, &h) == nil && h.Golem == "trace" {
			r.spans = otlp.NewBuilder(h, r.options)
		}
		return
	}
	if e, err := trace.Decode(line); err == nil {
		r.spans.Event(e)
	}
}

func (s *Sender) send(r *reading) {
	if r.spans == nil {
		return // the run did not begin
	}
	bodies := r.spans.Requests()
	size := 0
	for _, b := range bodies {
		size += len(b)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traces++
	if s.closed || s.size+size > maxWaiting {
		s.failed++
		return
	}
	s.waiting, s.size = append(s.waiting, bodies), s.size+size
	s.more.Signal()
}

// next returns the requests of the next trace, and waits for them; nil: no more come.
func (s *Sender) next() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) == 0 && !s.closed {
		s.more.Wait()
	}
	if len(s.waiting) == 0 {
		return nil
	}
	bodies := s.waiting[0]
	s.waiting[0] = nil
	s.waiting = s.waiting[1:]
	for _, b := range bodies {
		s.size -= len(b)
	}
	return bodies
}

func (s *Sender) work(ctx context.Context) {
	defer close(s.done)
	for bodies := s.next(); bodies != nil; bodies = s.next() {
		if err := s.trace(ctx, bodies); err != nil {
			s.countFailed(err)
		}
	}
}

// countFailed warns of the first trace that could not be sent, and counts the others.
func (s *Sender) countFailed(err error) {
	s.mu.Lock()
	first := !s.told
	s.told = true
	s.failed++
	s.mu.Unlock()
	if first {
		s.console.Say("warning: the trace was not sent to %s: %s", s.host(), ui.OneLine(err.Error()))
	}
}

// Close waits until all traces are sent, but not longer than one may take. It warns of those
// that were not sent, and returns nil.
func (s *Sender) Close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	s.closed = true
	s.more.Signal()
	s.mu.Unlock()
	limit := time.AfterFunc(s.timeout, s.stop)
	<-s.done
	limit.Stop()
	s.stop()
	s.client.CloseIdleConnections()
	if s.failed > 0 && s.traces > 1 {
		s.console.Say("warning: %d of %s were not sent to %s", s.failed, fault.Count(s.traces, "trace"), s.host())
	}
	return nil
}

// trace sends the requests of one trace.
func (s *Sender) trace(ctx context.Context, bodies [][]byte) error {
	ctx, stop := context.WithTimeoutCause(ctx, s.timeout, errSlow)
	defer stop()
	for _, body := range bodies {
		if err := s.request(ctx, body); err != nil {
			return err
		}
	}
	return nil
}

var errSlow = errors.New("the time was over (OTEL_EXPORTER_OTLP_TIMEOUT gives it more milliseconds)")

// Waiting between attempts.
const (
	firstWait = 100 * time.Millisecond
	mostWait  = 2 * time.Second
)

// request sends one request, and again if the collector asks for that.
func (s *Sender) request(ctx context.Context, body []byte) error {
	for wait := firstWait; ; wait = min(2*wait, mostWait) {
		again, after, err := s.post(ctx, body)
		if err == nil || !again {
			return err
		}
		after = max(wait, after)
		if end, ok := ctx.Deadline(); ok && time.Until(end) < after {
			return err
		}
		timer := time.NewTimer(after)
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}

// maxAnswer is how many bytes of an answer are read.
const maxAnswer = 64 << 10

// post makes one attempt. again says that the collector may take it later, after says when.
func (s *Sender) post(ctx context.Context, body []byte) (again bool, after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.String(), bytes.NewReader(body))
	if err != nil {
		return false, 0, errors.New("the address is not valid")
	}
	req.Header = s.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "golem/"+s.console.Build.Version)
	res, err := s.client.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = errSlow
		}
		if whole := (*url.Error)(nil); errors.As(err, &whole) { // it names the whole address
			err = whole.Err
		}
		return false, 0, err
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer)) // what is there is enough
	switch code := res.StatusCode; {
	case code >= 200 && code < 300:
		return false, 0, rejected(data)
	case code == 429 || code == 502 || code == 503 || code == 504:
		return true, retryAfter(res.Header.Get("Retry-After")), fmt.Errorf("it answered %d", code)
	case code >= 300 && code < 400:
		return false, 0, fmt.Errorf("it answered %d, a redirect, which golem does not follow", code)
	default:
		return false, 0, fmt.Errorf("it answered %d", code)
	}
}

// retryAfter reads how long a collector asks to wait.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && seconds > 0 {
		return min(time.Duration(seconds)*time.Second, mostTimeout)
	}
	return 0
}

// rejected returns an error if the collector took only a part.
func rejected(answer []byte) error {
	var a struct {
		Partial struct {
			Spans   json.Number `json:"rejectedSpans"`
			Message string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &a) != nil || a.Partial.Spans == "" || a.Partial.Spans == "0" {
		return nil
	}
	return fmt.Errorf("it refused %s of its spans: %s", fault.Quoted(a.Partial.Spans.String()), fault.Quoted(a.Partial.Message))
}
