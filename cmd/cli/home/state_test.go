package home

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"golem/core/fault"
	"golem/core/state"
	"golem/sandbox/osfs"
)

// The key of a machine is made once, for its owner only, even if many processes start
// at once. One golem can read what another one sealed.
func TestStateKey(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	files, err := osfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	kind := state.Format{Kind: "test", Version: 1}
	var all sync.WaitGroup
	sealed := make([][]byte, 8)
	for i := range sealed {
		all.Go(func() {
			s := New(map[string]string{"GOLEM_HOME": home}, "", nil, nil).State(files, root)
			var err error
			if sealed[i], err = s.Seal(kind, "x", []byte("body")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, one := range sealed {
		if !bytes.Equal(one, sealed[0]) {
			t.Fatal("two keys")
		}
	}
	info, err := os.Stat(filepath.Join(home, "state.key"))
	if err != nil || info.Size() != 32 || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(root, ".golem")); !os.IsNotExist(err) {
		t.Errorf("sealing made .golem: %v", err)
	}
}

// A log and a lock of a project are files in its .golem, and a link there is refused.
func TestStateLiesInTheProject(t *testing.T) {
	home, root, away := t.TempDir(), t.TempDir(), t.TempDir()
	files, err := osfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	s := New(map[string]string{"GOLEM_HOME": home}, "", nil, nil).State(files, root)
	kind := state.Format{Kind: "test", Version: 1}
	log, err := s.NewLog(kind, "things/one.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(log.Append([]byte("1")), log.Sync(), log.Close()); err != nil {
		t.Fatal(err)
	}
	release, err := s.TryHold("one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.TryHold("one"); !errors.Is(err, fault.Busy) {
		t.Errorf("%v, want E_BUSY", err)
	}
	release()
	if info, err := os.Stat(filepath.Join(root, ".golem/things")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.RemoveAll(filepath.Join(root, ".golem")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(away, filepath.Join(root, ".golem")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.NewLog(kind, "things/two.jsonl"); !errors.Is(err, fault.Path) {
		t.Errorf("through a link: %v, want E_PATH", err)
	}
	if _, err := s.TryHold("one"); !errors.Is(err, fault.Path) {
		t.Errorf("a lock through a link: %v, want E_PATH", err)
	}
}
