package project

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/jsonschema-go/jsonschema"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/yamltree"
)

// sound checks an error of loading: it is a fault with readable texts, and if it is
// about the content of a file, it has a position.
func sound(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var f *fault.Fault
	if !errors.As(err, &f) {
		t.Fatalf("no fault: %v", err)
	}
	for _, f := range listOfFaults(err) {
		if yamltree.Invisible(f.Message) || yamltree.Invisible(f.Hint) || f.Code == "" {
			t.Errorf("unreadable: %q (%q)", f.Message, f.Hint)
		}
		if f.Where != nil && f.Where.File != "" && (f.Where.Line < 1 || f.Where.Column < 1) {
			t.Errorf("no place: %v", f)
		}
		if f.Where == nil && f.Code == fault.Config {
			t.Errorf("a configuration fault without a place: %v", f)
		}
	}
}

func FuzzWorker(f *testing.F) {
	for _, text := range hostile() {
		f.Add([]byte("---\n"+text+"\n---\nhi\n"), true)
		f.Add([]byte(text), false)
	}
	f.Add([]byte("---\nname: main\nmodel: a:b\nsandbox: {paths: {a: {root: ../x, mode: ro}}}\ninput_schema: {$ref: '#'}\n---\nbody {{ x }}"), true)
	f.Add([]byte("---\nimports: {workers: [./a, b:c], tools: [x.py, a.b:c]}\nallow_workers: '*'\ntool_rules: {a: {allowed: false}}\noutput_schema: s.json#/$defs/A\n---\r\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, worker bool) {
		name := map[bool]string{true: "workers/w.worker", false: "workers/w.yaml"}[worker]
		files := fstest.MapFS{name: {Data: data}, "schemas/s.json": {Data: []byte(`{"$defs":{"A":{"$ref":"#/$defs/A"}}}`)}}
		p, err := Load(Setup{FS: files, Name: "demo", Platform: Platform{Toolsets: []string{"filesystem", "workers"}}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := p.Workers.Find("w")
		sound(t, err)
		sound(t, Check(p, "").Err())
		if err != nil {
			return
		}
		if _, err := p.Workers.Closure(w); err != nil {
			sound(t, err)
		}
		if w.ID != "w" || w.Name != "w" || w.Template || w.Digest == "" {
			t.Errorf("%+v", w)
		}
		for _, set := range w.Toolsets {
			if !json.Valid(set.Options) || set.Line < 1 || set.File == "" {
				t.Errorf("%+v", set)
			}
		}
		for _, m := range w.Sandbox.Mounts {
			if m.Source == ".." || strings.HasPrefix(m.Source, "../") || path.IsAbs(m.Source) || path.Clean(m.Target) != m.Target {
				t.Errorf("mount %+v", m)
			}
		}
		for _, raw := range []json.RawMessage{w.Input, w.Output} {
			var s jsonschema.Schema
			if raw != nil && json.Unmarshal(raw, &s) != nil {
				t.Errorf("schema %s", raw)
			}
		}
		if worker {
			if front, body, _, ok := config.Split(data); ok && w.Instructions != string(body) && len(strings.TrimSpace(string(body))) > 0 {
				t.Errorf("front %q: instructions %q, body %q", front, w.Instructions, body)
			}
		}
	})
}

func FuzzManifest(f *testing.F) {
	for _, text := range hostile() {
		f.Add([]byte(text), []byte("*.yaml\n!a"))
	}
	f.Add([]byte("version: 1\nentry: w\nworkers: {root: ., include: ['**'], exclude: ['{a,b}']}\nproviders: {a: {base_url: http://x}}"), []byte("[!a]\n/**/x/\n\\#\n!"))
	f.Add([]byte("workerPaths: [., workers, workers/a]\nsandbox: {mounts: [{source: a, target: b}]}\ntoolsets: [filesystem]"), []byte("**/[\n"))
	f.Fuzz(func(t *testing.T, manifest, ignore []byte) {
		files := fstest.MapFS{
			"project.yaml": {Data: manifest}, ".golemignore": {Data: ignore},
			"workers/a/w.worker": {Data: []byte("instructions: x")}, "main.worker": {Data: []byte("instructions: x")},
		}
		p, err := Load(Setup{FS: files, Name: "demo"})
		sound(t, err)
		if p == nil {
			t.Fatal("no project")
		}
		if _, again := p.Workers.Entry(); err != nil && again == nil {
			t.Error("a project with a bad manifest gave out a worker")
		}
		sound(t, Check(p, "native").Err())
		_, faults := p.Workers.List()
		sound(t, faults.Err())
		for _, root := range p.Manifest.WorkersRoots {
			if _, ok := config.Inside(root); !ok {
				t.Errorf("root %q", root)
			}
		}
	})
}

// yamlBreak matches the line ends of YAML.
var yamlBreak = regexp.MustCompile("\r\n|[\n\r\u0085\u2028\u2029]")

// A fault of YAML names a line and a column that the file has.
func FuzzYAMLPlace(f *testing.F) {
	for _, c := range yamlFaults {
		f.Add([]byte(c.text), true)
		f.Add([]byte("---\n"+c.text), false)
	}
	for _, text := range hostile() {
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, front bool) {
		if front {
			data = append(append([]byte("---\n"), data...), "\n---\nhi\n"...)
		}
		_, err := entryOf(Setup{FS: fstest.MapFS{"main.worker": {Data: data}}})
		if err == nil {
			return
		}
		sound(t, err)
		lines := yamlBreak.Split(strings.TrimPrefix(string(data), "\ufeff"), -1)
		for _, f := range listOfFaults(err) {
			if f.Code != fault.Config || f.Where == nil || f.Where.File != "main.worker" {
				continue
			}
			if len(lines) != 1+strings.Count(string(data), "\n") {
				continue // the file has other line ends, too, and only \n counts in a file that is not text
			}
			if f.Where.Line > len(lines) || f.Where.Column > len([]rune(lines[f.Where.Line-1]))+2 {
				t.Errorf("%v: of %d lines in %q", f, len(lines), data)
			}
			if len(f.Message) > 2000 || len(f.Hint) > 2000 {
				t.Errorf("a fault of %d bytes", len(f.Error()))
			}
		}
	})
}

func FuzzReference(f *testing.F) {
	for _, ref := range []string{"a", "./workers/a", "workers/a.worker", "../a", "./../a", "/a", "a/../b", "lib:a", "./", ".", "..", "", "a//b", "C:\\a", "c:/a", "main", "workers/main", "a\x00", "\xff", "*", "a/worker", "./link.worker", "a.tools.yaml", "lib:w", "lib:./workers/w", "lib:workers/w.worker", "lib:hidden", "lib:../x", "lib:", "lib:lib:w", "lib:main"} {
		f.Add(ref)
	}
	libs := tree("-- lib/lib.yaml --\nname: lib\nexports: [w]\n-- lib/workers/w.worker --\ninstructions: w\n-- lib/workers/hidden.worker --\ninstructions: h\n-- lib/main.worker --\ninstructions: m\n")
	files := tree("-- project.yaml --\ndependencies: [lib]\n-- main.worker --\ninstructions: main\n-- workers/a.worker --\ninstructions: a\n-- workers/b/worker.worker --\ninstructions: b\n-- link.worker -> ../outside.worker --\n")
	f.Fuzz(func(t *testing.T, ref string) {
		for _, entry := range []string{"", ref} {
			p, err := Load(Setup{FS: files, Name: "demo", Options: options.Opening{Entry: entry}, Libraries: []LibraryRoot{{Label: "libs", FS: libs}}})
			if err != nil {
				t.Fatal(err)
			}
			var w *Worker
			if entry == "" {
				w, err = p.Workers.Find(ref)
			} else {
				w, err = p.Workers.Entry()
			}
			sound(t, err)
			if err == nil && files[w.File] == nil && w.File != "lib:workers/w.worker" {
				t.Errorf("%q led to %q", ref, w.File)
			}
			for _, name := range p.Trees.Opened() {
				if strings.Contains(name, "..") || strings.HasPrefix(name, "/") {
					t.Errorf("%q opened %q", ref, name)
				}
			}
		}
		root, inner := Locate(ref)
		if root == "" || !strings.HasPrefix(inner, "./") {
			t.Errorf("Locate(%q) = %q, %q", ref, root, inner)
		}
	})
}

func FuzzSchemaFile(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"$ref":"s.json"}`, `{"$ref":"s.json#/$defs/A","$defs":{"A":{"$ref":"#"}}}`, `{"items":{"$ref":"#/items"}}`, `{"a":1,"a":2}`, `[`, `{"$anchor":"x","$ref":"#x"}`,
		`{"$defs":{"A":{"allOf":[{"$ref":"t.json#/$defs/B"}]}},"type":"object"}`, "{\"pattern\":\"(\"}", `{"$dynamicRef":"x"}`, `{"$id":"http://x","$ref":"#/%24defs/A"}`, strings.Repeat(`{"not":`, 100),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		files := tree("-- main.worker --\n---\ninput_schema: s.json\noutput_schema: 's.json#/$defs/A'\n---\nhi\n-- t.json --\n{\"$defs\":{\"B\":{\"$ref\":\"s.json\"}}}\n")
		files["s.json"] = &fstest.MapFile{Data: data}
		w, err := entryOf(Setup{FS: files})
		sound(t, err)
		if err != nil {
			return
		}
		if f := compile(w.Input); f != nil {
			t.Errorf("%s: %v", w.Input, f)
		}
	})
}

func FuzzModuleReference(f *testing.F) {
	for _, ref := range []string{"a", "./tools/a", "tools/a.py", "../a", "/a", "a.b:c", "a..b:c", "a:b:c", ".wasm", "x.wasm.py", "a\\b", "C:a", "a\x00", "tools", "a.b/c:d", "a/../b"} {
		f.Add(ref)
	}
	files := tree("-- main.worker --\ninstructions: main\n-- tools/a.wasm --\n-- tools/b.py --\n-- a.wasm --\n-- .wasm --\n")
	home := tree("-- a/b.wasm --\n-- a.wasm --\n")
	f.Fuzz(func(t *testing.T, ref string) {
		p, err := Load(Setup{FS: files, ToolFiles: home, Options: options.Opening{AllowModuleImports: true}})
		if err != nil {
			t.Fatal(err)
		}
		name, bad := p.Modules.find(Location{Name: "."}, ref)
		if bad != nil {
			sound(t, bad)
			return
		}
		rest, outside := strings.CutPrefix(name, config.HomePrefix)
		if _, there := map[bool]fstest.MapFS{true: home, false: files}[outside][rest]; !there || !fs.ValidPath(rest) || path.Ext(rest) != ".wasm" {
			t.Errorf("%q is the module %q", ref, name)
		}
	})
}

func FuzzToolLock(f *testing.F) {
	sum := strings.Repeat("a", 64)
	for _, text := range hostile() {
		f.Add([]byte(text))
	}
	for _, text := range []string{"lock: 1\ntools: {tools/a.wasm: " + sum + "}", "lock: 1\ntools: {'home:a/b.wasm': sha256:" + sum + "}", "lock: 1\ntools: {'/a.wasm': " + sum + "}", "lock: 1\ntools:"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, lock []byte) {
		files := fstest.MapFS{"main.worker": {Data: []byte("instructions: x")}, "tools/a.wasm": {}, "tools.lock": {Data: lock}}
		p, err := Load(Setup{FS: files})
		if err != nil {
			t.Fatal(err)
		}
		w, err := p.Workers.Entry()
		if err != nil {
			t.Fatal(err)
		}
		modules, err := p.Modules.Of(w)
		sound(t, err)
		if err == nil && (len(modules) != 1 || !modules[0].Locked || modules[0].Digest != "" && len(modules[0].Digest) != 64) {
			t.Errorf("%+v", modules)
		}
		sound(t, Check(p, "").Err())
	})
}
