package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/options"
)

// found returns the modules of a worker as "level path".
func found(t *testing.T, s Setup, ref string) ([]string, error) {
	t.Helper()
	p := open(t, s)
	w, err := p.Workers.Entry()
	if ref != "" {
		w, err = p.Workers.Find(ref)
	}
	if err != nil {
		return nil, err
	}
	modules, err := p.Modules.Of(w)
	var out []string
	for _, m := range modules {
		out = append(out, fmt.Sprint(m.Level, " ", m.Path))
	}
	for _, name := range p.Trees.Opened() {
		if strings.HasSuffix(name, ".wasm") {
			t.Errorf("discovery opened %s", name)
		}
	}
	return out, err
}

const levels = `
-- project.yaml --
tools: {roots: [tools, more, none], modules: [lib/named, lib/fmt.py]}
-- main.worker --
---
imports: {tools: [./x.wasm, tools/b.ts]}
---
m
-- tools.wasm --
-- tools/b.wasm --
-- tools/a.wasm --
-- tools/a.tools.yaml --
-- tools/.hidden.wasm --
-- tools/.wasm --
-- tools/notes.md --
-- tools/internal/z.wasm --
-- more/c.wasm --
-- lib/named.wasm --
-- lib/fmt.wasm --
-- lib/unnamed.wasm --
-- x.wasm --
-- y.wasm --
-- workers/own/worker.worker --
o
-- workers/own/tools.wasm --
-- workers/own/tools/k.wasm --
-- workers/own/other.wasm --
`

