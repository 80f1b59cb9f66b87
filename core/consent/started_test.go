package consent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/started"
	"golem/core/tool"
	"golem/core/trust"
)

// memoryFile is a File in memory.
type memoryFile struct{ data []byte }

func (m *memoryFile) Read() ([]byte, error) { return m.data, nil }

func (m *memoryFile) Change(change func([]byte) ([]byte, error)) error {
	data, err := change(m.data)
	if err == nil {
		m.data = data
	}
	return err
}

// asked is a person who says yes to each question, and notes its lines.
type asked struct{ lines []approval.Line }

func (a *asked) Approve(_ context.Context, r approval.Request) (approval.Decision, error) {
	a.lines = append(a.lines, r.Lines...)
	return approval.Decision{ID: r.ID, Answer: approval.Yes}, nil
}

// opened opens a project of files with one MCP server, for one run.
func opened(t *testing.T, kept File, files map[string]string) (*Consent, *project.Worker) {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o755}
	}
	p, err := project.Load(project.Setup{FS: tree, Work: started.Tree{FS: tree, Root: "/p"}, Platform: project.Platform{Toolsets: []string{"mcp", "filesystem", "shell"}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := ReadAnswers(Source{File: kept, Key: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	c := New(answers, p, &run.Runner{})
	return c, w
}

// use opens the server as a run does.
func serverUse(t *testing.T, c *Consent, w *project.Worker, person approval.Approver) error {
	t.Helper()
	gate := approval.NewGate(approval.Interactive, person)
	return c.Server(t.Context(), w, "s", gate.Ask)
}

func worker(line string) string {
	return "---\ntoolsets: {filesystem: {}, mcp: {s: {" + line + "}}}\n---\nGo.\n"
}

// SPEC §3, scenario 68: what a trusted MCP server starts is protected in every spelling, is
// named in the question, and a changed file is asked about again, with its name.
func TestStartedFileIsPartOfTheTrust(t *testing.T) {
	for _, line := range []string{
		"command: ./srv.py", "command: python3, args: [srv.py]", "command: bash, args: [-c, ./srv.py]", "command: env, args: [X=1, ./srv.py]", "command: /p/srv.py", "command: sh, args: [-c, 'cd . && ./srv.py']",
		"command: ./wrapper", "command: uv, args: [run, srv.py]", "command: deno, args: [run, -A, srv.py]", "command: /usr/bin/x, env: {NODE_OPTIONS: --require=./srv.py}",
	} {
		kept, files := &memoryFile{}, map[string]string{"main.worker": worker(line), "srv.py": "#!/usr/bin/env python3\n1\n", "wrapper": "#!/bin/sh\nexec ./srv.py\n"}
		c, w := opened(t, kept, files)
		if !c.project.Trees.Starts("srv.py") || c.project.Trees.Starts("main.worker") {
			t.Errorf("%s: srv.py is not protected", line)
		}
		person := &asked{}
		if err := serverUse(t, c, w, person); err != nil || len(person.lines) != 1 {
			t.Fatalf("%s: %v, %+v", line, err, person.lines)
		}
		if l := person.lines[0]; !strings.Contains(l.Means, "of the project") || !strings.Contains(l.Means, "srv.py") || !strings.Contains(l.Value, " srv.py") || l.Danger != "programs" {
			t.Errorf("%s: %+v", line, l)
		}
		c, w = opened(t, kept, files)
		if err := serverUse(t, c, w, person); err != nil || len(person.lines) != 1 {
			t.Errorf("%s: the same bytes are asked about again", line)
		}
		files["srv.py"] += "evil\n"
		c, w = opened(t, kept, files)
		if err := serverUse(t, c, w, person); err != nil || len(person.lines) != 2 || !strings.Contains(person.lines[1].Means, "asked again: srv.py changed since you trusted it") {
			t.Errorf("%s: %v, %+v", line, err, person.lines)
		}
		files["main.worker"] = "---\ntoolsets: {filesystem: {}}\n---\nGo.\n" // the worker with the server is not loaded
		if c, _ = opened(t, kept, files); !c.project.Trees.Starts("srv.py") {
			t.Errorf("%s: srv.py is not protected without the worker", line)
		}
	}
}

// A pinned digest covers the bytes of what is started.
func TestPinnedDigestCoversStartedFiles(t *testing.T) {
	files := map[string]string{"main.worker": worker("command: ./srv.py"), "srv.py": "1"}
	c, w := opened(t, nil, files)
	digest := c.beyond.workerWidenings(t.Context(), w, nil, map[string]string{}).Digest()
	files["srv.py"] = "2"
	c, w = opened(t, nil, files)
	if c.beyond.workerWidenings(t.Context(), w, nil, map[string]string{}).Digest() == digest {
		t.Error("the digest of the list does not change with srv.py")
	}
}

// What may run any file is asked about again after a worker wrote, in the same run and in
// the next one; data beside a script is no code.
func TestAnyFileIsAskedAgainAfterAWrite(t *testing.T) {
	for line, one := range map[string]struct {
		says   string
		writes map[string]bool // whether a write asks again
	}{
		"command: make, args: [serve]":                {"any file of the project may run", map[string]bool{"/p/x.txt": true, "/q/x.txt": false, "": true}},
		"command: python3, args: [srv.py]":            {"other code of the project may run", map[string]bool{"/p/x.txt": false, "/p/helper.py": true, "": true}},
		"command: python3, args: [-m, pkg]":           {"any file", map[string]bool{"/p/x.txt": true}},
		"command: /usr/bin/srv, args: ['./data/dir']": {"", map[string]bool{"/p/x.txt": false, "/p/helper.py": false, "": false}},
	} {
		for name, again := range one.writes {
			kept, files := &memoryFile{}, map[string]string{"main.worker": worker(line), "srv.py": "1", "Makefile": "x"}
			c, w := opened(t, kept, files)
			person := &asked{}
			if err := serverUse(t, c, w, person); err != nil || len(person.lines) != 1 || !strings.Contains(person.lines[0].Means, one.says) {
				t.Fatalf("%s: %v, %+v", line, err, person.lines)
			}
			c.Changes().Wrote(name)
			c.Changes().Wrote(name)
			want := 1
			if again {
				want = 2
			}
			next, nw := opened(t, &memoryFile{slices.Clone(kept.data)}, files)
			if err := serverUse(t, c, w, person); err != nil || len(person.lines) != want {
				t.Errorf("%s after %q in the same run: %v, %d questions", line, name, err, len(person.lines))
			}
			person = &asked{lines: person.lines[:1]}
			if err := serverUse(t, next, nw, person); err != nil || len(person.lines) != want {
				t.Errorf("%s after %q in the next run: %v, %d questions", line, name, err, len(person.lines))
			}
			if again && !strings.Contains(person.lines[1].Means, "asked again: a worker changed files of the project since you trusted it") {
				t.Errorf("%s: %+v", line, person.lines[1])
			}
			if again { // after the yes, the next change counts again
				if next.Changes().Wrote(name); serverUse(t, next, nw, person) != nil || len(person.lines) != 3 {
					t.Errorf("%s: %d questions", line, len(person.lines))
				}
			}
		}
	}
}

// A no before the run is not asked again, but a file that changed since then is.
func TestChangedAfterTheQuestionBeforeTheRun(t *testing.T) {
	files := map[string]string{"main.worker": worker("command: make"), "Makefile": "x"}
	c, w := opened(t, nil, files)
	for _, n := range c.beyond.servers(w, "") {
		c.before.Store(n.Key(), true)
		c.judge.Trust(trust.List{n})
	}
	person := &asked{}
	c.Changes().Wrote("/p/x")
	if err := serverUse(t, c, w, person); err != nil || len(person.lines) != 1 {
		t.Errorf("%v, %+v", err, person.lines)
	}
	c, w = opened(t, nil, files)
	for _, n := range c.beyond.servers(w, "") {
		c.before.Store(n.Key(), true)
	}
	if err := serverUse(t, c, w, person); !errors.Is(err, fault.Trust) || len(person.lines) != 1 {
		t.Errorf("%v: asked again although the person said no", err)
	}
}

// A rule of the project on commands covers the bytes of the files that it names.
func TestRuleNamesFiles(t *testing.T) {
	files := map[string]string{
		"project.yaml": "approval: {rules: [{tool: run_command, when: {command: './test.sh *'}, decide: preApproved}]}\n",
		"main.worker":  "---\ntoolsets: {shell: {}}\n---\nGo.\n", "test.sh": "#!/bin/sh\n",
	}
	c, w := opened(t, nil, files)
	if !c.project.Trees.Starts("test.sh") {
		t.Error("test.sh is not protected")
	}
	all := approval.Widens(tool.Spec{Name: "run_command", Toolset: "shell", Risk: tool.Command}, w.Policy)
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	c.judge.Trust(trust.List{c.beyond.rule(all[0])})
	if !c.Setting(all[0]) {
		t.Error("the rule is not trusted")
	}
	old := c.beyond.rule(all[0])
	files["test.sh"] += "evil\n"
	changed, _ := opened(t, nil, files)
	changed.judge.Trust(trust.List{old})
	if changed.Setting(all[0]) {
		t.Error("the rule is trusted with other bytes")
	}
}

// Entries with short fingerprints, or without the digests of what is started, are asked
// again, saying why.
func TestOlderEntriesAreAskedAgain(t *testing.T) {
	whole := fingerprint("V")
	for _, one := range []struct{ line, stored, started, why string }{
		{"url: 'https://x.example/mcp', headers: {x-h: V}", `{"headers":{"x-h":"` + whole[:len("sha256:")+16] + `"},"url":"https://x.example/mcp"}`, "", "this entry was stored with a shorter fingerprint by an older golem"},
		{"command: ./srv.py", `{"command":"./srv.py"}`, "", "golem now counts the files that it starts"},
	} {
		var b trust.Book
		b.Add("/p", trust.List{{File: "main.worker", Path: "toolsets.mcp.s", Value: one.stored, Started: one.started}})
		data, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		c, w := opened(t, &memoryFile{data}, map[string]string{"main.worker": worker(one.line), "srv.py": "1"})
		person := &asked{}
		if err := serverUse(t, c, w, person); err != nil || len(person.lines) != 1 || !strings.HasPrefix(person.lines[0].Means, "asked again: "+one.why) {
			t.Errorf("%s: %v, %+v", one.line, err, person.lines)
		}
	}
	if len(whole) != len("sha256:")+64 {
		t.Errorf("%s is not whole", whole)
	}
}

// SPEC §7: the most dangerous lines of a question come first, and none is left out.
func TestDangerousLinesComeFirst(t *testing.T) {
	var l trust.List
	for i := range 40 {
		l = append(l, trust.Widening{File: "a", Path: "p" + strings.Repeat("x", i), Danger: trust.Danger(i % 6)})
	}
	q := (&Consent{Answers: &Answers{}}).question(l)
	if len(q.Lines) != 40 || q.Lines[0].Danger != "programs" || q.Lines[39].Danger != "other" {
		t.Fatalf("%+v", q.Lines)
	}
	order := []string{"programs", "keys", "commands", "hosts", "outside", "other"}
	for i := 1; i < 40; i++ {
		if slices.Index(order, q.Lines[i-1].Danger) > slices.Index(order, q.Lines[i].Danger) {
			t.Errorf("%s before %s", q.Lines[i-1].Danger, q.Lines[i].Danger)
		}
	}
}
