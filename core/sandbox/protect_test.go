package sandbox_test

import (
	"io/fs"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Scenario 24, SECURITY 4: no worker can change the files that define the project.
func TestProtected(t *testing.T) {
	files := []string{
		"main.worker", "project.yaml", ".env", ".env.local", ".git/config", ".golem/state", "workers/w.worker", "workers/notes.md", "tools/x.wasm",
		"toolsets/t", "templates/t.j2", "prompts/p.md", "schemas/s.json", "agents/defs/a.md", "agents/other/b.md", "lib/read.md", "pack/x.wasm",
		"data/ok.txt", "data/sub/.env", "free/a.txt",
	}
	for _, root := range []string{".", "/host/proj"} {
		m := tree(t, files...)
		sub, err := m.(sandbox.SubFS).SubFS("workers")
		if err != nil {
			t.Fatal(err)
		}
		under := func(dir string) string {
			if root == "." {
				return dir
			}
			return root + "/" + dir
		}
		p := sandbox.Controls{
			Root: root, Manifest: "project.yaml", Dirs: []string{"agents/defs", "./", "."},
			Defines: func(p string) bool { return p == "lib/read.md" },
		}.Protect()
		v := view(t, sandbox.ViewSpec{Protection: p, Mounts: []sandbox.Mount{
			{Name: "root", At: ".", FS: m, Source: root, Mode: sandbox.ReadWrite},
			{Name: "again", At: "again", FS: m, Source: root, Mode: sandbox.ReadWrite},
			{Name: "w", At: "elsewhere", FS: sub, Source: under("workers"), Mode: sandbox.ReadWrite},
		}})
		unwritable(t, v)
		unreadable(t, v)
		same(t, "/", list(t, v, "."), "again", "agents", "data", "elsewhere", "free", "lib", "main.worker", "pack", "project.yaml",
			"prompts", "schemas", "templates", "tools", "toolsets", "workers")
		same(t, "/data/sub", list(t, v, "data/sub"))
		for _, dir := range []string{"workers", "agents", "pack", "lib", "data", "again/agents", "tools"} {
			refused(t, "rename directory "+dir, v.Rename(dir, "moved"), fault.Protected)
		}
		refused(t, "rename a directory onto tools", v.Rename("free", "tools"), fault.Protected)
		for _, secret := range []string{".git", ".golem"} {
			_, err := sandbox.View(sandbox.ViewSpec{Protection: p, Mounts: []sandbox.Mount{{Name: "root", At: ".", FS: m, Source: root}}, Restricts: []string{secret}})
			refused(t, "restrict to "+secret, err, fault.Protected)
			_, err = sandbox.View(sandbox.ViewSpec{Protection: p, Mounts: []sandbox.Mount{{Name: "g", At: "g", FS: m, Source: under(secret)}}})
			refused(t, "mount "+secret, err, fault.Protected)
		}
		for _, n := range files {
			if got, err := fs.ReadFile(m, n); err != nil || string(got) != n {
				t.Errorf("%s was changed: %q, %v", n, got, err)
			}
		}
		for _, step := range []error{v.WriteFile("data/ok.txt", nil), v.WriteFile("data/workers/x", nil), v.WriteFile("mains.txt", nil), v.Rename("free", "freed")} {
			if step != nil {
				t.Errorf("what defines nothing is refused: %v", step)
			}
		}
	}
}

func unwritable(t *testing.T, v sandbox.FS) {
	t.Helper()
	for _, n := range []string{
		"main.worker", "Main.Worker", "new.worker", "d/new.WORKER", "tools/x.wasm", "x.WASM", "tools", "Tools/new", "project.yaml", "PROJECT.YAML",
		"project.yml", "llm-do.yaml", "golem-forge.config.yml", "workers/x", "WORKERS/deep/x", "workers/w.worker", "templates/t.j2", "prompts/p.md",
		"schemas/new.json", "toolsets/t", "agents/defs/a.md", "lib/read.md", "pack/x.wasm", ".env", ".ENV", ".env.local", ".git/config", ".Git/hooks/x",
		".golem/state", "data/sub/.env", "data/.git/hooks/pre-commit", "again/main.worker", "again/workers/new", "elsewhere/w.worker", "elsewhere/new.md",
		"wor\u212aers/x", ".ｅｎｖ", ".golemignore", "golem.lock", "Tools.lock", "lib.yaml",
	} {
		refused(t, "write "+n, v.WriteFile(n, []byte("evil")), fault.Protected)
		refused(t, "remove "+n, v.Remove(n), fault.Protected)
		refused(t, "mkdir "+n, v.Mkdir(n, 0o755), fault.Protected)
		refused(t, "move over "+n, v.Rename("free/a.txt", n), fault.Protected)
		refused(t, "move away "+n, v.Rename(n, "free/taken"), fault.Protected)
	}
}

func unreadable(t *testing.T, v sandbox.FS) {
	t.Helper()
	for _, n := range []string{
		".env", ".env.local", ".git/config", ".git", ".golem", ".golem/state", ".ENV", "data/sub/.env", "again/.env", "again/.git/config",
		".env::$DATA", ".env .", ".env .:x", ".git./config", "GIT~1/config", "golem~1/state", "env~1", "GI7EB9~1/config",
	} {
		refused(t, "read "+n, reads(v, n), fault.Protected)
		_, err := fs.Stat(v, n)
		refused(t, "stat "+n, err, fault.Protected)
		_, err = fs.ReadDir(v, n)
		refused(t, "list "+n, err, fault.Protected)
	}
}
