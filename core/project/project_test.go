package project

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/sandbox"
)

// tree returns a file system with the files of a txtar text. A file name "a -> b" makes
// a symbolic link, and ¶ at the end of a file removes its last newline.
func tree(text string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		if name, target, ok := strings.Cut(f.Name, " -> "); ok {
			fsys[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
			continue
		}
		data := f.Data
		if cut, ok := strings.CutSuffix(string(data), "¶\n"); ok {
			data = []byte(cut)
		}
		fsys[f.Name] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	return fsys
}

func demo(text string) Setup {
	return Setup{
		FS: tree(text), Name: "demo", Platform: Platform{
			Name: "native", Toolsets: []string{"custom", "filesystem", "workers", "shell"}, Limited: map[string][]string{"shell": {"native"}},
		},
	}
}

func open(t *testing.T, s Setup) *Project {
	t.Helper()
	p, err := Load(s)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return p
}

func worker(t *testing.T, s Setup, ref string) *Worker {
	t.Helper()
	w, err := open(t, s).Workers.Find(ref)
	if err != nil {
		t.Fatalf("worker %s: %v", ref, err)
	}
	return w
}

// entryOf loads a project and returns its entry, or the error of either step.
func entryOf(s Setup) (*Worker, error) {
	p, err := Load(s)
	if err != nil {
		return nil, err
	}
	return p.Workers.Entry()
}

// wantFault checks that an error is a fault with this code and that its text has these
// pieces.
func wantFault(t *testing.T, err error, code fault.Code, pieces ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", code)
	}
	if !errors.Is(err, code) {
		t.Fatalf("error %v, want %s", err, code)
	}
	for _, piece := range pieces {
		if !strings.Contains(err.Error(), piece) {
			t.Errorf("error %q does not say %q", err, piece)
		}
	}
}

// Scenario 1
func TestFrontMatter(t *testing.T) {
	w := worker(t, demo("-- main.worker --\n---\nname: main\ndescription: \"x --- y\"\n---\nA\n---\nB¶\n"), "main")
	if w.Description != "x --- y" || w.Instructions != "A\n---\nB" {
		t.Errorf("description %q, instructions %q", w.Description, w.Instructions)
	}
	for name, file := range map[string]string{
		"BOM":     "\ufeff---\nname: main\n---\nA",
		"CRLF":    "---\r\nname: main\r\n---\r\nA",
		"yaml":    "name: main\ninstructions: A",
		"marker":  "---\nname: main\ninstructions: A",
		"spaces":  "--- \nname: main\ninstructions: A",
		"indents": "---\nname: main\ndescription: |\n  ---\n---\nA",
	} {
		t.Run(name, func(t *testing.T) {
			s := demo("")
			s.FS = fstest.MapFS{"main.worker": {Data: []byte(file)}}
			if w := worker(t, s, "main"); w.Instructions != "A" || w.Name != "main" {
				t.Errorf("name %q, instructions %q", w.Name, w.Instructions)
			}
		})
	}
	s := demo("")
	s.FS = fstest.MapFS{"main.worker": {Data: []byte("---\n---\r\n\r\n  A\r\n\t\n")}}
	if w := worker(t, s, "main"); w.Instructions != "\r\n  A\r\n\t\n" {
		t.Errorf("the body is not byte for byte: %q", w.Instructions)
	}
}

const forms = `
-- greeter.yaml --
name: greeter
instructions: |
  You are a friendly greeter. When given a name, respond with a warm greeting.
-- workers/ev.yaml --
description: evaluates
-- prompts/ev.jinja2 --
jinja
-- prompts/ev.md --
markdown
-- workers/two.worker --
---
instructions: a
---

body
`

