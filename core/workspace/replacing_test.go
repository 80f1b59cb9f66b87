package workspace_test

import (
	"io/fs"
	"maps"
	"strings"
	"testing"

	"golem/core/sandbox"
	"golem/core/workspace"
)

// stopping is a tree in which, after some changes, all changes fail, as if the process
// was killed at that point.
type stopping struct {
	sandbox.FS
	left int
}

func (s *stopping) step() error {
	if s.left--; s.left < 0 {
		return errKilled
	}
	return nil
}

func (s *stopping) WriteFile(name string, data []byte) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.FS.WriteFile(name, data)
}

func (s *stopping) Remove(name string) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.FS.Remove(name)
}

// SECURITY 14: wherever golem is killed while it replaces a module with its description
// and tools.lock, the next command has all old files or all new ones, and nothing else
// is left. This holds also if the recovery is killed, at each of its steps.
func TestReplacedToolsAreOldOrNew(t *testing.T) {
	old := map[string]string{"tools/a.wasm": "old", "tools/a.tools.yaml": "old: 1", "tools.lock": "old lock", "main.worker": "x"}
	next := map[string]string{"tools/a.wasm": "new", "tools/a.tools.yaml": "new: 1", "tools.lock": "new lock", "main.worker": "x"}
	begin := func() sandbox.FS {
		root := sandbox.Memory()
		for name, text := range old {
			if err := root.WriteFile(name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		return root
	}
	files := map[string][]byte{}
	for name, text := range next {
		if name != "main.worker" {
			files[name] = []byte(text)
		}
	}
	for n := 0; ; n++ {
		ended := false
		for again := 0; again < 12; again++ {
			root := begin()
			err := workspace.ToolFiles{Root: &stopping{root, n}}.Replace(files)
			ended = err == nil
			_ = workspace.ToolFiles{Root: &stopping{root, again}}.Recover() // killed, too
			if err := (workspace.ToolFiles{Root: root}).Recover(); err != nil {
				t.Fatalf("step %d, then %d: %v", n, again, err)
			}
			got := map[string]string{}
			if err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					data, rerr := fs.ReadFile(root, name)
					got[name], err = string(data), rerr
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if isNew := maps.Equal(got, next); !isNew && !maps.Equal(got, old) || ended && !isNew {
				t.Fatalf("step %d, then %d: %v", n, again, got)
			}
		}
		if ended {
			if n < 8 {
				t.Errorf("only %d steps", n)
			}
			return
		}
	}
}

// A journal that another program wrote changes no other file, and none without the
// content that it names.
func TestForeignReplacement(t *testing.T) {
	for name, journal := range map[string]string{
		"another file":   `{"golem":"replacing","v":1,"files":[{"name":"main.worker","sha256":"9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0"}]}`,
		"outside":        `{"golem":"replacing","v":1,"files":[{"name":"tools/../../x.wasm","sha256":"9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0"}]}`,
		"another digest": `{"golem":"replacing","v":1,"files":[{"name":"tools/a.wasm","sha256":"00"}]}`,
		"no JSON":        `[[[`,
		"a later one":    `{"golem":"replacing","v":2}`,
	} {
		root := sandbox.Memory()
		for file, text := range map[string]string{"main.worker": "old", ".golem/replacing/0": "aaa", ".golem/replacing/journal.json": journal} {
			if err := root.WriteFile(file, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		err := workspace.ToolFiles{Root: root}.Recover()
		if err == nil || !strings.Contains(err.Error(), "E_LOCK") || !strings.Contains(err.Error(), "remove the directory .golem/replacing") {
			t.Errorf("%s: %v", name, err)
		}
		if data, rerr := fs.ReadFile(root, "main.worker"); rerr != nil || string(data) != "old" {
			t.Errorf("%s: main.worker is %q, %v", name, data, rerr)
		}
		if err := (workspace.ToolFiles{Root: root}).Replace(map[string][]byte{"tools/a.wasm": []byte("x")}); err != nil {
			t.Errorf("%s: afterwards: %v", name, err)
		}
	}
}