// S1-45..48, scenario 12: levels, order, direct children only.
func TestDiscovery(t *testing.T) {
	project := []string{"1 tools.wasm", "1 tools/a.wasm", "1 tools/b.wasm", "1 more/c.wasm", "1 lib/named.wasm", "1 lib/fmt.wasm"}
	got, err := found(t, demo(levels), "")
	if diff := cmp.Diff(append(slices.Clone(project), "1 x.wasm"), got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	own := append([]string{"0 workers/own/tools.wasm", "0 workers/own/tools/k.wasm"}, project...)
	got, err = found(t, demo(strings.Replace(levels, "\no\n", "\n---\n---\no\n", 1)), "own")
	if diff := cmp.Diff(own, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for _, front := range []string{"toolsets: {custom: false}", ""} {
		s := demo("-- main.worker --\n---\n" + front + "\n---\nm\n-- tools/a.wasm --\n-- tools.py --\n")
		s.Options.NoImportTools = front == ""
		if got, err := found(t, s, ""); err != nil || len(got) > 0 {
			t.Errorf("%q: %v %v", front, got, err)
		}
	}
}

// Scenario 13: references to modules, and where they may lie.
func TestModuleReferences(t *testing.T) {
	home := fstest.MapFS{"acme/fmt.wasm": &fstest.MapFile{}, "acme/fmt.tools.yaml": &fstest.MapFile{Data: []byte("tools: []")}}
	for ref, want := range map[string]string{
		"toolsets/fmt.py": "1 toolsets/fmt.wasm", "./toolsets/fmt": "1 toolsets/fmt.wasm", "x.py": "E_TOOL_LANGUAGE",
		"gone": "E_NOT_FOUND", "acme.fmt:register": "E_TOOL_DISALLOWED", "../x": "E_PATH", "/x": "E_PATH", "a.js": "1 a.js.wasm",
	} {
		s := demo("-- main.worker --\n---\nimports: {tools: ['" + ref + "']}\n---\nm\n-- toolsets/fmt.py --\n-- toolsets/fmt.wasm --\n-- x.py --\n-- a.js.wasm --\n")
		s.ToolFiles = home
		if ref == "a.js" { // a source that is not there names no module of another name
			want = "E_NOT_FOUND"
		}
		got, err := found(t, s, "")
		switch {
		case strings.HasPrefix(want, "E_"):
			wantFault(t, err, fault.Code(want), "main.worker:2:")
		case err != nil || !slices.Equal(got, []string{want}):
			t.Errorf("%s: %v %v", ref, got, err)
		}
	}
	for how, s := range map[string]Setup{
		"flag":     demo("-- main.worker --\n---\nimports: {tools: ['acme.fmt:register']}\n---\nm\n"),
		"manifest": demo("-- project.yaml --\ntools: {allow_module_imports: true}\n-- main.worker --\n---\nimports: {tools: ['acme.fmt:register']}\n---\nm\n"),
	} {
		s.ToolFiles, s.Options.AllowModuleImports = home, how == "flag"
		if how == "manifest" { // the project's own word is not enough (SPEC §3, Trust)
			p := open(t, s)
			w, err := p.Workers.Entry()
			if err != nil {
				t.Fatal(err)
			}
			ms, _ := p.Modules.Of(w)
			_, err = p.Modules.Open(ms[0])
			wantFault(t, err, fault.Trust, "project.yaml:1:")
			s.Trust = importsTrusted{}
		}
		p := open(t, s)
		w, err := p.Workers.Entry()
		if err != nil {
			t.Fatal(err)
		}
		ms, err := p.Modules.Of(w)
		if err != nil || len(ms) != 1 || ms[0].Path != "home:acme/fmt.wasm" || ms[0].Stem() != "fmt" {
			t.Fatalf("%s: %v %v", how, ms, err)
		}
		if side, err := p.Modules.Sidecar(ms[0]); err != nil || string(side) != "tools: []" {
			t.Errorf("%s: %q %v", how, side, err)
		}
		s.ToolFiles = nil
		_, err = open(t, s).Workers.Entry()
		wantFault(t, err, fault.NotFound, "acme/fmt.wasm under $GOLEM_HOME/tools")
	}
}

// Opened lists the files that were opened, and only these (S2-42).
func TestOpenModule(t *testing.T) {
	s := demo("-- main.worker --\nm\n-- tools/a.wasm --\nbytes\n-- tools/a.tools.yaml --\ntools: []\n-- tools/b.wasm --\nbytes\n")
	s.FS.(fstest.MapFS)["main.worker"] = &fstest.MapFile{Data: []byte("instructions: m")}
	p := open(t, s)
	w, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	ms, err := p.Modules.Of(w)
	if err != nil || len(ms) != 2 {
		t.Fatal(ms, err)
	}
	if side, err := p.Modules.Sidecar(ms[1]); side != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q %v", side, err)
	}
	if side, err := p.Modules.Sidecar(ms[0]); string(side) != "tools: []\n" || err != nil {
		t.Errorf("%q %v", side, err)
	}
	f, err := p.Modules.Open(ms[0])
	if err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(f); string(data) != "bytes\n" || err != nil {
		t.Errorf("%q %v", data, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if got := p.Trees.Opened(); !slices.Equal(got, []string{"main.worker", "tools/a.tools.yaml", "tools/a.wasm"}) {
		t.Error(got)
	}
	if _, err := p.Modules.Open(Module{Path: "tools"}); err == nil {
		t.Error("a directory was opened")
	}
}

// check warns of a file that looks like part of a tool and is not used, so that nobody
// wonders where the tool is; it does not look at deeper directories (S1-48).
func TestPassedOver(t *testing.T) {
	s := demo(`
-- project.yaml --
tools: {roots: [tools, more]}
-- main.worker --
---
---
m
-- tools.tools.yaml --
-- tools/a.wasm --
-- tools/a.tools.yaml --
-- tools/b.WASM --
-- tools/c.tools.yaml --
-- tools/d.py --
-- tools/d.tools.yaml --
-- tools/deep/e.tools.yaml --
-- more/f.tools.yaml --
-- workers/w/worker.worker --
---
---
w
-- workers/w/tools/g.tools.yaml --
`)
	var got []string
	for _, f := range Check(open(t, s), "") {
		if f.Code == fault.ToolContract {
			got = append(got, f.Error())
		}
	}
	want := []string{
		"more/f.tools.yaml:1:1: E_TOOL_CONTRACT: warning: more/f.tools.yaml describes a module that does not exist: there is no more/f.wasm (give it the name of its module, or remove it)",
		"tools.tools.yaml:1:1: E_TOOL_CONTRACT: warning: tools.tools.yaml describes a module that does not exist: there is no tools.wasm (give it the name of its module, or remove it)",
		"tools/b.WASM:1:1: E_TOOL_CONTRACT: warning: tools/b.WASM cannot be a tool module: its name does not end in .wasm (rename it to tools/b.wasm)",
		"tools/c.tools.yaml:1:1: E_TOOL_CONTRACT: warning: tools/c.tools.yaml describes a module that does not exist: there is no tools/c.wasm (give it the name of its module, or remove it)",
		"workers/w/tools/g.tools.yaml:1:1: E_TOOL_CONTRACT: warning: workers/w/tools/g.tools.yaml describes a module that does not exist: there is no workers/w/tools/g.wasm (give it the name of its module, or remove it)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A grant, and toolsets.custom.module, must name a module that exists. A grant for a name
// that two files have is refused.
func TestGrantsNameModules(t *testing.T) {
	files := "\n-- tools/math.wasm --\n-- tools/fmt.wasm --\n-- more/fmt.wasm --\n"
	for custom, want := range map[string]string{
		"{modules: {math: {fs: true}}, module: math}": "", "{modules: {maths: {fs: true}}}": "did you mean math",
		"{module: mat}": "did you mean math", "{modules: {fmt: {}}}": "E_AMBIGUOUS", "{module: ./more/fmt.go}": "", "{module: more/none}": "E_NOT_FOUND",
	} {
		s := demo("-- project.yaml --\ntools: {roots: [more]}\n-- main.worker --\n---\ntoolsets: {custom: " + custom + "}\n---\nm" + files)
		_, err := found(t, s, "")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "main.worker:2:")) {
			t.Errorf("%s: %v, want %q", custom, err, want)
		}
	}
}

// tools.lock: each module has its digest, and a module that the lock does not list has
// none. With a broken lock, no module can be used.
func TestToolLock(t *testing.T) {
	sum := strings.Repeat("AB", 32)
	project := func(lock string) Setup {
		return demo("-- main.worker --\n---\n---\nm\n-- tools/a.wasm --\n-- tools/b.wasm --\n-- tools.lock --\n" + lock)
	}
	p := open(t, project("lock: 1\ntools: {tools/a.wasm: "+sum+", tools/gone.wasm: "+sum+"}\n"))
	w, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	ms, err := p.Modules.Of(w)
	want := []Module{{Path: "tools/a.wasm", Level: 1, Locked: true, Digest: strings.ToLower(sum)}, {Path: "tools/b.wasm", Level: 1, Locked: true}}
	if diff := cmp.Diff(want, ms); err != nil || diff != "" {
		t.Error(err, diff)
	}
	faults := Check(p, "")
	if len(faults) != 1 || faults[0].Severity != fault.Warning || !strings.Contains(faults[0].Error(), `tools.lock lists "tools/gone.wasm"`) {
		t.Errorf("%v", faults)
	}
	for text, want := range map[string]string{
		"": "has no lock", "lock: 2\ntools: {}": "not between 1 and 1", "lock: 1": "has no tools", "lock: 1\ntools: {a.wasm: xyz}": "not a SHA-256",
		"lock: 1\ntools: {../a.wasm: " + sum + "}": "not the path of a module", "lock: 1\ntools: {a.wasm: " + sum + "}\nmore: 1": "unknown key", ": x": "E_",
	} {
		_, err := found(t, project(text), "")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "tools.lock:") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// S3-24: a name that no worker has may name a tool if there are modules.
func TestNamesThatToolsMayServe(t *testing.T) {
	text := "-- project.yaml --\nentry: pipeline\ntoolsets: {workers: {allowed_workers: [slug, helper, slug]}}\n-- workers/helper.worker --\n---\n---\nh\n"
	p := open(t, demo(text+"-- tools/a.wasm --\n"))
	w, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	if w.Tool != "pipeline" || w.ID != "pipeline" || w.File != "project.yaml" {
		t.Errorf("%+v", w)
	}
	if err := w.NeedModel(); err != nil {
		t.Errorf("code needs no model: %v", err)
	}
	if again, err := p.Workers.Entry(); again != w || err != nil {
		t.Error("the entry is made twice", err)
	}
	wantFault(t, w.Missing(), fault.WorkerNotFound, `no worker "pipeline"`)
	allowed, err := p.Workers.Allowed(w)
	if err != nil || len(allowed) != 2 || allowed[0].Name != "slug" || allowed[0].Worker != nil || allowed[1].Worker == nil {
		t.Fatalf("%v %v", allowed, err)
	}
	wantFault(t, allowed[0].Missing, fault.WorkerNotFound, `no worker "slug"`)
	if d, err := p.Workers.Delegates(w); err != nil || len(d) != 1 || d[0].ID != "helper" {
		t.Error(d, err)
	}
	if faults := Check(p, ""); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
	for _, s := range []Setup{demo(text), {FS: tree(text + "-- tools/a.wasm --\n"), Options: options.Opening{NoImportTools: true}}} {
		_, err := open(t, s).Workers.Entry()
		wantFault(t, err, fault.WorkerNotFound, "project.yaml:1:8")
	}
	s := demo("-- tools/a.wasm --\n")
	s.Options.Entry = "pipeline"
	if w, err := open(t, s).Workers.Entry(); err != nil || w.Tool != "pipeline" {
		t.Error(w, err)
	}
	s.Options.Entry = "./pipeline"
	if _, err := open(t, s).Workers.Entry(); err == nil {
		t.Error("a path was taken for a tool")
	}
}

// tools.engine is checked for the platform that the project will run on.
func TestToolEngine(t *testing.T) {
	s := demo("-- project.yaml --\ntools: {engine: browser}\n-- main.worker --\n---\n---\nm\n")
	_, err := open(t, s).Workers.Entry()
	wantFault(t, err, fault.Platform, "the tool engine browser does not exist on platform \"native\"")
	if got := Check(open(t, s), "browser"); len(got) > 0 {
		t.Errorf("%v", got)
	}
	if got := Check(open(t, s), ""); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// importsTrusted is a person who trusts modules from outside the project.
type importsTrusted struct{}

func (importsTrusted) Imports(s config.Said) bool {
	return s.Path == "tools.allow_module_imports" && s.Value == "true"
}
