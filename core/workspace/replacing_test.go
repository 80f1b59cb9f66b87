package workspace_test

import (
	"bytes"
	"errors"
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
			err := workspace.ToolFiles{Root: &stopping{root, n}, Seal: seal{}}.Replace(files)
			ended = err == nil
			_ = workspace.ToolFiles{Root: &stopping{root, again}, Seal: seal{}}.Recover() // killed, too
			if err := (workspace.ToolFiles{Root: root, Seal: seal{}}).Recover(); err != nil {
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

// seal marks a journal as one of this machine.
type seal struct{}

func (seal) Seal(data []byte) ([]byte, error) { return append([]byte("sealed "), data...), nil }

func (seal) Unseal(data []byte) ([]byte, error) {
	body, ok := bytes.CutPrefix(data, []byte("sealed "))
	if !ok {
		return nil, errors.New("not sealed")
	}
	return body, nil
}

// SECURITY 17: a journal that this machine did not write, as one of a clone, changes nothing and
// stays. One that it wrote changes files of tools only, and none without the content that it names.
func TestForeignReplacement(t *testing.T) {
	const sum = "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0"
	for name, c := range map[string]struct{ journal, refused string }{
		"of a clone":     {`{"golem":"replacing","v":1,"files":[{"name":"tools/a.wasm","sha256":"` + sum + `"}]}`, ""},
		"no JSON":        {`[[[`, ""},
		"another file":   {`sealed {"golem":"replacing","v":1,"files":[{"name":"main.worker","sha256":"` + sum + `"}]}`, "main.worker"},
		"outside":        {`sealed {"golem":"replacing","v":1,"files":[{"name":"tools/../../x.wasm","sha256":"` + sum + `"}]}`, "x.wasm"},
		"another digest": {`sealed {"golem":"replacing","v":1,"files":[{"name":"tools/a.wasm","sha256":"00"}]}`, "is damaged"},
		"a later one":    {`sealed {"golem":"replacing","v":2}`, "is damaged"},
	} {
		root := sandbox.Memory()
		old := map[string]string{"main.worker": "old", "tools/a.wasm": "old", ".golem/replacing/0": "aaa", ".golem/replacing/journal.json": c.journal + "\n"}
		for file, text := range old {
			if err := root.WriteFile(file, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		files := workspace.ToolFiles{Root: root, Seal: seal{}}
		err := files.Recover()
		if c.refused == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.refused != "" && (err == nil || !strings.Contains(err.Error(), "E_LOCK") || !strings.Contains(err.Error(), c.refused) || !strings.Contains(err.Error(), "remove the directory .golem/replacing")) {
			t.Errorf("%s: %v", name, err)
		}
		for file, text := range old {
			if data, rerr := fs.ReadFile(root, file); rerr != nil || string(data) != text {
				t.Errorf("%s: %s is %q, %v", name, file, data, rerr)
			}
		}
		if err := (workspace.ToolFiles{Root: root}).Recover(); err != nil {
			t.Errorf("%s, without a key: %v", name, err)
		}
		if err := files.Replace(map[string][]byte{"tools/a.wasm": []byte("x")}); err != nil {
			t.Errorf("%s: afterwards: %v", name, err)
		}
	}
}

// Without a key tools.lock is written last: if golem is killed before, the run is refused and
// the command can be given again.
func TestReplacedWithoutAKey(t *testing.T) {
	files := map[string][]byte{"tools/a.wasm": []byte("new"), "tools.lock": []byte("new lock")}
	root := sandbox.Memory()
	if err := (workspace.ToolFiles{Root: &stopping{root, 1}}).Replace(files); err == nil {
		t.Fatal("it was not stopped")
	}
	if _, err := fs.Stat(root, "tools.lock"); err == nil {
		t.Error("tools.lock is written before the module")
	}
	if err := (workspace.ToolFiles{Root: root}).Replace(files); err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if data, err := fs.ReadFile(root, name); err != nil || string(data) != string(want) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, err := fs.Stat(root, ".golem"); err == nil {
		t.Error("there is a journal")
	}
}