// Scenario 2
func TestForms(t *testing.T) {
	s := demo(forms)
	if w := worker(t, s, "./greeter.yaml"); w.ID != "greeter" || !strings.HasPrefix(w.Instructions, "You are") {
		t.Errorf("greeter: %+v", w)
	}
	before := worker(t, s, "ev")
	if before.Instructions != "jinja\n" {
		t.Errorf("ev: %q", before.Instructions)
	}
	_, err := open(t, s).Workers.Find("two")
	wantFault(t, err, fault.Config, "workers/two.worker:2:15", "instructions are given twice", "line 2", "line 4")

	files := tree(forms)
	delete(files, "prompts/ev.jinja2")
	s.FS = files
	after := worker(t, s, "ev")
	if after.Instructions != "markdown\n" || after.Digest == before.Digest {
		t.Errorf("ev: %q, digest %s", after.Instructions, after.Digest)
	}
	delete(files, "prompts/ev.md")
	_, err = open(t, s).Workers.Find("ev")
	wantFault(t, err, fault.Config, "prompts/ev.jinja2, prompts/ev.j2, prompts/ev.jinja, prompts/ev.txt, prompts/ev.md")
}

// Scenario 3
func TestStrictConfig(t *testing.T) {
	s := demo(`
-- main.worker --
---
description: a
toolset: {filesystem: {}}
mode: chat
mode: single
---
hi
`)
	_, err := entryOf(s)
	wantFault(t, err, fault.Config, `main.worker:5:1: E_CONFIG: duplicate key "mode" (first on line 4)`)
	s.FS = tree("-- main.worker --\n---\ndescription: a\ntoolset: {filesystem: {}}\n---\nhi\n")
	_, err = entryOf(s)
	wantFault(t, err, fault.Config, `main.worker:3:1: E_CONFIG: unknown key "toolset" (did you mean toolsets)`)

	s.FS = tree("-- main.worker --\ninstructions: a\n-- project.yaml --\nversion: 1\n-- llm-do.yaml --\nversion: 1\n")
	_, err = Load(s)
	wantFault(t, err, fault.MultipleManifests, "project.yaml, llm-do.yaml")

	s.FS, err = fs.Sub(tree("-- project.yaml --\nmodel: a:b\n-- sub/project.yaml --\nmodel: [\n-- sub/main.worker --\ninstructions: a\n"), "sub")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Load(s)
	wantFault(t, err, fault.Config, "project.yaml:", "malformed YAML")
	if faults := Check(p, ""); len(faults) != 1 {
		t.Errorf("check: %v", faults)
	}
	if _, err := p.Workers.Entry(); err == nil {
		t.Error("a project with a malformed manifest gave out a worker")
	}
	for version, want := range map[string]string{"1": "", `"1.0.0"`: "", "1.0.0": "", "1.0": `put it in quotes: "1.0"`, "2": "not known", "true": "quotes"} {
		s.FS = tree("-- main.worker --\ninstructions: a\n-- project.yaml --\nname: x\nversion: " + version + "\n")
		_, err := Load(s)
		if want == "" && err != nil {
			t.Errorf("version %s: %v", version, err)
		} else if want != "" {
			wantFault(t, err, fault.Config, "project.yaml:2:10", want)
		}
	}
}

// Scenario 4
func TestPrecedence(t *testing.T) {
	file := map[bool]string{true: "-- main.worker --\n---\nmodel: c:c\n---\nhi\n", false: "-- main.worker --\ninstructions: hi\n"}
	manifest := "-- project.yaml --\nname: x\nmodel: a:a\napproval: {mode: auto_deny}\n"
	s := demo(file[true] + manifest)
	s.Env = map[string]string{"GOLEM_MODEL": "b:b", "LLM_DO_MODEL": "no:no"}
	s.Options.Model = "d:d"
	expect := func(model, origin string) *Worker {
		t.Helper()
		w, err := entryOf(s)
		if err != nil {
			t.Fatal(err)
		}
		if w.Model != model || w.Origins["model"] != origin {
			t.Errorf("model %q from %q, want %q from %q", w.Model, w.Origins["model"], model, origin)
		}
		return w
	}
	expect("d:d", "command line")
	s.Options.Model = ""
	expect("c:c", "main.worker:2")
	s.FS = tree(file[false] + manifest)
	expect("b:b", "environment GOLEM_MODEL")
	s.Env = map[string]string{"LLM_DO_MODEL": "e:e", "GOLEM_FORGE_MODEL": "f:f"}
	expect("e:e", "environment LLM_DO_MODEL")
	s.Env = nil
	if w := expect("a:a", "project.yaml:2"); w.NeedModel() != nil {
		t.Error(w.NeedModel())
	}
	if set := open(t, s).Approval; set.Mode != approval.AutoDeny || set.Origin != "project.yaml:3" || set.Trusted {
		t.Errorf("approval %v", set)
	}
	s.Env = map[string]string{"GOLEM_APPROVAL": "approve_all"}
	if set := open(t, s).Approval; set.Mode != approval.ApproveAll || set.Origin != "environment GOLEM_APPROVAL" || !set.Trusted {
		t.Errorf("approval %v", set)
	}
	s.Options.Approval = "prompt"
	if set := open(t, s).Approval; set.Mode != approval.Interactive || set.Origin != "command line" {
		t.Errorf("approval %v", set)
	}
	s = demo(file[false])
	w := expect("", "default")
	wantFault(t, w.NeedModel(), fault.Model, "--model", "main.worker", "GOLEM_MODEL", "manifest")
	if set := open(t, s).Approval; set.Mode != approval.Interactive || set.Origin != "default" {
		t.Errorf("approval %v", set)
	}
}

