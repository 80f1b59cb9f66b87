package project

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core/fault"
)

const broken = `
-- project.yaml --
model: openai:x
nam: demo
toolsets: {shell: {}, filesystm: {}}
sandbox: {paths: {up: {root: ../up}}}
-- main.worker --
---
compatible_models: ["anthropic:*"]
allow_workers: [helper, ./gone, ../up, twice, ignored/i]
imports:
  workers: [lib:x]
  tools: [toolsets/fmt.py, tools/none, pkg.mod:register, ../t.py, built.py]
output_schema: schemas/none.json
---
hi {{ name }}
-- toolsets/fmt.py --
x
-- built.py --
x
-- built.wasm --
x
-- tools/extra.py --
x
-- workers/helper.worker --
---
name: hlper
limits: {turns: many}
---
hi
-- workers/a.worker --
---
imports: {workers: [b]}
---
a
-- workers/b.worker --
---
imports: {workers: [a]}
---
b
-- workers/twice.yaml --
instructions: a
-- workers/twice.yml --
instructions: a
-- workers/node_modules/x.worker --
: broken
-- workers/ignored/i.worker --
instructions: a
-- workers/drafts/d.worker --
: broken
-- workers/t.tools.yaml --
tools: []
-- workers/c/worker.worker --
instructions: c
-- workers/c/schemas/s.yaml --
: broken
-- .golemignore --
/workers/ignored/
*.yaml
!twice.yaml
`

