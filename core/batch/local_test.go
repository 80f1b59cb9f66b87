package batch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"golem/core/batch"
	"golem/core/batch/batchtest"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/trace"
)

// local makes batches on files in memory.
type local struct {
	store state.Store
	open  *batch.Local
}

func newLocal(*testing.T) batchtest.Harness {
	return &local{store: state.Memory(sandbox.Memory())}
}

// texts are inputs with these texts; their keys are in the field key.
type texts []string

func (x texts) Read(yield func(batch.Input) error) error {
	for n, key := range x {
		if err := yield(batch.Input{Line: n + 1, JSON: fmt.Appendf(nil, `{"key":%q}`, key)}); err != nil {
			return err
		}
	}
	return nil
}

var head = batch.Head{Name: "b", Pack: "sha256:1", Key: "key", Inputs: "in.jsonl", Out: "/out"}

func (l *local) Open(t *testing.T, keys ...string) batch.Queue {
	q, err := batch.OpenLocal(&l.store, head)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Update(texts(keys)); err != nil {
		t.Fatal(err)
	}
	l.open = q
	return q
}

func (l *local) Again(t *testing.T) batch.Queue {
	l.open.Close() // a killed process has no lock
	q, err := batch.OpenLocal(&l.store, head)
	if err != nil {
		t.Fatal(err)
	}
	l.open = q
	return q
}

