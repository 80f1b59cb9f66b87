package wasmtool_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/wasmtool"
)

func TestSidecar(t *testing.T) {
	ds, err := wasmtool.ParseSidecar([]byte("\ufeff"+`# two tools
tools:
  - name: slug
    description: |
      Makes a slug.
    inputSchema: &schema
      type: object
      properties: {title: {type: string, maxLength: 0x10}, on: {type: number, minimum: .5}}
      required: [title]
    annotations: {destructiveHint: true}
    needs_approval: yes
    timeout: 10s
  - name: other
    inputSchema: *schema
    stateful: true
`), "tools/a.tools.yaml")
	if err == nil {
		t.Fatalf("yes is no boolean in YAML 1.2: %v", ds)
	}
	ds, err = wasmtool.ParseSidecar([]byte(`tools:
  - name: slug
    inputSchema: &schema {properties: {title: {type: string, maxLength: 0x10}, on: {minimum: .5}}, required: [title]}
    needs_approval: true
  - name: other
    inputSchema: *schema
`), "tools/a.tools.yaml")
	want := `{"type":"object","properties":{"title":{"type":"string","maxLength":16},"on":{"minimum":0.5}},"required":["title"]}`
	if err != nil || len(ds) != 2 || string(ds[0].Input) != want || string(ds[1].Input) != want || !*ds[0].NeedsApproval {
		t.Errorf("%+v, %v", ds, err)
	}
}

// A sidecar in JSON is parsed as JSON, with tabs and surrogate pairs, which YAML does not
// allow.
func TestSidecarInJSON(t *testing.T) {
	doc := "{\n\t\"tools\": [\n\t\t{\"name\": \"a\", \"description\": \"\\ud83d\\ude00 \\/\", \"inputSchema\": {\"type\": \"object\", \"maxProperties\": 2}}\n\t]\n}\n"
	ds, err := wasmtool.ParseSidecar([]byte(doc), "a.tools.yaml")
	if err != nil || ds[0].Description != "😀 /" || string(ds[0].Input) != `{"type":"object","maxProperties":2}` {
		t.Errorf("%+v, %v", ds, err)
	}
	_, err = wasmtool.ParseSidecar([]byte("{\n\t\"tools\": [\n\t\t{\"name\": \"a\",\n\t\t \"descripton\": \"x\"}]}"), "a.tools.yaml")
	wants(t, err, fault.Config, "a.tools.yaml:4:4", "descripton", "did you mean description")
}