// Scenario 39
func TestCheckFindsEverythingAtOnce(t *testing.T) {
	s := demo(strings.Replace(broken, "nam: demo", "nam: demo\nworkers: {exclude: [\"**/drafts/**\"]}", 1))
	p, err := Load(s)
	wantFault(t, err, fault.Config, `unknown key "nam"`)
	var got []string
	for _, f := range Check(p, "browser") {
		got = append(got, f.Error())
	}
	want := []string{
		`main.worker:2:20: E_MODEL: model "openai:x" (project.yaml:1) is not among this worker's compatible_models: anthropic:* (choose a matching model with --model or model:)`,
		`main.worker:3:25: E_WORKER_NOT_FOUND: no worker "./gone" (looked for gone.worker, gone.yaml, gone.yml, gone/worker.worker) (golem workers lists the workers)`,
		`main.worker:3:33: E_PATH: Parent directory references not allowed: "../up" (name a worker of this project by its ID or as ./path)`,
		`main.worker:3:40: E_AMBIGUOUS: "twice" is defined by workers/twice.yaml and workers/twice.yml (keep one of them)`,
		`main.worker:3:47: E_CONFIG: warning: "ignored/i" refers to workers/ignored/i.worker, which the ignore file leaves out when workers are listed (remove it from the ignore file)`,
		`main.worker:5:13: E_LIBRARY_NOT_FOUND: "lib:x" names the library "lib", which is not among the dependencies (add lib to dependencies: in project.yaml)`,
		`main.worker:6:11: E_TOOL_LANGUAGE: toolsets/fmt.py is source code, and there is no toolsets/fmt.wasm (build it: extism-py toolsets/fmt.py -o toolsets/fmt.wasm, if it is written with the Extism PDK; other source, such as a tool of llm-do, has to be ported: golem tool new DIR writes a tool to begin with)`,
		`main.worker:6:28: E_NOT_FOUND: no tool module "tools/none" (looked for tools/none.wasm)`,
		`main.worker:6:40: E_TOOL_DISALLOWED: "pkg.mod:register" names a module outside the project (allow it with --allow-module-imports, or copy the module into the project)`,
		`main.worker:6:58: E_PATH: Parent directory references not allowed: "../t.py"`,
		`main.worker:7:16: E_SCHEMA: no schema file "schemas/none.json" (looked for schemas/none.json, schemas/schemas/none.json)`,
		`project.yaml:2:1: E_CONFIG: unknown key "nam" (did you mean name)`,
		`project.yaml:4:12: E_PLATFORM: the toolset "shell" does not exist on platform "browser", only on native (remove it, or run the project on a platform that has it)`,
		`project.yaml:4:23: E_CONFIG: unknown toolset "filesystm" (did you mean filesystem)`,
		`project.yaml:5:30: E_PATH: the sandbox directory "../up" is outside the project (move it into the project, or run with --allow-outside)`,
		`tools/extra.py:1:1: E_TOOL_LANGUAGE: tools/extra.py is source code, and there is no tools/extra.wasm (build it: extism-py tools/extra.py -o tools/extra.wasm, if it is written with the Extism PDK; other source, such as a tool of llm-do, has to be ported: golem tool new DIR writes a tool to begin with)`,
		`workers/helper.worker:2:7: E_NAME_MISMATCH: name is "hlper", but the file's path gives the worker the ID "helper" (write name: helper, or remove it)`,
		`workers/helper.worker:3:17: E_CONFIG: limits.turns: expected a whole number, found text`,
		`workers/twice.yml:1:1: E_AMBIGUOUS: "twice" is defined by workers/twice.yaml and workers/twice.yml (keep one of them)`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again, _ := Load(s)
	var second []string
	for _, f := range Check(again, "browser") {
		second = append(second, f.Error())
	}
	if diff := cmp.Diff(got, second); diff != "" {
		t.Errorf("two checks differ: %s", diff)
	}
	for _, f := range again.Trees.Opened() {
		if strings.Contains(f, "node_modules") || strings.Contains(f, "drafts") {
			t.Errorf("opened %s", f)
		}
	}
}

// Scenario 39
func TestListing(t *testing.T) {
	s := demo(strings.NewReplacer("nam: demo", "workers: {exclude: [\"**/drafts/**\"]}", "../up", "up").Replace(broken))
	s.Builtin = tree("-- a.worker --\n---\ndescription: built-in a\n---\na\n-- z.worker --\n---\ndescription: last\n---\nz\n-- prompts/z.md --\nz\n")
	p, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	rows, faults := p.Workers.List()
	want := []Listing{
		{ID: "a", Path: "workers/a.worker", Source: "project", Shadowed: []string{"builtin:a.worker"}},
		{ID: "b", Path: "workers/b.worker", Source: "project", Shadowed: []string{}},
		{ID: "c", Path: "workers/c/worker.worker", Source: "project", Shadowed: []string{}},
		{ID: "helper", Path: "workers/helper.worker", Source: "project", Shadowed: []string{}},
		{ID: "main", Path: "main.worker", Source: "project", Shadowed: []string{}},
		{ID: "twice", Path: "workers/twice.yaml", Source: "project", Shadowed: []string{"workers/twice.yml"}},
		{ID: "z", Path: "builtin:z.worker", Source: "built-in", Description: "last", Shadowed: []string{}},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	if len(faults) != 1 || faults[0].Code != fault.Ambiguous {
		t.Errorf("faults %v", faults)
	}
}

func TestCheckOfACleanProject(t *testing.T) {
	s := demo("-- main.worker --\n---\nallow_workers: '*'\n---\nhi\n-- workers/a.worker --\ninstructions: a\n")
	p := open(t, s)
	if got := Check(p, ""); len(got) > 0 {
		t.Errorf("%v", got)
	}
	w, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.Workers.Delegates(w)
	if err != nil || len(all) != 1 || all[0].ID != "a" {
		t.Errorf("delegates %v, %v", all, err)
	}
}

func TestEntryRules(t *testing.T) {
	for name, c := range map[string]struct{ files, entry, want string }{
		"main":             {"-- main.worker --\ninstructions: a\n-- workers/main.worker --\ninstructions: a\n", "", "main.worker"},
		"workers root":     {"-- workers/main.yaml --\ninstructions: a\n", "", "workers/main.yaml"},
		"manifest":         {"-- project.yaml --\nentry: workers/x\n-- main.worker --\ninstructions: a\n-- workers/x.worker --\ninstructions: a\n", "", "workers/x.worker"},
		"flag":             {"-- project.yaml --\nentry: nope\n-- workers/x.worker --\ninstructions: a\n", "x", "workers/x.worker"},
		"flag, long":       {"-- workers/x/worker.worker --\ninstructions: a\n", "workers/x", "workers/x/worker.worker"},
		"flag, file":       {"-- workers/x.yml --\ninstructions: a\n", "workers/x.yml", "workers/x.yml"},
		"main is the root": {"-- main.worker --\ninstructions: a\n-- workers/main.worker --\ninstructions: a\n", "workers/main", "workers/main.worker"},
		"other root":       {"-- llm-do.yaml --\nworkers: {root: agents}\n-- agents/main.worker --\ninstructions: a\n", "", "agents/main.worker"},
		"workerPaths":      {"-- golem-forge.config.yaml --\nworkerPaths: [one, two]\n-- two/main.worker --\ninstructions: a\n", "", "two/main.worker"},
	} {
		t.Run(name, func(t *testing.T) {
			s := demo(c.files)
			s.Options.Entry = c.entry
			w, err := entryOf(s)
			if err != nil || w.File != c.want {
				t.Errorf("got %+v, %v, want %s", w, err, c.want)
			}
		})
	}
	_, err := entryOf(demo("-- readme.md --\nx\n"))
	wantFault(t, err, fault.Project, "No main.worker in demo")
	_, err = entryOf(demo("-- project.yaml --\nname: x\nentry: nope\n"))
	wantFault(t, err, fault.WorkerNotFound, "project.yaml:2:8")
	s := demo("-- project.yaml --\nmodel: [\n-- t.worker --\ninstructions: a\n")
	s.Options.Entry, s.Options.NoProject = "./t.worker", true
	if w, err := entryOf(s); err != nil || w.ID != "t" {
		t.Errorf("a lone file: %v", err)
	}
}

func TestLocate(t *testing.T) {
	for file, want := range map[string][2]string{
		"task.worker":                    {".", "./task.worker"},
		"dir/task.worker":                {"dir", "./task.worker"},
		"/task.worker":                   {"/", "./task.worker"},
		"p/workers/a/b.worker":           {"p", "./workers/a/b.worker"},
		"workers/b.worker":               {".", "./workers/b.worker"},
		"/workers/b.worker":              {"/", "./workers/b.worker"},
		"/home/workers/p/workers/b.yaml": {"/home/workers/p", "./workers/b.yaml"},
		"../p/workers/c/worker.worker":   {"../p", "./workers/c/worker.worker"},
		"C:/p/./workers/x/../c/w.worker": {"C:/p", "./workers/c/w.worker"},
		"p/workers.worker":               {"p", "./workers.worker"},
	} {
		if root, ref := Locate(file); [2]string{root, ref} != want {
			t.Errorf("Locate(%q) = %q, %q, want %q", file, root, ref, want)
		}
	}
}

func TestToolsetOptionsAreJudgedByTheirFactory(t *testing.T) {
	s := demo("-- project.yaml --\ntoolsets:\n  shell:\n    deep:\n      colour: red\n-- main.worker --\ninstructions: a\n")
	s.Platform.Options = checked(func(name string) error {
		if name == "shell" {
			return fault.New(fault.Config, "unknown option %q", "colour").Hinting("known: color")
		}
		return nil
	})
	_, err := entryOf(s)
	wantFault(t, err, fault.Config, `project.yaml:4:7: E_CONFIG: unknown option "colour" (known: color)`)
	s.Platform.Options = checked(func(string) error { return errors.New("all is wrong") })
	_, err = entryOf(s)
	wantFault(t, err, fault.Config, `project.yaml:2:3: E_CONFIG: all is wrong`)
}

func TestWarningsOfARun(t *testing.T) {
	s := demo("-- main.worker --\ninstructions: a\n-- tools.py --\nx\n-- workers/w/worker.worker --\ninstructions: a\n-- workers/w/tools/t.rs --\nx\n-- tools/__init__.py --\nx\n")
	p := open(t, s)
	w, err := p.Workers.Find("w")
	if err != nil {
		t.Fatal(err)
	}
	got := p.Workers.Warnings(w)
	if len(got) != 2 || got.Err() != nil || got[0].Where.File != "tools.py" || got[1].Where.File != "workers/w/tools/t.rs" {
		t.Errorf("%v", got)
	}
	s.Options.NoImportTools = true
	if got := open(t, s).Workers.Warnings(w); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// checked checks the options of toolsets by their names.
type checked func(name string) error

func (c checked) Check(name string, _ json.RawMessage) error { return c(name) }
