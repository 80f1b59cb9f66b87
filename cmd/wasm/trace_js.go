package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/trace"
	"golem/sandbox/opfs"
)

// traceFile is the file in the project that keeps a run's trace. Lines are gathered and
// written before the page or anybody else gets them, so a tab that dies loses none of those.
// Texts that are too long for a line are in files beside it. An error in keeping the trace
// does not fail the run (SPEC §14).
type traceFile struct {
	*opfs.Log
	fs   *opfs.FS
	name string
}

// openTrace makes the trace file of a run, and first removes the oldest traces. If it cannot
// make the file, it warns the page and returns nil.
func (c *call) openTrace(fsys *opfs.FS, project, id string) *traceFile {
	kept := c.server.stores.state(fsys, project)
	if runs, err := sub(fsys, trace.RunsDir); err == nil {
		trace.Prune(runs, id+".jsonl", trace.KeptRuns-1, kept.Order(trace.OrderKind), nil)
	}
	name := path.Join(trace.RunsDir, id+".jsonl")
	err := sandbox.MakeState(fsys)
	var log *opfs.Log
	if err == nil {
		log, err = fsys.Append(name)
	}
	if err != nil {
		c.warn(err)
		return nil
	}
	log.Gathers = true
	_ = kept.Last(trace.OrderKind, state.Written{Name: id + ".jsonl"}, func() map[string]bool { return trace.Listed(fsys, trace.RunsDir) }) // an error costs only its place among the kept ones
	return &traceFile{Log: log, fs: fsys, name: name}
}

// Put writes one long text.
func (t *traceFile) Put(name string, data []byte) error {
	return t.fs.WriteFile(path.Join(trace.TextsDir(t.name), name), data)
}

// Close closes the file. It removes the file if nothing was written, as in a chat that ends before
// its first message.
func (t *traceFile) Close() error {
	err := t.Log.Close()
	if info, missing := fs.Stat(t.fs, t.name); missing == nil && info.Size() == 0 {
		err = errors.Join(err, t.fs.Remove(t.name))
	}
	return err
}

// textsOf are the long texts beside a trace of a project.
type textsOf struct {
	fsys  *opfs.FS
	trace string
}

// Text reads one of them.
func (t textsOf) Text(name string, size int64) ([]byte, error) {
	return sandbox.ReadFile(t.fsys, path.Join(trace.TextsDir(t.trace), name), size)
}

// warn tells the page that the trace cannot be written.
func (c *call) warn(err error) { c.warnOf("the trace cannot be written", err) }

// warnOf sends the page a warning: what went wrong, and why.
func (c *call) warnOf(what string, err error) {
	line, merr := json.Marshal(map[string]string{"type": "status", "level": "warn", "text": what + ": " + fault.Of(err, fault.Quota).Error()})
	if merr == nil {
		c.event(string(line))
	}
}

// turn is how long a run may go on before it lets JavaScript run, so that messages of the
// page are received: while Go code runs, JavaScript does not.
const turn = 8 * time.Millisecond

// event sends a line of the trace to the page, and lets JavaScript run now and then.
func (c *call) event(line string) {
	c.server.scope.Call("golemEvent", c.id, line)
	c.server.breathe()
}

// breathe lets JavaScript run, if the last time was more than turn ago.
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

// artifacts takes whole prompts, inputs and outputs. It sends them to the page if the page
// has the option artifact, and keeps prompts beside the trace if the page has the option
// prompts and there is a trace.
type artifacts struct {
	call *call
	a    asked
	file *traceFile
}

// Put takes one of them.
func (t artifacts) Put(name string, data []byte) error {
	if t.a.Artifacts {
		t.call.post("artifact", map[string]any{"name": name, "data": string(data)})
	}
	if _, prompt := trace.PromptOf(name); prompt && t.a.Page.Prompts && t.file != nil {
		return t.file.Put(name, data)
	}
	return nil
}