func (l *local) Results(t *testing.T) (out []batch.Result) {
	q, err := batch.ReadLocal(&l.store)
	if err == nil {
		err = q.Results(func(r batch.Result) error {
			out = append(out, r)
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (l *local) Answer(t *testing.T, a batch.Answer) {
	q, err := batch.ReadLocal(&l.store)
	if err == nil {
		err = q.Answer(a)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The form on files passes the suite of all queues.
func TestLocal(t *testing.T) { batchtest.Run(t, newLocal) }

// The items of a batch follow its inputs: new ones are added, known ones stay as far as they
// are, and those that are not there any more are left out. An input that changed under its key
// is refused, and so is a batch with another pack.
func TestInputsChange(t *testing.T) {
	l := &local{store: state.Memory(sandbox.Memory())}
	q := l.Open(t, "a", "b")
	one, err := q.Lease(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Finish(t.Context(), batch.Result{Status: batch.OK}); err != nil {
		t.Fatal(err)
	}
	c, err := l.open.Update(texts{"c", "b", "a"})
	if err != nil || c != (batch.Changes{Added: 1, Known: 2}) {
		t.Errorf("%+v, %v", c, err)
	}
	var got []string
	for _, r := range l.Results(t) {
		got = append(got, r.Item+" "+string(r.Status))
	}
	if want := "c open, b open, a ok"; strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	if c, err = l.open.Update(texts{"a", "c"}); err != nil || c.Removed != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = l.open.Update(texts{"c"}); err != nil || c.Removed != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = l.open.Update(texts{"a", "c"}); err != nil || c != (batch.Changes{Known: 2}) || l.open.Counts().OK != 1 {
		t.Errorf("an input that comes back: %+v, %+v, %v", c, l.open.Counts(), err)
	}
	if _, err := l.open.Update(texts{"a", "a"}); !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), "line 1 and line 2") {
		t.Errorf("equal keys: %v", err)
	}
	if _, err := l.open.Update(changed{}); !errors.Is(err, fault.Conflict) {
		t.Errorf("a changed input: %v", err)
	}
	if n := l.open.Counts(); n.Total != 2 || n.OK != 1 || n.Open != 1 {
		t.Errorf("after refused inputs: %+v", n)
	}
	l.open.Close()
	other := head
	other.Pack = "sha256:2"
	if _, err := batch.OpenLocal(&l.store, other); !errors.Is(err, fault.Conflict) {
		t.Errorf("another pack: %v", err)
	}
}

type changed struct{}

func (changed) Read(yield func(batch.Input) error) error {
	return yield(batch.Input{Line: 1, JSON: []byte(`{"key":"a","more":1}`)})
}

// A batch that is cut anywhere in its files is read as far as it is whole, and goes on.
func TestTornFiles(t *testing.T) {
	files := sandbox.Memory()
	l := &local{store: state.Memory(files)}
	q := l.Open(t, "a", "b")
	first, _ := q.Lease(t.Context(), "")
	second, _ := q.Lease(t.Context(), "")
	if first == nil || second == nil {
		t.Fatal("no items")
	}
	if err := errors.Join(second.Append(t.Context(), 0, batch.Line(`1`), batch.Line(`2`)), first.Finish(t.Context(), batch.Result{Status: batch.OK, Output: []byte(`"x"`), Trace: []byte("{}\n")})); err != nil {
		t.Fatal(err)
	}
	l.open.Close()
	parts := []string{"00000.marks.jsonl", "00000.logs.jsonl"}
	whole := map[string][]byte{}
	for _, name := range parts {
		var err error
		if whole[name], err = fs.ReadFile(files, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range parts {
		for n := range whole[name] {
			for _, part := range parts {
				data := whole[part]
				if part == name {
					data = data[:n]
				}
				if err := files.WriteFile(part, data); err != nil {
					t.Fatal(err)
				}
			}
			goesOn(t, &local{store: l.store}, fmt.Sprintf("%s cut at %d", name, n))
		}
	}
}

// goesOn runs a batch to its end.
func goesOn(t *testing.T, l *local, what string) {
	t.Helper()
	q, err := batch.OpenLocal(&l.store, head)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer q.Close()
	for {
		item, err := q.Lease(t.Context(), "")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if item == nil {
			break
		}
		if len(item.Log) != 0 && len(item.Log) != 2 {
			t.Errorf("%s: half of an append is there", what)
		}
		if err := item.Finish(t.Context(), batch.Result{Status: batch.OK, Output: []byte(`"x"`)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range l.Results(t) {
		if r.Status != batch.OK || string(r.Output) != `"x"` {
			t.Errorf("%s: %+v", what, r)
		}
	}
}

// TestOutcomeWithoutResult tests that an item whose worker was stopped is given back, and is not
// ended.
func TestOutcomeWithoutResult(t *testing.T) {
	h := newLocal(t)
	q := h.Open(t, "a", "b")
	stop := fault.New(fault.Budget, "it is spent")
	if err := batch.Run(t.Context(), q, stopped{stop}, batch.Running{Jobs: 1}); !errors.Is(err, fault.Budget) {
		t.Errorf("the batch ended with %v", err)
	}
	for _, r := range h.Results(t) {
		if r.Status != batch.Open {
			t.Errorf("%s is %q", r.Item, r.Status)
		}
	}
}

// stopped is a worker that is stopped in each item.
type stopped struct{ why *fault.Fault }

func (s stopped) Run(context.Context, *batch.Lease) batch.Outcome { return batch.Outcome{Stop: s.why} }

// TestSpentOfAttempts tests that what an item used before it was run again counts, also for the
// process that begins after.
func TestSpentOfAttempts(t *testing.T) {
	h := newLocal(t)
	q := h.Open(t, "a")
	used := func() batch.Result {
		return batch.Result{Status: batch.Failed, Usage: &trace.Usage{In: 10, Cost: 5}}
	}
	for range 3 {
		l, err := q.Lease(t.Context(), "test")
		if err != nil || l == nil {
			t.Fatal(l, err)
		}
		if err := l.Retry(t.Context(), used()); err != nil {
			t.Fatal(err)
		}
		q = h.Again(t)
	}
	l, err := q.Lease(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Finish(t.Context(), used()); err != nil {
		t.Fatal(err)
	}
	if r := h.Results(t)[0]; r.Usage == nil || r.Usage.In != 40 || r.Usage.Cost != 20 || len(r.Cost) == 0 {
		t.Errorf("%+v %s", r.Usage, r.Cost)
	}
}

// TestKilledBeforeRetry tests that an item that failed and is run again (--retry) is not left
// failed, and that what it used is counted, wherever golem is killed.
func TestKilledBeforeRetry(t *testing.T) {
	for writes := 1; ; writes++ {
		dies := &dying{left: writes}
		l := &local{store: state.Memory(sandbox.Memory())}
		q, host := l.Open(t, "a"), l.store.Host
		l.store.Host = dyingHost{host, dies}
		first := &failing{times: 1}
		_ = batch.Run(t.Context(), q, first, batch.Running{Jobs: 1, Retry: 1}) // killed
		l.store.Host = host
		again := &failing{}
		if err := batch.Run(t.Context(), l.Again(t), again, batch.Running{Jobs: 1, Retry: 1}); err != nil {
			t.Fatal(err)
		}
		r := l.Results(t)[0]
		if r.Status != batch.OK {
			t.Errorf("killed at write %d: %s", writes, r.Status)
		}
		if r.Usage == nil || r.Usage.In > first.runs+again.runs || r.Usage.In < again.runs {
			t.Errorf("killed at write %d: %d and %d runs used %+v", writes, first.runs, again.runs, r.Usage)
		}
		if dies.left > 0 { // it was not killed
			if r.Usage.In != 2 {
				t.Errorf("two attempts used %+v", r.Usage)
			}
			return
		}
	}
}

// TestRetryCountsOverKills tests that an item that always fails is not run more often (--retry)
// when golem is killed, except for the run whose failure was lost with it.
func TestRetryCountsOverKills(t *testing.T) {
	const retries = 2
	for writes := 1; ; writes++ {
		dies := &dying{left: writes}
		l := &local{store: state.Memory(sandbox.Memory())}
		q, host := l.Open(t, "a"), l.store.Host
		l.store.Host = dyingHost{host, dies}
		always := &failing{times: 100}
		_ = batch.Run(t.Context(), q, always, batch.Running{Jobs: 1, Retry: retries}) // killed
		l.store.Host = host
		if err := batch.Run(t.Context(), l.Again(t), always, batch.Running{Jobs: 1, Retry: retries}); err != nil {
			t.Fatal(err)
		}
		if r := l.Results(t)[0]; r.Status != batch.Failed || always.runs < retries+1 || always.runs > retries+2 {
			t.Errorf("killed at write %d: %s after %d runs", writes, r.Status, always.runs)
		}
		if dies.left > 0 {
			break
		}
	}
	l := &local{store: state.Memory(sandbox.Memory())}
	q := l.Open(t, "a")
	always := &failing{times: 100}
	for n, retry := range []int{retries, 1} { // a person runs it again: it counts anew
		always.runs = 0
		if err := batch.Run(t.Context(), q, always, batch.Running{Jobs: 1, Retry: retry}); err != nil || always.runs != retry+1 {
			t.Errorf("run %d: %d runs, %v", n, always.runs, err)
		}
		if again, err := l.open.Again(true); err != nil || again != 1 {
			t.Fatal(again, err)
		}
		q = l.Again(t)
	}
}

// failing is a worker whose first runs fail. Each run uses one token.
type failing struct{ times, runs int }

func (f *failing) Run(context.Context, *batch.Lease) batch.Outcome {
	f.runs++
	r := batch.Result{Status: batch.OK, Usage: &trace.Usage{In: 1}}
	if f.runs <= f.times {
		r.Status = batch.Failed
	}
	return batch.Outcome{Result: r}
}

// dying counts writes, and refuses all after the last one, of which it writes one half.
type dying struct{ left int }

type dyingHost struct {
	state.Host
	of *dying
}

func (d dyingHost) Append(name string) (io.WriteCloser, error) {
	w, err := d.Host.Append(name)
	return dyingFile{w, d.of}, err
}

type dyingFile struct {
	io.WriteCloser
	of *dying
}

func (f dyingFile) Write(data []byte) (int, error) {
	if f.of.left <= 0 {
		return 0, errors.New("killed")
	}
	if f.of.left--; f.of.left == 0 {
		n, err := f.WriteCloser.Write(data[:len(data)/2])
		return n, errors.Join(err, errors.New("killed"))
	}
	return f.WriteCloser.Write(data)
}
