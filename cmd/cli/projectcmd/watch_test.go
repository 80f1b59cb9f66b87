package projectcmd

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golem/cmd/cli/console"
)

// A watch checks at once, and then once for each change, one tick after its last step.
// A check that fails does not end the watch, Ctrl+C does.
func TestWatchChecksOncePerChange(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	put := func(dir, name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	said, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	c := console.New(nil, "")
	c.Err = said
	put(dir, "main.worker", "a")

	ctx, cancel := context.WithCancel(t.Context())
	tick, looked, ended := make(chan time.Time), make(chan bool), make(chan error)
	checks := 0
	go func() {
		ended <- watchProject(ctx, c, tick, func() map[string]stamp {
			defer func() { looked <- true }()
			return watched(dir, home)
		}, func() error {
			checks++
			return console.ExitCode(console.ExitFailed)
		})
	}()
	<-looked
	steps := []struct {
		change func()
		checks int // expected after the tick before
	}{
		{func() {}, 1},
		{func() { put(dir, "main.worker", "ab") }, 1},       // seen
		{func() { put(dir, "workers/new.worker", "n") }, 1}, // goes on changing
		{func() {}, 1}, // at rest: checked after this look
		{func() { put(dir, ".golem/runs/x", "x") }, 2}, // no part of the project
		{func() {}, 2},
		{func() { put(home, "config.yaml", "model: x") }, 2}, // the person's own
		{func() {}, 2},
		{func() { _ = os.Remove(filepath.Join(dir, "main.worker")) }, 3},
		{func() {}, 3},
		{func() {}, 4},
	}
	for n, s := range steps {
		s.change()
		tick <- time.Time{} // what the tick before began has ended
		if checks != s.checks {
			t.Errorf("step %d: %d checks, want %d", n, checks, s.checks)
		}
		<-looked
	}
	cancel()
	var code console.ExitCode
	if err := <-ended; !errors.As(err, &code) || code != console.ExitInterrupted {
		t.Errorf("ended with %v", err)
	}
	data, err := os.ReadFile(said.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"workers/new.worker has changed", "$GOLEM_HOME/config.yaml has changed", "main.worker has changed"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%q is missing in %s", want, data)
		}
	}
}

// A project that is reached through a link is watched too.
func TestWatchThroughALink(t *testing.T) {
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.WriteFile(filepath.Join(dir, "main.worker"), []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if _, there := watched(link, "")["main.worker"]; !there {
		t.Errorf("%v", watched(link, ""))
	}
}

// What the command itself writes, a report and redirected output, is no change of the project.
func TestWatchLeavesOutWhatItWrites(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"main.worker", "out.xml", "sub/out.xml", "log.txt"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("a"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := os.OpenFile(filepath.Join(dir, "log.txt"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c := console.New(nil, dir)
	c.Out = out
	seen := watched(dir, "", written(c, []string{"out.xml", "", "missing.xml"})...)
	names := slices.Sorted(maps.Keys(seen))
	if want := []string{"main.worker", "sub/out.xml"}; !slices.Equal(names, want) {
		t.Errorf("watches %v, want %v", names, want)
	}
}
