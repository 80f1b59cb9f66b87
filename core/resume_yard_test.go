package core_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"golem/core"
	"golem/core/approval"
	"golem/core/options"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/trace"
	"golem/core/ui"
)

// This file simulates scenario 57: golem is killed at every moment at which a file changes, and
// resumes with the files of that moment.

// moment has the files at one moment, which a kill would leave: the project's and golem's own.
type moment struct {
	what        string
	files, kept map[string]string
}

// yard is a project in memory that records every moment.
type yard struct {
	tree, state sandbox.FS
	quiet       bool               // records nothing
	volatile    bool               // the files end with each run
	files       bool               // no model on the command line: the files name it
	change      func(*state.Store) // changes the state before it is used; may be nil
	now         func() time.Time   // nil: the real clock
	mu          sync.Mutex
	moments     []moment
}

func newYard(t *testing.T, m moment) *yard {
	t.Helper()
	y := &yard{tree: sandbox.Memory(), state: sandbox.Memory()}
	for to, files := range map[sandbox.FS]map[string]string{y.tree: m.files, y.state: m.kept} {
		for name, data := range files {
			if err := to.WriteFile(name, []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return y
}

func contents(f fs.FS) map[string]string {
	out := map[string]string{}
	_ = fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := fs.ReadFile(f, name)
			out[name] = string(data)
		}
		return nil
	})
	return out
}

func (y *yard) note(what string) {
	if y.quiet {
		return
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.moments = append(y.moments, moment{what, contents(y.tree), contents(y.state)})
}

// noted is a file system that records the moments before and after each change.
type noted struct {
	sandbox.FS
	yard *yard
}

func (n noted) WriteFile(name string, data []byte) error {
	n.yard.note("before writing " + name)
	err := n.FS.WriteFile(name, data)
	n.yard.note("after writing " + name)
	return err
}

// appended appends to a file and records the moments before, in the middle of the last line,
// and after.
type appended struct {
	yard *yard
	name string
}

func (a appended) Write(b []byte) (int, error) {
	old, _ := fs.ReadFile(a.yard.state, a.name)
	for _, n := range []int{0, len(b) - 9, len(b)} {
		if err := a.yard.state.WriteFile(a.name, append(bytes.Clone(old), b[:n]...)); err != nil {
			return 0, err
		}
		a.yard.note(fmt.Sprintf("%d of %d bytes of the conversation written", n, len(b)))
	}
	return len(b), nil
}

func (appended) Close() error { return nil }

// opening is a host whose files for appending are opened by a function.
type opening struct {
	state.Host
	open func(name string) (io.WriteCloser, error)
}

func (o opening) Append(name string) (io.WriteCloser, error) { return o.open(name) }

func (y *yard) open(t *testing.T) *core.Instance {
	t.Helper()
	kept := state.Memory(y.state)
	kept.Host = opening{kept.Host, func(name string) (io.WriteCloser, error) { return appended{y, name}, nil }}
	if y.change != nil {
		y.change(&kept)
	}
	name := "script:s.yaml"
	if y.files {
		name = ""
	}
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", Now: y.now, Env: map[string]string{"OPENAI_API_KEY": "sk-secret-0123456789"},
		Site:         core.Site{TrustKey: "/yard", State: kept, Volatile: y.volatile, Files: core.Tree{FS: noted{y.tree, y}}},
		ModelSources: core.ModelSources{ReadScript: func(name string) ([]byte, error) { return fs.ReadFile(y.tree, name) }},
	}, core.Options{Files: y.tree, Name: "yard", Opening: options.Opening{Model: name}})
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// counted has the numbers of requests, calls and questions of a run.
type counted struct {
	turns int
	tools []string // ids of the calls that were started
	asked []string // kinds of the questions
}

func count(u *ui.Script) counted {
	var c counted
	for _, e := range u.Events() {
		switch e.Body.(type) {
		case trace.ModelEnd:
			c.turns++
		case trace.ToolStart:
			c.tools = append(c.tools, e.ID)
		}
	}
	for _, r := range u.Asked() {
		c.asked = append(c.asked, string(r.Kind)+" "+r.Call)
	}
	return c
}

// always returns a front end that answers every question with yes.
func always() *ui.Script {
	yes := make([]approval.Decision, 100)
	for i := range yes {
		yes[i] = approval.Decision{Answer: approval.Yes}
	}
	return &ui.Script{Answers: yes}
}

const yardScript = `script: 1
workers:
  main:
    - calls: [{tool: read_file, args: {path: /in.txt}}, {tool: helper, args: {input: "write a"}}, {tool: helper, args: {input: "write b"}}]
    - say: now the sum
      calls: [{tool: edit_file, args: {path: /sum.txt, old: "-", new: "a+b"}}]
    - calls: [{tool: nothing_of_that_name, args: {}}]
    - say: done
  helper:
    - when: {text: "write a", turn: 1}
      calls: [{tool: read_file, args: {path: /in.txt}}]
    - when: {text: "write b", turn: 1}
      calls: [{tool: read_file, args: {path: /in.txt}}]
    - calls: [{tool: write_file, args: {path: /out/helper.txt, content: "written"}}]
    - say: I wrote it
`

func yardFiles() map[string]string {
	return map[string]string{
		"main.worker":           "---\ntoolsets: {filesystem: {}}\nallow_workers: [helper]\n---\nM.\n",
		"workers/helper.worker": "---\ndescription: Helps.\ntoolsets: {filesystem: {}}\n---\nH.\n",
		"in.txt":                "in", "sum.txt": "-", "s.yaml": yardScript,
	}
}

func keptAnswers(m moment) (answers int, ends map[string]bool) {
	ends = map[string]bool{}
	for _, file := range m.kept {
		for line := range strings.Lines(file) {
			if !strings.HasSuffix(line, "\n") {
				continue
			}
			if strings.Contains(line, `"line":{"t":"answer"`) {
				answers++
			}
			if _, rest, ok := strings.Cut(line, `"line":{"t":"end"`); ok {
				_, id, _ := strings.Cut(rest, `"id":"`)
				id, _, _ = strings.Cut(id, `"`)
				ends[id] = true
			}
		}
	}
	return answers, ends
}

// inputsIn counts the person's messages that were kept at a moment.
func inputsIn(m moment) (n int) {
	for _, file := range m.kept {
		n += strings.Count(file[:strings.LastIndex(file, "\n")+1], `"t":"input"`)
	}
	return n
}