// A sidecar is written by people: each error in its content has a line and names the
// nearest key (SPEC §16).
func TestBadSidecar(t *testing.T) {
	bomb := "tools:\n- name: a\n  inputSchema: {properties: {a0: &a0 {a: 1, b: 2, c: 3}"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf(", a%d: &a%d {", i, i)
		for j := range 8 {
			bomb += fmt.Sprintf("k%d: *a%d, ", j, i-1)
		}
		bomb += "}"
	}
	bomb += "}}\n"
	for doc, c := range map[string]struct {
		place string
		words []string
	}{
		"":                                      {"f.tools.yaml", []string{"empty"}},
		"# nothing\n":                           {"f.tools.yaml", []string{"empty"}},
		"tools:\n\t- name: a\n":                 {"f.tools.yaml:", []string{"malformed"}},
		"tools: [\n":                            {"f.tools.yaml:", []string{"malformed"}},
		"tools: []\n---\ntools: []\n":           {"f.tools.yaml:", []string{"second YAML document"}},
		"- name: a\n":                           {"f.tools.yaml:1:1", []string{"expected a mapping, found a list"}},
		"tool: []\n":                            {"f.tools.yaml:1:1", []string{`"tool"`, "did you mean tools"}},
		"tools: {a: {}}\n":                      {"f.tools.yaml:1:8", []string{"expected a list, found a mapping"}},
		"tools: []\nname: x\n":                  {"f.tools.yaml:2:1", []string{`"name"`}},
		"tools:\n- a\n":                         {"f.tools.yaml:2:3", []string{"expected a mapping, found text"}},
		"tools:\n- name: a\n  desc: x\n":        {"f.tools.yaml:3:3", []string{`"desc"`}},
		"tools:\n- name: a\n  input_schema: {}": {"f.tools.yaml:3:3", []string{"did you mean inputSchema"}},
		"tools:\n- name: a\n  name: b\n":        {"f.tools.yaml:3:3", []string{"duplicate key"}},
		"tools:\n- name: a\n  <<: {risk: read}": {"f.tools.yaml:3:3", []string{"merge"}},
		"tools:\n- name: a\n  annotations: {destructive: true}":   {"f.tools.yaml:3:17", []string{"did you mean destructiveHint"}},
		"tools:\n- name: a\n  description: !!binary aGk=":         {"f.tools.yaml:3:16", []string{"tags"}},
		"tools:\n- name: a\n  inputSchema: {properties: {7: {}}}": {"f.tools.yaml:3:30", []string{`"7" is not text`}},
		"tools:\n- name: a\n  inputSchema: {maximum: .inf}":       {"f.tools.yaml:3:", []string{"not a number"}},
		"tools:\n- name: a\n  needs_approval: yes please\n":       {"f.tools.yaml:3:19", []string{"needs_approval of a"}},
		"tools:\n- name: 7\n":                              {"f.tools.yaml:2:9", []string{"name of tool 1"}},
		"tools:\n- risk: read\n":                           {"f.tools.yaml:2:3", []string{"a name has"}},
		"tools:\n- name: a\n- name: b\n- name: a\n":        {"f.tools.yaml:4:9", []string{"twice"}},
		"tools:\n- name: a\n\n  inputSchema: {minimum: x}": {"f.tools.yaml:4:16", []string{"inputSchema of a"}},
		"tools:\n- name: a\n  timeout: 30\n":               {"f.tools.yaml:3:12", []string{"timeout of a"}},
		"tools:\n- name: a\n  risk: low\n":                 {"f.tools.yaml:3:9", []string{`"low"`}},
		"tools: &a [*a]\n":                                 {"f.tools.yaml:1", []string{"deep"}},
		"tools: []\x00":                                    {"f.tools.yaml:1", []string{"NUL"}},
		"tools:\n- name: \"\xff\"\n":                       {"f.tools.yaml:", nil},
		bomb:                                               {"f.tools.yaml:", []string{"more than 50000 values"}},
		strings.Repeat("#", 300<<10):                       {"f.tools.yaml", []string{"307200 bytes"}},
		"{\"tools\": " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}": {"f.tools.yaml:", []string{"deep"}},
	} {
		_, err := wasmtool.ParseSidecar([]byte(doc), "f.tools.yaml")
		if err == nil {
			t.Errorf("%.80q was accepted", doc)
			continue
		}
		f := fault.Of(err, fault.Tool)
		if f.Code != fault.Config && f.Code != fault.ToolContract && f.Code != fault.Schema {
			t.Errorf("%.80q: %v", doc, err)
		}
		wants(t, err, f.Code, append(c.words, c.place)...)
	}
}

// unreadable is a File whose sidecar cannot be read.
type unreadable struct{ wasmtool.File }

func (unreadable) Sidecar() ([]byte, error) { return nil, fmt.Errorf("sidecar: %w", fs.ErrPermission) }

// If a sidecar exists but cannot be read, the module is not run.
func TestUnreadableSidecar(t *testing.T) {
	e := says(whenRun)
	src := source("tools/a.wasm", module(t, "servlet"), "")
	src.File = unreadable{src.File}
	_, err := library(t, e).Module(src).Describe(t.Context(), wasmtool.Describing{Run: true})
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
	wants(t, err, fault.Config, "tools/a.tools.yaml")
	src = source("tools/a.wasm", module(t, "servlet"), "tools: [{nam: x}]")
	_, err = library(t, e).Module(src).Describe(t.Context(), wasmtool.Describing{Run: true})
	wants(t, err, fault.Config, "tools/a.tools.yaml:1:10")
	if n, _ := e.counts(); n != 0 {
		t.Error("the module was run")
	}
}

// Pack checks the description, the module, and that they fit together. A packed module
// needs no sidecar.
func TestPack(t *testing.T) {
	out, err := wasmtool.Pack(module(t, "servlet"), []byte("tools: [{name: a, description: <&>, needs_approval: false}]"), "t.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if out, err = wasmtool.Pack(out, []byte("tools: [{name: b, needs_approval: false}]"), "t.yaml"); err != nil {
		t.Fatal(err)
	}
	ds, err := library(t, says("")).Module(source("a.wasm", out, inSidecar)).Describe(t.Context(), wasmtool.Describing{})
	if err != nil || len(ds) != 1 || ds[0].Name != "b" || ds[0].NeedsApproval == nil || *ds[0].NeedsApproval {
		t.Errorf("%+v, %v", ds, err)
	}
	if len(out) > len(module(t, "servlet"))+200 {
		t.Error("the old description is still there")
	}
	_, err = wasmtool.Pack(module(t, "servlet"), []byte("tools: [{name: a, risc: read}]"), "t.yaml")
	wants(t, err, fault.Config, "t.yaml:1:19", "did you mean risk")
	_, err = wasmtool.Pack(module(t, "servlet")[:200], []byte(inSidecar), "t.yaml")
	wants(t, err, fault.ToolModule)
	_, err = wasmtool.Pack([]byte("\x00asm\x0d\x00\x01\x00"), []byte(inSidecar), "t.yaml")
	wants(t, err, fault.ToolContract, "component")
	_, err = wasmtool.Pack(module(t, "exports"), []byte("tools: [{name: add}]"), "t.yaml")
	wants(t, err, fault.ToolContract, "t.yaml", "add", "upper")
	if _, err = wasmtool.Pack(module(t, "exports"), []byte("tools: [{name: upper}]"), "t.yaml"); err != nil {
		t.Error(err)
	}
}

