package natsqueue_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golem/cmd/cli/natsqueue"
	"golem/core/batch"
	"golem/core/fault"
)

// appending is a worker that appends some lines to each item and ends it.
type appending struct {
	mu      sync.Mutex
	written map[string]int // lines by item
}

// Run implements batch.Worker.
func (a *appending) Run(ctx context.Context, l *batch.Lease) batch.Outcome {
	for n := len(l.Log); n < 5; n++ {
		err := l.Append(ctx, n, batch.Line(fmt.Sprint(n)))
		if errors.Is(err, fault.Conflict) {
			return batch.Outcome{Lost: true}
		}
		if err != nil {
			return batch.Outcome{Stop: fault.Of(err, fault.Config)}
		}
		a.mu.Lock()
		a.written[l.Item.Key]++
		a.mu.Unlock()
	}
	return batch.Outcome{Result: batch.Result{Status: batch.OK, Output: fmt.Appendf(nil, "%q", l.Item.Key)}}
}

// Several processes run all items of a batch: each result is there once, and no line is written
// twice.
func TestManyWorkers(t *testing.T) {
	r := newRemote(t)
	var keys []string
	for n := range 30 {
		keys = append(keys, fmt.Sprint("item", n))
	}
	r.begin(t, keys...)
	w := &appending{written: map[string]int{}}
	var running sync.WaitGroup
	for n := range 3 {
		q := r.another(t)
		running.Go(func() {
			if err := batch.Run(t.Context(), q, w, batch.Running{Jobs: 3, Name: fmt.Sprint("w", n)}); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	for n, result := range r.Results(t) {
		if result.Item != keys[n] || string(result.Output) != fmt.Sprintf("%q", keys[n]) || w.written[keys[n]] != 5 {
			t.Errorf("item %d: %+v with %d lines", n, result, w.written[keys[n]])
		}
	}
}

// The item of a worker that was killed is another's after the time of a lease, and goes on behind
// its last line.
func TestLeaseOfAKilledWorkerEnds(t *testing.T) {
	r := newRemote(t)
	r.options.Lease = 200 * time.Millisecond
	r.begin(t, "a")
	killed := r.another(t)
	before := leased(t, killed)
	if err := before.Append(t.Context(), 0, batch.Line(`1`)); err != nil {
		t.Fatal(err)
	}
	killed.Close()
	next := leased(t, r.another(t))
	if next.Attempt != 2 || len(next.Log) != 1 {
		t.Errorf("attempt %d with %d lines", next.Attempt, len(next.Log))
	}
	if err := before.Append(t.Context(), 1, batch.Line(`2`)); !errors.Is(err, fault.Conflict) {
		t.Errorf("the killed worker came back and could append: %v", err)
	}
	if err := next.Append(t.Context(), 1, batch.Line(`2`)); err != nil {
		t.Error(err)
	}
}

// leased waits until an item is open, and leases it.
func leased(t *testing.T, q *natsqueue.Queue) *batch.Lease {
	t.Helper()
	for {
		l, err := q.Lease(t.Context(), "test")
		if err != nil {
			t.Fatal(err)
		}
		if l != nil {
			return l
		}
		runtime.Gosched()
	}
}

// waiting tells when a queue waits for its server.
type waiting struct {
	told chan struct{}
	once sync.Once
}

// Waiting notes it.
func (w *waiting) Waiting(error) { w.once.Do(func() { close(w.told) }) }

// Foreign does nothing.
func (*waiting) Foreign(string, string) {}

// A server that ends and starts again loses nothing: who writes meanwhile waits, and says so.
func TestServerStartsAgain(t *testing.T) {
	r := newRemote(t)
	w := &waiting{told: make(chan struct{})}
	r.options.Watch = w
	r.begin(t, "a", "b")
	q := r.another(t)
	l := leased(t, q)
	if err := l.Append(t.Context(), 0, batch.Line(`1`)); err != nil {
		t.Fatal(err)
	}
	r.server.Shutdown()
	r.server.WaitForShutdown()
	for r.conn.IsConnected() {
		runtime.Gosched()
	}
	appended := make(chan error)
	go func() { appended <- l.Append(t.Context(), 1, batch.Line(`2`)) }()
	<-w.told
	start(t, r.dir, r.port)
	if err := <-appended; err != nil {
		t.Fatal(err)
	}
	if err := l.Finish(t.Context(), batch.Result{Status: batch.OK, Output: []byte(`"x"`)}); err != nil {
		t.Fatal(err)
	}
	if l := leased(t, q); l.Item.Key != "b" {
		t.Errorf("%s is open", l.Item.Key)
	}
	if results := r.Results(t); string(results[0].Output) != `"x"` {
		t.Errorf("%+v", results[0])
	}
}

// Lines, inputs, outputs and traces may be larger than a message of the server.
func TestLargeContents(t *testing.T) {
	r := newRemote(t)
	r.begin(t)
	large := strings.Repeat("0123456789abcdef", 1<<15) // 512 KiB
	if err := r.producer.Add(t.Context(), batch.Item{Key: "a", Input: batch.Input{Text: large}}); err != nil {
		t.Fatal(err)
	}
	q := r.another(t)
	l := leased(t, q)
	if l.Item.Input.Text != large {
		t.Errorf("the input has %d bytes", len(l.Item.Input.Text))
	}
	if err := l.Append(t.Context(), 0, batch.Line(`"`+large+`"`)); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	l = leased(t, q)
	if len(l.Log) != 1 || string(l.Log[0]) != `"`+large+`"` {
		t.Errorf("the log has %d lines", len(l.Log))
	}
	if err := l.Finish(t.Context(), batch.Result{Status: batch.OK, Output: []byte(`"` + large + `"`), Trace: []byte(large)}); err != nil {
		t.Fatal(err)
	}
	if result := r.Results(t)[0]; string(result.Output) != `"`+large+`"` || string(result.Trace) != large {
		t.Errorf("the result has %d bytes, its trace %d", len(result.Output), len(result.Trace))
	}
}

// A cancelled batch can go on.
func TestCancel(t *testing.T) {
	r := newRemote(t)
	r.begin(t, "a")
	q := r.another(t)
	for _, want := range []bool{true, false, true} {
		state := natsqueue.Going
		if want {
			state = natsqueue.Cancelled
		}
		if err := r.producer.Set(t.Context(), state); err != nil {
			t.Fatal(err)
		}
		if got, err := q.Refresh(t.Context()); got != want || err != nil {
			t.Errorf("cancelled: %v %v, want %v", got, err, want)
		}
	}
}

// A worker that works for a batch which is removed meanwhile does not wait for it.
func TestRemovedBatch(t *testing.T) {
	r := newRemote(t)
	q := r.Open(t, "a")
	if err := natsqueue.Remove(t.Context(), connect(t, r.url), r.options.Name); err != nil {
		t.Fatal(err)
	}
	if l, err := q.Lease(t.Context(), "late"); !errors.Is(err, fault.NotFound) {
		t.Errorf("%v, %v", l, err)
	}
}

// A batch that the server does not have, and a name that cannot be one, are refused.
func TestNoSuchBatch(t *testing.T) {
	r := newRemote(t)
	if _, err := natsqueue.Open(t.Context(), connect(t, r.url), r.options); !errors.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	r.options.Name = "a.b"
	if _, err := natsqueue.Open(t.Context(), connect(t, r.url), r.options); !errors.Is(err, fault.Usage) {
		t.Errorf("%v", err)
	}
}
