package main

import (
	"encoding/json"
	"path"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/trace"
	"golem/sandbox/opfs"
)

// traceFile keeps a run's trace in its project. Lines are gathered, and in the file
// before the page or anybody else is told of them: a tab that dies loses none of those. The texts that are too long for a line lie beside it. What
// cannot be kept is not a failure of the run (SPEC §14).
type traceFile struct {
	*opfs.Log
	fs  *opfs.FS
	dir string // of the texts
}

// openTrace makes the file of a run and removes the oldest ones; nil if it
// cannot be kept, which is told.
func (c *call) openTrace(fsys *opfs.FS, id string) *traceFile {
	if runs, err := sub(fsys, trace.RunsDir); err == nil {
		trace.Prune(runs, id+".jsonl", trace.KeptRuns-1, nil)
	}
	name := path.Join(trace.RunsDir, id+".jsonl")
	log, err := fsys.Append(name)
	if err != nil {
		c.warn(err)
		return nil
	}
	log.Gathers = true
	return &traceFile{Log: log, fs: fsys, dir: trace.TextsDir(name)}
}

// keep writes one long text.
func (t *traceFile) keep(name string, data []byte) error {
	return t.fs.WriteFile(path.Join(t.dir, name), data)
}

// textsOf reads the long texts beside a trace of a project.
func textsOf(fsys *opfs.FS, name string) trace.Texts {
	return func(text string, size int64) ([]byte, error) {
		return sandbox.ReadFile(fsys, path.Join(trace.TextsDir(name), text), size)
	}
}

// warn tells the page that the trace is not kept.
func (c *call) warn(err error) {
	line, merr := json.Marshal(map[string]string{"type": "status", "level": "warn", "text": "the trace cannot be written: " + fault.Of(err, fault.Quota).Error()})
	if merr == nil {
		c.event(string(line))
	}
}

// turn is how long a run may go on before the worker looks at its messages: a
// busy Go program lets no JavaScript run.
const turn = 8 * time.Millisecond

// event hands a line to the page, and lets the worker take messages now and then.
func (c *call) event(line string) {
	c.server.scope.Call("golemEvent", c.id, line)
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

// artifacts hands whole prompts, inputs and outputs to the page, if it asked for
// them, and keeps prompts beside the trace, if there is one and it asked for that.
func (c *call) artifacts(a asked, file *traceFile) func(name string, data []byte) error {
	return func(name string, data []byte) error {
		if a.Artifacts {
			c.post("artifact", map[string]any{"name": name, "data": string(data)})
		}
		if _, prompt := trace.PromptOf(name); prompt && a.Prompts && file != nil {
			return file.keep(name, data)
		}
		return nil
	}
}
