//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golem/core/wasmtool/enginetest"
)

// moduleIn puts the module of a conformance case, with a sidecar that describes
// one tool, into a directory.
func moduleIn(t *testing.T, dir, name string) string {
	t.Helper()
	cases, err := enginetest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Name != name {
			continue
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
	t.Fatalf("there is no case %s", name)
	return ""
}

// SECURITY 1, 2 and 6: a module that was granted a directory does not get out of
// it through what lies there: links to files, links that lead nowhere, pipes,
// devices. Read-only is read-only.
func TestModuleStaysInItsDirectory(t *testing.T) {
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
		grant, says        string // on success, or as the code of the refusal
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
		if worked := exit == exitOK; worked != (c.says != "" && !strings.HasPrefix(c.says, "E_")) || !strings.Contains(out+bad, c.says) {
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

// heldIn is what a directory holds, with the content of its files.
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