// Scenario 4
func TestCompatibleModels(t *testing.T) {
	s := demo("-- main.worker --\n---\ncompatible_models: [\"Anthropic:*\", \"openrouter:*gpt*\"]\n---\nhi\n")
	for model, ok := range map[string]bool{"anthropic:claude": true, "ANTHROPIC:x": true, "openrouter:openai/gpt-5": true, "openai:gpt-5": false} {
		s.Options.Model = model
		_, err := entryOf(s)
		if ok && err != nil {
			t.Errorf("%s: %v", model, err)
		} else if !ok {
			wantFault(t, err, fault.Model, "main.worker:2", "command line", "Anthropic:*")
		}
	}
	s.FS = tree("-- main.worker --\n---\ncompatible_models: []\n---\nhi\n")
	_, err := entryOf(s)
	wantFault(t, err, fault.Config, "empty list")
}

// Scenario 5
func TestMergeOfManifestAndWorker(t *testing.T) {
	s := demo(`
-- project.yaml --
sandbox:
  paths:
    input: {root: ./input, mode: ro}
    output: {root: ./output, mode: rw}
toolsets:
  filesystem:
    approval: {tools: {read_file: preApproved}}
    list: [a, b]
-- main.worker --
---
sandbox:
  paths: {scratch: {root: ./scratch}}
toolsets:
  filesystem:
    approval: {default: ask}
    list: [c]
---
hi
-- workers/bare.worker --
---
toolsets: {filesystem: false}
---
hi
-- workers/null.worker --
---
toolsets:
  filesystem:
---
hi
`)
	w := worker(t, s, "main")
	want := []Mount{
		{Name: "input", Target: "/input", Source: "input", Mode: sandbox.ReadOnly, Origin: "project.yaml:3"},
		{Name: "output", Target: "/output", Source: "output", Mode: sandbox.ReadWrite, Origin: "project.yaml:4"},
		{Name: "scratch", Target: "/scratch", Source: "scratch", Mode: sandbox.ReadWrite, Own: true, Origin: "main.worker:3"},
	}
	if diff := cmp.Diff(want, w.Sandbox.Mounts); diff != "" {
		t.Error(diff)
	}
	if got := string(w.Toolsets[0].Options); got != `{"list":["c"]}` {
		t.Errorf("options %s", got)
	}
	if w.Policy.WorkerTools["read_file"] != approval.PreApproved || w.Policy.WorkerDefaults["filesystem"] != approval.Ask {
		t.Errorf("policy %+v", w.Policy)
	}
	if w.Origins["toolsets.filesystem.approval.default"] != "main.worker:6" || w.Origins["toolsets.filesystem.approval.tools.read_file"] != "project.yaml:7" {
		t.Errorf("origins %v", w.Origins)
	}
	if w := worker(t, s, "bare"); len(w.Toolsets) != 0 {
		t.Errorf("bare has %v", w.Toolsets)
	}
	if w := worker(t, s, "null"); len(w.Toolsets) != 1 || string(w.Toolsets[0].Options) != `{"list":["a","b"]}` {
		t.Errorf("null has %v", w.Toolsets)
	}
}
