//go:build !js

package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golem/core/fault"
)

// disk writes a tree to a directory. It returns the directory and two file systems of
// it: one confined, as the CLI opens it, and one not confined.
func disk(t *testing.T, text string) (string, map[string]fs.FS) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	for name, f := range tree(text) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if f.Mode&fs.ModeSymlink != 0 {
			err = os.Symlink(string(f.Data), full)
		} else {
			err = os.WriteFile(full, f.Data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, map[string]fs.FS{"os.Root": root.FS(), "os.DirFS": os.DirFS(dir)}
}

// SPEC §8: a file that no worker can read does not get into a prompt through a link,
// either (SPEC §4).
func TestLinksToSecrets(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links need a privilege there
	}
	_, trees := disk(t, `
-- main.worker --
---
---
{{ file("notes") }}
-- .env --
KEY=secret
-- .git/config --
secret
-- .golem/conversations/1.jsonl --
secret
-- .golem/w.worker --
instructions: secret
-- templates/notes -> more --
-- templates/more -> ../.env --
-- templates/repository -> ../.git --
-- templates/state/now -> ../../.golem/conversations/1.jsonl --
-- templates/fine -> ../README --
-- README --
for all
-- prompts/p.md -> ../.env --
-- workers/p.worker --
---
description: has its prompt in prompts/
---
-- workers/w.worker -> ../.golem/w.worker --
`)
	for kind, tree := range trees {
		p := open(t, Setup{FS: tree})
		w, err := p.Workers.Entry()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"notes", "more", "repository/config", "state/now"} {
			if _, text, err := p.Templates.Text(w, name); !errors.Is(err, fault.Protected) || text != "" {
				t.Errorf("%s: %s: %q, %v", kind, name, text, err)
			}
		}
		if _, text, err := p.Templates.Text(w, "fine"); err != nil || text != "for all\n" {
			t.Errorf("%s: %q, %v", kind, text, err)
		}
		for _, name := range []string{"p", "w"} {
			if _, err := p.Workers.Find(name); !errors.Is(err, fault.Protected) {
				t.Errorf("%s: worker %s: %v", kind, name, err)
			}
		}
	}
}

// Scenario 8, on a disk
func TestLinksOnDisk(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links need a privilege there
	}
	dir, trees := disk(t, `
-- main.worker --
instructions: a
-- workers/in.worker -> ../main.worker --
-- workers/out.worker -> ../../outside.worker --
-- workers/abs.worker -> /etc/hostname --
-- workers/sub -> ../../outside --
-- workers/a.worker -> b.worker --
-- workers/b.worker -> a.worker --
-- workers/gone.worker -> nothing --
`)
	if err := os.WriteFile(filepath.Join(dir, "..", "outside.worker"), []byte("instructions: secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "..", "outside"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "..", "outside", "x.worker"), []byte("instructions: secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, fsys := range trees {
		t.Run(name, func(t *testing.T) {
			s := Setup{FS: fsys, Name: "project"}
			if w := worker(t, s, "in"); w.Instructions != "a" {
				t.Errorf("in: %+v", w)
			}
			for _, ref := range []string{"out", "abs", "sub/x", "a", "./workers/out.worker", "./workers/sub/x"} {
				w, err := open(t, s).Workers.Find(ref)
				if err == nil {
					t.Errorf("%s: %q", ref, w.Instructions)
					continue
				}
				wantFault(t, err, fault.Path)
				if strings.Contains(err.Error(), dir) {
					t.Errorf("host path in %v", err)
				}
			}
			_, err := open(t, s).Workers.Find("gone")
			wantFault(t, err, fault.NotFound)
		})
	}
}

// A FIFO is refused and not opened, which would wait for ever.
func TestFIFOIsRefused(t *testing.T) {
	dir, trees := disk(t, "-- main.worker --\ninstructions: a\n-- workers/x --\nx\n")
	if err := mkfifo(filepath.Join(dir, "workers", "pipe.worker")); err != nil {
		t.Logf("no FIFOs here: %v", err)
		return
	}
	for name, fsys := range trees {
		_, err := open(t, Setup{FS: fsys}).Workers.Find("pipe")
		if wantFault(t, err, fault.Path, "not a regular file"); t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestUnreadableFiles(t *testing.T) {
	if os.Getuid() <= 0 || runtime.GOOS == "windows" {
		t.Log("the user may read everything")
		return
	}
	dir, trees := disk(t, "-- main.worker --\ninstructions: a\n-- workers/x.worker --\ninstructions: a\n-- workers/d/y.worker --\ninstructions: a\n")
	for _, name := range []string{"x.worker", "d"} {
		if err := os.Chmod(filepath.Join(dir, "workers", name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "workers", "d"), 0o755) })
	for name, fsys := range trees {
		got := Check(open(t, Setup{FS: fsys}), "")
		if len(got) != 2 || strings.Contains(got.Error(), dir) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// No module and no directory of tools is reached through a link that leads out.
func TestModuleLinksOnDisk(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links need a privilege there
	}
	dir, trees := disk(t, `
-- project.yaml --
tools: {roots: [away, near]}
-- main.worker --
instructions: a
-- away -> ../outside --
-- near -> lib --
-- lib/ok.wasm --
bytes
-- tools/in.wasm -> ../lib/ok.wasm --
-- tools/out.wasm -> ../../outside/x.wasm --
-- tools/out.tools.yaml -> ../../outside/x.yaml --
-- tools/abs.wasm -> /etc/hostname --
`)
	outside := filepath.Join(dir, "..", "outside")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x.wasm", "x.yaml"} {
		if err := os.WriteFile(filepath.Join(outside, name), []byte("secret"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, fsys := range trees {
		t.Run(name, func(t *testing.T) {
			p := open(t, Setup{FS: fsys})
			w, err := p.Workers.Entry()
			if err != nil {
				t.Fatal(err)
			}
			modules, err := p.Modules.Of(w)
			if err != nil {
				t.Fatal(err)
			}
			opened := 0
			for _, m := range modules {
				if strings.HasPrefix(m.Path, "away/") {
					t.Errorf("found %s", m.Path)
				}
				f, err := p.Modules.Open(m)
				inner := m.Path == "tools/in.wasm" || m.Path == "near/ok.wasm"
				if inner != (err == nil) {
					t.Errorf("%s: %v", m.Path, err)
				}
				if err == nil {
					opened++
					if err := f.Close(); err != nil {
						t.Error(err)
					}
				} else if strings.Contains(err.Error(), outside) || strings.Contains(err.Error(), "/etc/") {
					t.Errorf("a host path in %v", err)
				}
				if side, err := p.Modules.Sidecar(m); strings.Contains(string(side), "secret") || m.Path == "tools/out.wasm" && err == nil {
					t.Errorf("%s: sidecar %q, %v", m.Path, side, err)
				}
			}
			if opened != 2 {
				t.Errorf("opened %d of %v", opened, modules)
			}
		})
	}
}