// Inspect shows the right fields for each form, without running the module.
func TestInspect(t *testing.T) {
	e := says("")
	look := func(path string, data []byte, sidecar string) wasmtool.Inspection {
		in, err := library(t, e).Module(source(path, data, sidecar)).Inspect(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return in
	}
	in := look("tools/a.wasm", packed(t, module(t, "servlet"), inSection), inSidecar)
	if in.Form != "describe/call" || in.Source != "section" || in.Tools[0].Name != "from_section" || in.Refused != "" || len(in.SHA256) != 64 ||
		in.Size != len(packed(t, module(t, "servlet"), inSection)) || strings.Join(in.Exports, " ") != "call describe upper" || in.Memory == nil {
		t.Errorf("%+v", in)
	}
	needs := strings.Join(in.Needs, "\n")
	for _, w := range []string{"network:", "config:", "callbacks:"} {
		if !strings.Contains(needs, w) {
			t.Errorf("needs %q, without %s", needs, w)
		}
	}
	if strings.Contains(needs, "unknown") || strings.Contains(needs, "files") {
		t.Errorf("needs %q", needs)
	}
	in = look("tools/a.wasm", module(t, "hyper"), inSidecar)
	if in.Form != "list_tools/call_tool" || in.Source != "sidecar" || in.Tools[0].Name != "from_sidecar" {
		t.Errorf("%+v", in)
	}
	in = look("tools/a.wasm", module(t, "command"), "")
	if in.Form != "command" || in.Source != "" || in.Tools != nil || in.Refused != "" || len(in.Needs) != 1 || !strings.HasPrefix(in.Needs[0], "files:") {
		t.Errorf("%+v", in)
	}
	in = look("tools/a.wasm", module(t, "exports"), "")
	if in.Form != "exports" || in.Refused != "" || strings.Join(in.Callable, " ") != "upper" {
		t.Errorf("%+v", in)
	}
	in = look("tools/a.wasm", module(t, "exports"), "tools: [{name: 1}]")
	if !strings.Contains(in.Refused, "tools/a.tools.yaml:1:") {
		t.Errorf("%+v", in)
	}
	in = look("tools/a.wasm", []byte("\x00asm\x0d\x00\x01\x00"), "")
	if in.Form != "component" || !strings.Contains(in.Refused, "component") {
		t.Errorf("%+v", in)
	}
	in = look("tools/a.wasm", refusedModule(t), inSidecar)
	if in.Form != "command" || !strings.Contains(in.Refused, "tools/a.wasm: E_TOOL_MODULE") || len(in.Tools) != 1 {
		t.Errorf("%+v", in)
	}
	// (import "env\1b" "x\n" (func)) (export "\1b[2J" (func 0))
	hostile := append([]byte("\x00asm\x01\x00\x00\x00"), 1, 4, 1, 0x60, 0, 0, 2, 12, 1, 4, 'e', 'n', 'v', 0x1b, 3, 'x', '\n', 'y', 0, 0, 7, 8, 1, 4, 0x1b, '[', '2', 'J', 0, 0)
	in = look("tools/a.wasm", hostile, "tools: [{name: a}]")
	text, err := json.Marshal(in)
	if err != nil || strings.ContainsRune(string(text), 0x1b) || !strings.Contains(strings.Join(in.Needs, ""), "E_TOOL_IMPORT") || in.Exports[0] != `\u001b[2J` {
		t.Errorf("%s, %v", text, err)
	}
	if n, _ := e.counts(); n != 0 {
		t.Error("inspecting ran a module")
	}
	_, err = library(t, e).Module(source("a.txt", []byte("text"), "")).Inspect(t.Context())
	wants(t, err, fault.ToolModule, "a.txt")
}
