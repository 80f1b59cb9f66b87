//go:build attack && unix

package main

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golem/cmd/cli/disk"
)

// X4: golem secret set and remove, killed at any moment, leave no copy of a secret that
// outlives the next command; a removed secret is nowhere.
func TestAttackKilledSecrets(t *testing.T) {
	const value = "tok-4711-geheim-abcdef"
	dir := disk.Resolved(t.TempDir())
	golem := func(words ...string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], words...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(value)
		cmd.Env = append(os.Environ(), asGolem+"=1", "GOLEM_HOME="+homeOf(dir))
		return cmd
	}
	left := 0
	for range 400 {
		cmd := golem("secret", "set", "T", "--store", "file")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if _, err := os.Stat(homeOf(dir)); err == nil && len(holding(t, homeOf(dir), value)) > 1 {
			left++
		}
	}
	t.Logf("%d of 400 kills left a second copy until the next command", left)
	for _, words := range [][]string{{"secret", "set", "T", "--store", "file"}, {"secret", "remove", "T"}} {
		if out, err := golem(words...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", words, err, out)
		}
	}
	if names := holding(t, homeOf(dir), value); len(names) > 0 {
		t.Errorf("the removed secret is in %v", names)
	}
}

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
