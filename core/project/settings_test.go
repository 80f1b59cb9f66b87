package project

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/sandbox"
)

// inMain returns a project whose main.worker has the given front matter, from line 2.
func inMain(front string) Setup {
	return demo("-- main.worker --\n---\n" + front + "\n---\nhi\n")
}

func TestEveryValueHasItsDefault(t *testing.T) {
	w, err := entryOf(inMain("description: x"))
	if err != nil {
		t.Fatal(err)
	}
	if w.Mode != "single" || w.Retry.Attempts != 3 || w.Delegates.Style != "tools" || w.Input != nil || w.Output != nil {
		t.Errorf("%+v", w)
	}
	if diff := cmp.Diff(config.Limits{Turns: 200, ToolTimeout: 30 * time.Second, WorkerTimeout: 10 * time.Minute, ModelTimeout: 2 * time.Minute, ToolOutput: 50000}, w.Limits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(config.Delegation{MaxDepth: 5, WarnDepth: 3, Parallel: 8}, w.Delegation); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(config.AttachmentPolicy{MaxAttachments: 4, MaxTotalBytes: 10_000_000}, w.Attachments); diff != "" {
		t.Error(diff)
	}
	root := Sandbox{Mounts: []Mount{{Name: "root", Target: "/", Source: ".", Mode: sandbox.ReadWrite, Origin: "default"}}}
	if diff := cmp.Diff(root, w.Sandbox); diff != "" {
		t.Error(diff)
	}
	for _, key := range []string{"model", "limits.turns", "delegation.max_depth", "sandbox.root", "approval.mode"} {
		if w.Origins[key] != "default" {
			t.Errorf("%s comes from %q", key, w.Origins[key])
		}
	}
}

func TestLimitsAndAliases(t *testing.T) {
	s := demo(`
-- golem-forge.config.yml --
delegation: {maxDepth: 7, warnDepth: 2, allowRecursion: true}
limits: {tool_timeout: 1m, turns: 9}
retry: {attempts: 1}
-- main.worker --
---
limits: {tool_timeout: 0, model_timeout: "1h 30m", tool_output: 10 KiB, tokens: 1_000}
attachment_policy: {max_attachments: 1, max_total_bytes: 1.5 MB, allowed_suffixes: [PDF, .txt]}
delegation: {parallel: 2}
allow_empty_input: true
max_context_tokens: 50
mode: chat
---
hi
`)
	depth := 3
	s.Options.MaxDepth = &depth
	w, err := entryOf(s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.Limits{Turns: 9, ModelTimeout: 90 * time.Minute, WorkerTimeout: 10 * time.Minute, Tokens: 1000, ToolOutput: 10240}, w.Limits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(config.Delegation{MaxDepth: 3, WarnDepth: 2, Parallel: 2, AllowRecursion: true}, w.Delegation); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(config.AttachmentPolicy{Set: true, MaxAttachments: 1, MaxTotalBytes: 1_500_000, AllowedSuffixes: []string{".pdf", ".txt"}}, w.Attachments); diff != "" {
		t.Error(diff)
	}
	if w.Origins["delegation.max_depth"] != "command line" || w.Origins["delegation.warn_depth"] != "golem-forge.config.yml:1" || w.Origins["delegation.parallel"] != "main.worker:4" {
		t.Errorf("%v", w.Origins)
	}
	if !w.AllowEmptyInput || w.MaxContextTokens != 50 || w.Mode != "chat" || w.Retry.Attempts != 1 {
		t.Errorf("%+v", w)
	}
}

// Scenario 21, the settings
func TestPolicy(t *testing.T) {
	s := demo(`
-- project.yaml --
approval:
  default: ask
  tools: {read_file: pre_approved}
  rules:
    - {tool: write_file, when: {path: "/output/**"}, decide: preApproved}
toolsets:
  filesystem: {approval: {tools: {edit_file: preApproved, delete_file: blocked}}}
sandbox: {paths: {out: {root: out, approval: {write: preApproved, delete: blocked}}}}
-- main.worker --
---
toolsets: {shell: {approval: {default: blocked}}}
tool_rules:
  write_file: {allowed: false, approval_required: false}
  worker.call: {allowed: true, approval_required: true}
  list_files: {approval_required: false}
  edit_file: {approval_required: true}
  delete_file: {approval_required: false}
  nothing: {allowed: true}
---
hi
`)
	w, err := entryOf(s)
	if err != nil {
		t.Fatal(err)
	}
	want := approval.Policy{
		WorkerTools: map[string]approval.Setting{
			"write_file": "blocked", "worker.call": "ask", "list_files": "preApproved", "edit_file": "ask", "delete_file": "blocked",
		},
		WorkerDefaults: map[string]approval.Setting{"shell": "blocked"},
		ProjectTools:   map[string]approval.Setting{"read_file": "preApproved"},
		ProjectDefault: "ask",
		Rules:          []approval.Rule{{Tool: "write_file", When: map[string]string{"path": "/output/**"}, Decide: "preApproved", Origin: origin("project.yaml", 5, "approval.rules")}},
		Mounts:         map[string]approval.MountPolicy{"out": {"write": "preApproved", "delete": "blocked"}},
		Origins: map[string]approval.Origin{
			"worker.tool:write_file":  origin("main.worker", 4, "tool_rules.write_file.allowed"),
			"worker.tool:worker.call": origin("main.worker", 5, "tool_rules.worker.call.approval_required"),
			"worker.tool:list_files":  origin("main.worker", 6, "tool_rules.list_files.approval_required"),
			"worker.tool:edit_file":   origin("main.worker", 7, "tool_rules.edit_file.approval_required"),
			"worker.tool:delete_file": origin("project.yaml", 7, "toolsets.filesystem.approval.tools.delete_file"),
			"worker.toolset:shell":    origin("main.worker", 2, "toolsets.shell.approval.default"),
			"project.tool:read_file":  origin("project.yaml", 3, "approval.tools.read_file"),
			"project.default":         origin("project.yaml", 2, "approval.default"),
			"mount:out:write":         origin("project.yaml", 8, "sandbox.paths.out.approval.write"),
			"mount:out:delete":        origin("project.yaml", 8, "sandbox.paths.out.approval.delete"),
		},
	}
	if diff := cmp.Diff(want, w.Policy); diff != "" {
		t.Error(diff)
	}
	_, err = entryOf(inMain("toolsets: {filesystem: {approval: {tools: {x: ask}}}}\ntool_rules: {x: {approval_required: false}}"))
	wantFault(t, err, fault.Config, "main.worker:3:", `"x" is preApproved here and ask at main.worker:2`)
}

func origin(file string, line int, path string) approval.Origin {
	return approval.Origin{By: approval.Project, At: fmt.Sprintf("%s:%d", file, line), File: file, Path: path}
}

func TestModeAliases(t *testing.T) {
	for alias, want := range map[string]approval.Mode{
		"prompt": approval.Interactive, "interactive": approval.Interactive, "approve_all": approval.ApproveAll,
		"auto_deny": approval.AutoDeny, "reject_all": approval.AutoDeny, "strict": approval.AutoDeny,
	} {
		p := open(t, demo("-- project.yaml --\napproval: {mode: "+alias+"}\n"))
		if mode := p.Approval.Mode; mode != want || p.Manifest.ApprovalMode != string(want) {
			t.Errorf("%s is %s", alias, mode)
		}
	}
	for _, s := range []Setup{
		demo("-- project.yaml --\napproval: {mode: yolo}\n"),
		{FS: tree(""), Env: map[string]string{"LLM_DO_APPROVAL": "yolo"}},
		{FS: tree(""), Options: options.Opening{Approval: "yolo"}},
	} {
		if _, err := Load(s); err == nil || !strings.Contains(err.Error(), `"yolo" is not an approval mode`) {
			t.Errorf("%v", err)
		}
	}
}

// Scenarios 23 and 24, the configuration
func TestSandboxSpellings(t *testing.T) {
	s := demo(`
-- project.yaml --
sandbox: {readonly: true, network_enabled: true, restrict: /a}
-- main.worker --
---
sandbox:
  root: ./src/
  readonly: false
  restrict: src/x/
  mounts:
    - {source: ./in/a, target: /in/a, readonly: true}
    - {source: t, target: tmp, suffixes: [MD], max_file_bytes: 2KB}
---
hi
-- workers/other.worker --
---
sandbox: {mounts: [{source: ., target: /}]}
---
hi
`)
	w, err := entryOf(s)
	if err != nil {
		t.Fatal(err)
	}
	want := Sandbox{
		Restrict: "/src/x", Network: true, Declared: true, NamesMounts: true, NamesRestrict: true,
		Mounts: []Mount{
			{Name: "root", Target: "/", Source: "src", Mode: sandbox.ReadWrite, Own: true, Origin: "main.worker:3"},
			{Name: "/in/a", Target: "/in/a", Source: "in/a", Mode: sandbox.ReadOnly, Own: true, Origin: "main.worker:7"},
			{Name: "/tmp", Target: "/tmp", Source: "t", Mode: sandbox.ReadWrite, Suffixes: []string{".md"}, MaxFileBytes: 2000, Own: true, Origin: "main.worker:8"},
		},
	}
	if diff := cmp.Diff(want, w.Sandbox); diff != "" {
		t.Error(diff)
	}
	other := worker(t, s, "other").Sandbox
	if len(other.Mounts) != 1 || other.Mounts[0].Name != "root" || !other.ReadOnly || other.Restrict != "/a" {
		t.Errorf("%+v", other)
	}
	out := inMain("sandbox: {paths: {x: {root: /data}, y: {root: ../y/../z}}}")
	_, err = entryOf(out)
	wantFault(t, err, fault.Path, `main.worker:2:29: E_PATH: the sandbox directory "/data" is outside the project`, "--allow-outside", `"../y/../z"`)
	out.Options.AllowOutside = true
	w, err = entryOf(out)
	if err != nil || w.Sandbox.Mounts[0].Source != "/data" || w.Sandbox.Mounts[1].Source != "../z" {
		t.Errorf("%+v, %v", w, err)
	}
}

// Each front matter is refused with a fault that has this text.
func TestWrongTypesAndValues(t *testing.T) {
	for front, want := range map[string]string{
		"name: 1":  "2:7: E_CONFIG: name: expected text, found the number 1 (put it in quotes: \"1\")",
		"name: {}": "2:7: E_CONFIG: name: expected text, found a mapping", "name: ~": "name has no value", "name: ' a'": "begins or ends",
		"name: \"a\\u202e\"": "invisible", "description: [a]": "found a list", "model: gpt": "provider:name", "model: {a: b}": "found a mapping",
		"compatible_models: a": "expected a list", "compatible_models: ['[']": "not a valid pattern", "mode: loop": "not one of single, chat",
		"instructions: 3": "expected text", "template: yes": "write true, without", "template: 1": "true or false",
		"toolsets: filesystem": "a mapping or a list of names", "toolsets: [1]": "name of a toolset", "toolsets: [filesystem, filesystem]": "twice",
		"toolsets: {filesystem: true}": "write {}", "toolsets: {filesystem: 3}": "expected a mapping", "toolsets: {nope: {}}": "unknown toolset",
		"toolsets: {custom: {module: ./x}}": "2:29: E_NOT_FOUND: no tool module \"./x\"",
		"toolsets: {custom: {tool: [a]}}":   "did you mean tools", "toolsets: {custom: {tools: [a b]}}": "not a tool name", "toolsets: {custom: true}": "write {}",
		"toolsets: {custom: {modules: {a: {net: true}}}}": `unknown key "net"`, "toolsets: {custom: {modules: {a: {fs: 1}}}}": "true or false",
		"toolsets: {custom: {modules: {a: {allowed_hosts: ['https://x']}}}}": "only its name", "toolsets: {custom: {modules: {a: {fuel: 0}}}}": "not between",
		"toolsets: {custom: {modules: {a: {timeout: 3}}}}": "add the unit", "toolsets: {custom: {modules: {a: {config: {k: 1}}}}}": "put it in quotes",
		"imports: {tools: [x.py]}": "E_NOT_FOUND", "imports: {tools: ['a/../../x']}": "E_PATH",
		"toolsets: {filesystem: {approval: {default: maybe}}}": "not one of preApproved, ask, blocked", "toolsets: {filesystem: {approval: ask}}": "expected a mapping",
		"toolsets: {workers: {allow: [a]}}": `unknown key "allow" in toolsets.workers`, "toolsets: {workers: {style: x}}": "tools, call, both",
		"toolsets: {workers: {allowed_workers: a}}": "a list of workers, or '*'", "allow_workers: [1]": "expected text",
		"allow_workers: [a]\ntoolsets: {workers: {allowed_workers: [b]}}": "both are given", "allow_workers: [a]\ntoolsets: {workers: false}": "removes the toolset",
		"imports: [a]": "expected a mapping", "imports: {worker: [a]}": "did you mean workers", "imports: {workers: a}": "expected a list",
		"tool_rules: {a: true}": "expected a mapping", "tool_rules: {a: {allow: true}}": "did you mean allowed",
		"sandbox: .": "expected a mapping", "sandbox: {readonly: maybe}": "true or false", "sandbox: {restrict: ../x}": "2:21: E_PATH", "sandbox: {paths: {a: b}}": "expected a mapping",
		"sandbox: {paths: {a: {mode: ro}}}": "has no root", "sandbox: {paths: {a: {root: a, mode: stage}}}": "ro, rw, staged",
		"sandbox: {paths: {a/b: {root: a}}}": "not a valid name for a mount", "sandbox: {paths: {..: {root: a}}}": "not a valid name for a mount", "sandbox: {paths: {root: {root: a}}}": "use sandbox.root",
		"sandbox: {paths: {a: {root: a}}, mounts: [{source: b, target: /a}]}": "two mounts at /a", "sandbox: {mounts: [{source: a}]}": "has no target",
		"sandbox: {mounts: [{source: a, target: /a, mode: rw, readonly: true}]}": "the same setting", "sandbox: {root: '~/x'}": "does not replace ~",
		"sandbox: {root: 'a\\b'}": "E_PATH", "sandbox: {paths: {a: {root: a, approval: {write: no}}}}": "not one of",
		"input_schema: [a]": "JSON Schema", "input_schema: {type: 3}": "E_SCHEMA", "input_schema: s.py:P": "E_SCHEMA_LANGUAGE", "schema_in_ref: a.b.C": "a/b.json#/$defs/C",
		"input_schema: a.json\nschema_in_ref: b.json": "are the same key", "output_schema_ref: ../a.json": "E_PATH",
		"attachment_policy: {max_attachments: -1}": "not between", "attachment_policy: {max_total_bytes: lots}": "not a size", "attachment_policy: {denied_suffixes: [a/b]}": "not a file suffix",
		"allow_empty_input: on": "true or false", "max_context_tokens: 1.5": "a whole number", "limits: {turns: 0}": "not between",
		"limits: {tool_timeout: 30}": "add the unit: 30s", "limits: {tool_timeout: -3s}": "not a duration", "limits: {tool_output: 9999999999 TB}": "not a size", "limits: {tokens: 1e3}": "whole number",
		"limits: {turns: 99999999999999999999}": "whole number", "retry: {attempts: 0}": "not between", "retry: 3": "expected a mapping", "vars: [a]": "expected a mapping", "vars: {a: .inf}": "not a number that JSON", "input_schema: {default: .inf}": "not a number that JSON",
		"delegation: {max_depth: 101}": "not between", "delegation: {maxDepth: 1, max_depth: 2}": "are the same key", "sub_workers: []": "unknown key", "Model: a:b": "did you mean model",
	} {
		_, err := entryOf(inMain(front))
		if err == nil {
			t.Errorf("%s: no error", front)
		} else if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "main.worker:") {
			t.Errorf("%s:\n got %v\nwant %s", front, err, want)
		}
	}
}

func TestManifestRefusesWhatIsWrongOrNotThereYet(t *testing.T) {
	for text, want := range map[string]string{
		"dependencies: [utils]": `project.yaml:1:16: E_LIBRARY_NOT_FOUND: the library "utils" is not installed`, "clearance: {targets: {main: {git: .}}}": "a git repository with its branch", "clearance: {targets: {main: {dir: a, git: .}}}": "must name a directory, or", "clearance: {targets: {main: {branch: a}}}": "must name a directory, or", "clearance: {targets: {main: {git: ../up, branch: a}}}": "the clearance target ../up is outside the project", "clearance: {targets: {main: {dir: ../up}}}": "the clearance target ../up is outside the project",
		"tools: {roots: [../toolsets]}": "not inside the project", "tools: {modules: tools.py}": "expected a list", "tools: {engine: v8}": "not one of auto, wazero, browser",
		"tools: {allow_module_imports: maybe}": "true or false", "approval: {taint: yes}": "ask", "approval: {rules: [{tool: a}]}": "has no decide",
		"approval: {rules: [{tool: a, when: {path: '['}, decide: ask}]}": "not a valid pattern", "workers: {include: ['{a,b}{a,b}{a,b}{a,b}']}": "more than 3 braces {",
		"approval: {rules: [{tool: a, when: {path: '{a,b}{a,b}{a,b}{a,b}'}, decide: ask}]}": "more than 3 braces {", "schema_version: 2": "this golem reads schema_version 1", "worker_paths: [../x]": "not inside the project",
		"workers: {paths: [/x]}": "not inside", "workers: {root: a, paths: [b]}": "are the same key", "workerPaths: [a]\nworkers: {root: b}": "the same setting", "prompts: {root: ../x}": "not inside",
		"providers: {a: {base_url: 'ftp://x'}}": "not an http", "providers: {'a:b': {}}": "not a provider name", "providers: {a: {json: x}}": "not one of", "instructions: x": "unknown key", "- a": "expected a mapping",
		"allow_workers: [a]": "unknown key", "exports: a": "expected a list", "entry: [a]": "expected text", "limits: {turn: 1}": "did you mean turns",
	} {
		_, err := Load(demo("-- project.yaml --\n" + text + "\n-- main.worker --\ninstructions: a\n"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "project.yaml:") {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
	p := open(t, demo(`-- llm-do.yml --
schema_version: 1
version: "1.0.0"
name: demo
description: d
dependencies: []
exports: [main, workers/x]
clearance: {}
tools: {roots: [], modules: [], allow_module_imports: false, engine: auto}
workers: {paths: [a, ./b/, a], include: ["*.worker"], exclude: [x]}
prompts: {root: ./p}
providers: {acme: {base_url: "https://acme.example/v1", api_key_env: ACME_KEY, headers: {X: y}, json: schema, image: true}}
`))
	want := config.Manifest{
		File: "llm-do.yml", Name: "demo", Version: "1.0.0", Description: "d", Exports: []string{"main", "workers/x"},
		WorkersRoots: []string{"a", "b"}, Include: []string{"*.worker"}, Exclude: []string{"x"}, PromptsRoot: "p",
		Providers:  map[string]config.Provider{"acme": {BaseURL: "https://acme.example/v1", APIKeyEnv: "ACME_KEY", Headers: map[string]string{"X": "y"}, JSON: "schema", Image: true}},
		ToolEngine: "auto",
	}
	if diff := cmp.Diff(want, *p.Manifest); diff != "" {
		t.Error(diff)
	}
}

func TestSettingNames(t *testing.T) {
	env := map[string]string{"GOLEM_A": "1", "LLM_DO_A": "2", "GOLEM_B": "", "LLM_DO_B": "3", "GOLEM_FORGE_C": "4"}
	for name, want := range map[string][2]string{"A": {"1", "GOLEM_A"}, "B": {"3", "LLM_DO_B"}, "C": {"4", "GOLEM_FORGE_C"}, "D": {}} {
		if v, from := config.Variable(env, name); [2]string{v, from} != want {
			t.Errorf("%s: %q from %q", name, v, from)
		}
	}
}

// Scenario 4, check --verbose
func TestValuesAndOrigins(t *testing.T) {
	s := demo(`
-- project.yaml --
model: a:a
limits: {turns: 7}
toolsets: {filesystem: {approval: {tools: {read_file: pre_approved}}}}
-- main.worker --
---
mode: chat
tool_rules: {worker.call: {allowed: true}}
sandbox: {paths: {in: {root: in}}}
---
hi
`)
	depth := 2
	s.Options.MaxDepth = &depth
	p := open(t, s)
	w, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]config.Value{}
	for _, v := range p.Values(w) {
		if v.Origin == "" {
			t.Errorf("no origin: %+v", v)
		}
		got[v.Path] = v
	}
	for _, want := range []config.Value{
		{Path: "model", Value: "a:a", Origin: "project.yaml:1"}, {Path: "limits.turns", Value: "7", Origin: "project.yaml:2"}, {Path: "limits.tool_timeout", Value: "30s", Origin: "default"},
		{Path: "toolsets.filesystem.approval.tools.read_file", Value: `"preApproved"`, Origin: "project.yaml:3"}, {Path: "mode", Value: "chat", Origin: "main.worker:2"},
		{Path: "tool_rules.worker.call.allowed", Value: "true", Origin: "main.worker:3"}, {Path: "sandbox.paths.in.root", Value: `"in"`, Origin: "main.worker:4"},
		{Path: "delegation.max_depth", Value: "2", Origin: "command line"}, {Path: "approval.mode", Value: "interactive", Origin: "default"}, {Path: "sandbox.root", Value: "", Origin: "default"},
	} {
		if got[want.Path] != want {
			t.Errorf("got %+v, want %+v", got[want.Path], want)
		}
	}
}

func TestWhatIsNeverAWorker(t *testing.T) {
	p := open(t, demo("-- workers/c/worker.worker --\ninstructions: c\n-- workers/c/schemas/s.yaml --\ninstructions: s\n-- workers/t.tools.yaml --\ninstructions: t\n-- workers/d/schemas/s.yaml --\ninstructions: s\n"))
	for _, ref := range []string{"c/schemas/s", "./workers/c/schemas/s.yaml", "t.tools", "./workers/t.tools.yaml"} {
		if _, err := p.Workers.Find(ref); !strings.Contains(err.Error(), "E_WORKER_NOT_FOUND") {
			t.Errorf("%s: %v", ref, err)
		}
	}
	if _, err := p.Workers.Find("d/schemas/s"); err != nil {
		t.Error(err)
	}
}
