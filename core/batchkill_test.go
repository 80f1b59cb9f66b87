package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"

	"golem/core"
	"golem/core/approval"
	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/wasmtool"
)

// plant is a project whose batch has one item. A process of it can be killed: after that moment
// nothing that it writes is kept.
type plant struct {
	project, outputs, queue, kept sandbox.FS
	fetched                       atomic.Int32
	onFetch                       func() // called by the first request; may be nil
	trace                         string // of the item, if it ended
	around                        func(batch.Worker) batch.Worker
}

func newPlant(t *testing.T, files map[string]string) *plant {
	t.Helper()
	p := &plant{project: sandbox.Memory(), outputs: sandbox.Memory(), queue: sandbox.Memory(), kept: sandbox.Memory()}
	for name, text := range files {
		if err := p.project.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// Fetch answers each request of a tool with the same text.
func (p *plant) Fetch(context.Context, wasmtool.HTTPRequest, wasmtool.Policy) (wasmtool.HTTPResponse, error) {
	if p.fetched.Add(1) == 1 && p.onFetch != nil {
		p.onFetch()
	}
	return wasmtool.HTTPResponse{Status: 200, Header: map[string]string{"content-type": "text/plain"}, Body: []byte("an answer")}, nil
}

var errKilled = errors.New("killed")

// process is a golem that is killed at one of its writes.
type process struct {
	left atomic.Int64 // writes until then
}

func (p *process) kill() { p.left.Store(0) }

// write does a write, unless the process is dead.
func (p *process) write(do func() error) error {
	if p.left.Add(-1) < 0 {
		return errKilled
	}
	return do()
}

type mortalFiles struct {
	sandbox.FS
	of *process
}

func (m mortalFiles) WriteFile(name string, data []byte) error {
	return m.of.write(func() error { return m.FS.WriteFile(name, data) })
}

func (m mortalFiles) Remove(name string) error {
	return m.of.write(func() error { return m.FS.Remove(name) })
}

func (m mortalFiles) Rename(from, to string) error {
	return m.of.write(func() error { return m.FS.Rename(from, to) })
}

type mortalHost struct {
	state.Host
	of *process
}

func (m mortalHost) Append(name string) (io.WriteCloser, error) {
	w, err := m.Host.Append(name)
	return mortalFile{w, m.of}, err
}

type mortalFile struct {
	io.WriteCloser
	of *process
}

func (m mortalFile) Write(data []byte) (n int, err error) {
	err = m.of.write(func() error {
		n, err = m.WriteCloser.Write(data)
		return err
	})
	return n, err
}

func (p *process) store(files sandbox.FS) state.Store {
	s := state.Memory(files)
	s.Files, s.Host = mortalFiles{files, p}, mortalHost{s.Host, p}
	return s
}

// lives is more writes than any process of a plant makes.
const lives = 1 << 30

// run runs the batch in a new process until no item is open or the process is dead, and returns
// the result of its item.
func (p *plant) run(t *testing.T, proc *process, doubt string) batch.Result {
	t.Helper()
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", Site: core.Site{TrustKey: "/plant", State: proc.store(p.kept), Files: core.Tree{FS: p.project}},
		ModelSources: core.ModelSources{ReadScript: func(name string) ([]byte, error) { return fs.ReadFile(p.project, name) }},
		ToolSources:  core.ToolSources{Fetch: p},
		Person:       core.Person{Secrets: []string{knownSecret}},
	}, core.Options{Files: p.project, Name: "plant", Opening: options.Opening{Model: "script:s.yaml", Approval: "approve_all"}})
	if err != nil {
		t.Fatal(err)
	}
	store := state.Memory(p.queue)
	q, err := batch.OpenLocal(&store, batch.Head{Name: "b", Key: "id"})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, err := q.Update(oneInput{}); err != nil {
		t.Fatal(err)
	}
	q.Reconsider()
	store.Files, store.Host = mortalFiles{p.queue, proc}, mortalHost{store.Host, proc}
	staging, err := core.StagingHere(inst, inst.Clearance())
	if err != nil {
		t.Fatal(err)
	}
	w := core.NewBatchWorker(inst, core.BatchSetup{
		Name: "b", Outputs: mortalFiles{p.outputs, proc}, Host: store.Host, Account: run.NewAccount("b", 0, 0), Queue: q, Staging: staging, Doubt: doubt,
	})
	runs := batch.Worker(w)
	if p.around != nil {
		runs = p.around(w)
	}
	if err := batch.Run(t.Context(), q, runs, batch.Running{Jobs: 1}); err != nil && proc.left.Load() >= 0 {
		t.Fatal(err)
	}
	var out batch.Result
	store = state.Memory(p.queue)
	read, err := batch.ReadLocal(&store)
	if err == nil {
		err = read.Results(func(r batch.Result) error { out = r; return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	if out.Status.Ended() {
		lines, err := read.Trace("x")
		if err != nil && out.Error == nil {
			t.Fatal(err)
		}
		p.trace = string(lines)
	}
	return out
}

// questions returns what the parked item asks.
func (p *plant) questions(t *testing.T) (*batch.Local, []batch.Group) {
	t.Helper()
	store := state.Memory(p.queue)
	q, err := batch.ReadLocal(&store)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := q.Questions(false)
	if err != nil {
		t.Fatal(err)
	}
	return q, groups
}

type oneInput struct{}

func (oneInput) Read(yield func(batch.Input) error) error {
	return yield(batch.Input{Line: 1, JSON: json.RawMessage(`{"id":"x"}`)})
}

func newProcess(writes int64) *process {
	p := &process{}
	p.left.Store(writes)
	return p
}

// TestBatchCallInDoubt tests what --doubt does with a request to the network in whose middle
// golem was killed: it is made again only if a person or the flag says so.
func TestBatchCallInDoubt(t *testing.T) {
	for _, c := range []struct {
		doubt    string
		answer   approval.Answer // of a person; "": nobody is asked
		requests int32
		output   string
	}{
		{core.BatchRepeat, "", 2, `"saw an answer"`},
		{core.BatchFail, "", 1, `"saw an error"`},
		{core.BatchAsk, approval.Yes, 2, `"saw an answer"`},
		{"", approval.No, 1, `"saw an error"`},
	} {
		p := newPlant(t, map[string]string{
			"main.worker": "---\ntoolsets: {web: {}}\nsandbox: {network_enabled: true}\n---\nM.\n",
			"s.yaml": `script: 1
workers:
  main:
    - when: {turn: 1}
      calls: [{tool: web_fetch, args: {url: "https://example.org/a"}}]
    - when: {match: "an answer"}
      say: saw an answer
    - say: saw an error
`,
		})
		killed := newProcess(lives)
		p.onFetch = killed.kill
		if r := p.run(t, killed, c.doubt); r.Status != batch.Open || p.fetched.Load() != 1 {
			t.Fatalf("%s: the killed process left %+v after %d requests", c.doubt, r, p.fetched.Load())
		}
		r := p.run(t, newProcess(lives), c.doubt)
		if c.answer != "" {
			if r.Status != batch.Parked || p.fetched.Load() != 1 {
				t.Fatalf("%s: %+v after %d requests", c.doubt, r, p.fetched.Load())
			}
			q, groups := p.questions(t)
			if len(groups) != 1 || !strings.Contains(groups[0].Question.Request.Title, "web_fetch was running when golem ended") {
				t.Fatalf("asked %+v", groups)
			}
			if err := q.Answer(batch.Answer{Key: groups[0].Question.Key, Answer: c.answer, By: "me"}); err != nil {
				t.Fatal(err)
			}
			r = p.run(t, newProcess(lives), c.doubt)
		}
		if attempt := fmt.Sprintf("attempt %d of this item: it goes on", r.Attempt); r.Attempt < 2 || !strings.Contains(p.trace, attempt) {
			t.Errorf("%s: the trace of attempt %d does not say so: %s", c.doubt, r.Attempt, p.trace)
		}
		if r.Status != batch.OK || string(r.Output) != c.output || p.fetched.Load() != c.requests {
			t.Errorf("%s, answered %q: %s %s %v, %d requests", c.doubt, c.answer, r.Status, r.Output, r.Error, p.fetched.Load())
		}
	}
}

// TestBatchStagingKilled tests that what an item stages waits once in clearance, with nothing
// lost, wherever golem is killed until the item has ended.
func TestBatchStagingKilled(t *testing.T) {
	files := map[string]string{
		"main.worker": "---\ntoolsets: {filesystem: {}}\nsandbox:\n  mounts:\n    - {target: /, source: ., mode: rw}\n    - {target: /notes, source: notes, mode: staged}\n---\nM.\n",
		"s.yaml": `script: 1
workers:
  main:
    - when: {turn: 1}
      calls:
        - {tool: write_file, args: {path: notes/a.md, content: "a"}}
        - {tool: write_file, args: {path: log.txt, content: "log"}}
        - {tool: delete_file, args: {path: notes/old.md}}
    - say: done
`,
		"notes/old.md": "old",
	}
	for writes := int64(0); ; writes++ {
		p := newPlant(t, files)
		first := newProcess(writes)
		p.run(t, first, "")
		died := first.left.Load() < 0
		r := p.run(t, newProcess(lives), "")
		if log, err := fs.ReadFile(p.outputs, "x/log.txt"); r.Status != batch.OK || err != nil || string(log) != "log" {
			t.Errorf("killed at write %d: %+v, log.txt %q %v", writes, r, log, err)
		}
		if got := p.staged(t); got != "b/x: notes/a.md, notes/old.md (removed)" {
			t.Errorf("killed at write %d: %s", writes, got)
		}
		if !died {
			return
		}
	}
}

// staged returns the items of clearance.
func (p *plant) staged(t *testing.T) string {
	t.Helper()
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", Site: core.Site{TrustKey: "/plant", State: state.Memory(p.kept), Files: core.Tree{FS: p.project}},
	}, core.Options{Files: p.project, Name: "plant"})
	if err != nil {
		t.Fatal(err)
	}
	items, err := inst.Clearance().List()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, it := range items {
		if it.Err != nil || it.State != clearance.Pending {
			t.Errorf("item %s is %s: %v", it.ID, it.State, fault.Of(it.Err, fault.Config))
		}
		text := it.Run + ": "
		for n, c := range it.Changes {
			if n > 0 {
				text += ", "
			}
			text += c.Name()
			if c.Digest == "" {
				text += " (removed)"
			}
		}
		out = append(out, text)
	}
	return fmt.Sprint(strings.Join(out, "; "))
}
