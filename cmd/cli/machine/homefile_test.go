package machine

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"golem/cmd/cli/disk"
	"golem/cmd/cli/secretstore"
)

// holding returns the files below a directory that contain a text.
func holding(t *testing.T, dir, text string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		if bytes.Contains(data, []byte(text)) || strings.Contains(name, text) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// X4: what a killed process left of a file in GOLEM_HOME is removed by the next one, but
// not what a living process is writing.
func TestLeftoversInGolemHome(t *testing.T) {
	home := realTemp(t)
	lock := func(name string) *flock.Flock {
		l := flock.New(filepath.Join(home, name+".lock"))
		if err := l.Lock(); err != nil {
			t.Fatal(err)
		}
		return l
	}
	lock("secrets.json").Close()
	alive := lock("trust.json")
	defer alive.Close()
	plant(t, home, ".secrets.json-ABC.tmp", ".trust.json-ABC.tmp", ".golem-123", ".golem-456", "history/.ab.jsonl-X.tmp", ".mine.tmp", ".x-y", "config.yaml")
	old := time.Now().Add(-2 * disk.StaleTemp)
	for _, name := range []string{".golem-123", "history/.ab.jsonl-X.tmp", ".mine.tmp", ".x-y"} {
		if err := os.Chtimes(filepath.Join(home, filepath.FromSlash(name)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	c := homeHost(realTemp(t), "/root", map[string]string{"GOLEM_HOME": home})
	if c.Home.Dir() == "" {
		t.Fatal("it does not count")
	}
	for name, stays := range map[string]bool{
		".secrets.json-ABC.tmp": false, ".trust.json-ABC.tmp": true, ".golem-123": false, ".golem-456": true, "history/.ab.jsonl-X.tmp": false,
		".mine.tmp": true, ".x-y": true, "config.yaml": true,
	} {
		if _, err := os.Stat(filepath.Join(home, filepath.FromSlash(name))); (err == nil) != stays {
			t.Errorf("%s: %v, should stay: %v", name, err, stays)
		}
	}
}

// A change of secrets leaves no other copy: what a killed one left is gone with the next,
// and a removed secret is nowhere.
func TestARemovedSecretIsNowhere(t *testing.T) {
	home := realTemp(t)
	c := homeHost(realTemp(t), "/root", map[string]string{"GOLEM_HOME": home})
	s := secretstore.Open(c)
	for range 2 {
		if _, _, err := s.Set("T", "tok-4711-geheim", secretstore.InFile); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, ".secrets.json-LEFT.tmp"), []byte("tok-4711-geheim"), 0o600); err != nil {
		t.Fatal(err)
	}
	if had, err := s.Remove("T"); err != nil || !had {
		t.Fatal(had, err)
	}
	if names := holding(t, home, "tok-4711-geheim"); len(names) > 0 {
		t.Error(names)
	}
	info, err := os.Stat(filepath.Join(home, "secrets.json"))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info, err)
	}
}
