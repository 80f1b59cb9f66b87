//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golem/core/wasmtool/enginetest"

	"golem/cmd/cli/console"
)

// moduleIn puts the module of a conformance case, with a sidecar that describes
// one tool, into a directory.
func moduleIn(t *testing.T, dir, name string) string {
	t.Helper()
	c, err := enginetest.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	module, err := c.Source()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name+".wasm")
	if err := os.WriteFile(path, module, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".tools.yaml"), []byte("tools:\n  - {name: probe, description: Tries.}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// SECURITY 1, 2 and 6: a module that was granted a directory cannot leave it through
// its entries: links to files, broken links, pipes, devices. Read-only is read-only.
func TestModuleStaysInItsDirectory(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	outside := filepath.Join(top, "outside")
	secret, absent := filepath.Join(outside, "secret"), filepath.Join(outside, "absent")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := func(to string) func(string) error { return func(at string) error { return os.Symlink(to, at) } }
	text := func(at string) error { return os.WriteFile(at, []byte("inside"), 0o644) }
	for _, c := range []struct {
		what, module, file string
		put                func(at string) error
		grant, says        string // the result, or the code of the refusal
	}{
		{"a file", "read_file", "in.txt", text, "", "inside"},
		{"a file, read-only", "read_file", "in.txt", text, ":ro", "inside"},
		{"a link", "read_file", "in.txt", link(secret), "", ""},
		{"a relative link", "read_file", "in.txt", link("../outside/secret"), "", ""},
		{"a link to a link", "read_file", "in.txt", link("/proc/self/cwd/../outside/secret"), "", ""},
		{"the environment", "read_file", "in.txt", link("/proc/self/environ"), "", ""},
		{"a device", "read_file", "in.txt", link("/dev/zero"), "", ""},
		{"a pipe", "read_file", "in.txt", func(at string) error { return syscall.Mkfifo(at, 0o644) }, "", ""},
		{"writing", "create", "a.txt", text, "", "\n"},
		{"writing through a link", "create", "out.txt", link(secret), "", ""},
		{"creating through a link", "create", "out.txt", link(absent), "", ""},
		{"writing into a pipe", "create", "out.txt", func(at string) error { return syscall.Mkfifo(at, 0o644) }, "", ""},
		{"writing, read-only", "create", "a.txt", text, ":ro", "E_READONLY"},
		{"writing over a file, read-only", "create", "out.txt", text, ":ro", "E_READONLY"},
		{"moving, read-only", "rename", "in.txt", text, ":ro", "E_READONLY"},
		{"removing, read-only", "unlink", "in.txt", text, ":ro", "E_READONLY"},
		{"truncating, read-only", "exit_write", "in.txt", text, ":ro", "E_READONLY"},
	} {
		dir := filepath.Join(top, strings.ReplaceAll(c.what, " ", "-"))
		granted := filepath.Join(dir, "granted")
		if err := os.MkdirAll(granted, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := c.put(filepath.Join(granted, c.file)); err != nil {
			t.Fatal(err)
		}
		before := heldIn(t, granted)
		out, bad, exit := golem(t, dir, "tool", "call", moduleIn(t, dir, c.module), "probe", "{}", "--timeout", "20s", "--fs", granted+c.grant)
		if worked := exit == console.ExitOK; worked != (c.says != "" && !strings.HasPrefix(c.says, "E_")) || !strings.Contains(out+bad, c.says) {
			t.Errorf("%s: exit %d\n%s%s", c.what, exit, out, bad)
		}
		if strings.Contains(out, "secret") || strings.Contains(out+bad, "GOLEM_HOME") {
			t.Errorf("%s: it read what lies outside\n%s%s", c.what, out, bad)
		}
		if c.grant != "" && heldIn(t, granted) != before {
			t.Errorf("%s: the directory became %s", c.what, heldIn(t, granted))
		}
		if heldIn(t, outside) != "secret secret" {
			t.Errorf("%s: outside there is %s", c.what, heldIn(t, outside))
		}
	}
}

// heldIn returns the names in a directory, with the content of its files.
func heldIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
		if e.Type().IsRegular() {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(data))
		}
	}
	return strings.Join(out, " ")
}

// SECURITY 4: a module that gets a worker's files cannot change a file that defines the
// project, even if everything is approved. It can change other files.
func TestModuleChangesNoControlFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tools"), 0o755); err != nil {
		t.Fatal(err)
	}
	moduleIn(t, filepath.Join(dir, "tools"), "write_where")
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("tools/write_where.tools.yaml", "tools:\n  - {name: probe, description: Tries., inputSchema: {type: object, properties: {p: {type: string}}}}\n")
	put("project.yaml", "entry: main\n")
	put("main.worker", "---\nmodel: script:script.yaml\ntoolsets: {custom: {modules: {write_where: {fs: true}}}}\n---\ngo\n")
	put(".env", "KEY=x\n")
	put(".git/config", "[core]\n")
	put("prompts/p.md", "hello\n")
	put("other.worker", "---\nmodel: script:script.yaml\n---\nother\n")
	put("d/here.txt", "") // as with any WASI host, a module that writes makes no directories
	for path, want := range map[string]string{
		"free.txt": "done", "d/free.txt": "done",
		"project.yaml": "E_PROTECTED", "Project.YAML": "E_PROTECTED", "main.worker": "E_PROTECTED", "other.worker": "E_PROTECTED", "Other.WORKER": "E_PROTECTED",
		"project.yml": "E_PROTECTED", "llm-do.yaml": "E_PROTECTED", "tools.lock": "E_PROTECTED", "tools/tools.lock": "E_PROTECTED", "prompts/p.md": "E_PROTECTED", "new.worker": "E_PROTECTED", "d/new.worker": "E_PROTECTED", ".env": "E_PROTECTED", ".ENV": "E_PROTECTED", "d/.env": "E_PROTECTED",
		".git/config": "E_PROTECTED", ".git/hooks/pre-commit": "E_PROTECTED", ".GIT/config": "E_PROTECTED", ".golem/allow": "E_PROTECTED",
		"tools/write_where.wasm": "E_PROTECTED", "tools/new.wasm": "E_PROTECTED", "tools/write_where.tools.yaml": "E_PROTECTED", "d/../.env": "E_PROTECTED", "new.wasm": "E_PROTECTED",
	} {
		put("script.yaml", "script: 1\nworkers:\n  main:\n    - calls: [{tool: probe, args: {p: "+path+"}}]\n    - when: {error: E_PROTECTED}\n      say: E_PROTECTED\n    - when: {tool: probe}\n      say: done\n")
		before, had := os.ReadFile(filepath.Join(dir, path))
		out, bad, exit := golem(t, dir, ".", "go", "--approve-all")
		if exit != console.ExitOK || strings.TrimSpace(out) != want {
			t.Errorf("%s: exit %d, %q\n%s", path, exit, out, bad)
		}
		after, has := os.ReadFile(filepath.Join(dir, path))
		if want != "done" && (string(before) != string(after) || (had == nil) != (has == nil)) {
			t.Errorf("%s: %q became %q", path, before, after)
		}
		if want == "done" && string(after) != "new" {
			t.Errorf("%s: %q", path, after)
		}
	}
}
