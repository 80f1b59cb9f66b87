package main

import (
	"encoding/json"
	"path"
	"sync"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/sandbox/opfs"
)

// traceFile keeps a run's trace in its project, a line a write: a tab that
// dies loses none. What cannot be kept is told once and is no failure of the
// run (SPEC §14).
type traceFile struct {
	call *call

	mu  sync.Mutex
	log *opfs.Log // nil: nothing is kept, any more
}

// openTrace makes the file of a run and removes the oldest ones.
func (c *call) openTrace(fsys *opfs.FS, id string, keep bool) *traceFile {
	t := &traceFile{call: c}
	if !keep {
		return t
	}
	log, err := fsys.Append(path.Join(runsDir, id+".jsonl"))
	if err != nil {
		c.warn(err)
		return t
	}
	t.log = log
	keepNewest(fsys)
	return t
}

// Write adds a line. It never fails: other writers of the same lines go on.
func (t *traceFile) Write(line []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log == nil {
		return len(line), nil
	}
	if _, err := t.log.Write(line); err != nil {
		t.call.warn(err)
		_ = t.log.Close() // it cannot be written: told already
		t.log = nil
	}
	return len(line), nil
}

func (t *traceFile) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log == nil {
		return
	}
	if err := t.log.Close(); err != nil {
		t.call.warn(err)
	}
	t.log = nil
}

// warn tells the page that the trace is not kept.
func (c *call) warn(err error) {
	line, merr := json.Marshal(map[string]string{"type": "status", "level": "warn", "text": "the trace cannot be kept: " + fault.Of(err, fault.Quota).Error()})
	if merr == nil {
		c.event(string(line))
	}
}

// turn is how long a run may go on before the worker looks at its messages: a
// busy Go program lets no JavaScript run.
const turn = 8 * time.Millisecond

// event hands a line to the page, and lets the worker take messages now and then.
func (c *call) event(line string) {
	c.post("event", line)
	c.server.breathe()
}

// breathe lets JavaScript run if it has not for a while.
func (s *server) breathe() {
	s.mu.Lock()
	due := time.Since(s.breathed) > turn
	if due {
		s.breathed = time.Now()
	}
	s.mu.Unlock()
	if due {
		_, _ = jsbytes.Await(js.Global().Call("golemTurn")) // it never rejects
	}
}

// artifact hands a whole prompt, input or output to the page.
func (c *call) artifact(name string, data []byte) error {
	c.post("artifact", map[string]any{"name": name, "data": string(data)})
	return nil
}
