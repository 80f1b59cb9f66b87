package toolhost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
	"golem/core/wasmtool/wazeroengine"
)

func testSecret() ([]byte, error) { return []byte("0123456789abcdef0123456789abcdef"), nil }

func newTestCache(t *testing.T) (*toolCache, *[]string) {
	t.Helper()
	var told []string
	return &toolCache{
		Dir:    filepath.Join(t.TempDir(), "home", "cache"),
		warn:   func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) },
		secret: testSecret,
	}, &told
}

// An entry that was put can be read, also by another process. Only its owner can use
// the directory.
func TestCacheKeeps(t *testing.T) {
	c, told := newTestCache(t)
	if _, ok := c.Get("guard1-00"); ok {
		t.Fatal("an empty cache had an entry")
	}
	if err := c.Put("guard1-00", []byte("woven")); err != nil {
		t.Fatal(err)
	}
	other := &toolCache{Dir: c.Dir, secret: testSecret}
	if data, ok := other.Get("guard1-00"); !ok || string(data) != "woven" {
		t.Fatalf("got %q %v", data, ok)
	}
	if len(*told) > 0 {
		t.Fatalf("told %q", *told)
	}
	for name, c := range map[string]*toolCache{
		"another key": {Dir: c.Dir, secret: func() ([]byte, error) { return make([]byte, 32), nil }},
		"no key":      {Dir: c.Dir, secret: func() ([]byte, error) { return nil, errors.New("none") }},
	} {
		if data, ok := c.Get("guard1-00"); ok {
			t.Errorf("%s: got %q", name, data)
		}
	}
	info, err := os.Stat(c.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v, mode %v", err, info.Mode())
	}
}

// A key is not a path.
func TestCacheRefusesPaths(t *testing.T) {
	c, _ := newTestCache(t)
	for _, key := range []string{"", "../x", "a/b", `a\b`, ".tmp-1", "..", strings.Repeat("a", 129)} {
		if err := c.Put(key, []byte("x")); err == nil {
			t.Errorf("%q was taken", key)
		}
		if _, ok := c.Get(key); ok {
			t.Errorf("%q was found", key)
		}
	}
}

// Without a directory, with one that is a file, or with one that others can write to,
// nothing is cached, everything else works, and the reason is told once.
func TestCacheThatCannotBe(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(t.TempDir(), "open")
	if err := os.MkdirAll(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", filepath.Join(blocked, "cache"), open} {
		var told []string
		c := &toolCache{Dir: dir, secret: testSecret, warn: func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }}
		for range 2 {
			if err := c.Put("a", []byte("x")); err == nil {
				t.Errorf("%q: put", dir)
			}
			if _, ok := c.Get("a"); ok {
				t.Errorf("%q: got", dir)
			}
		}
		c.sweep()
		if len(told) != 1 || strings.Contains(told[0], blocked) {
			t.Errorf("%q: told %q", dir, told)
		}
	}
}

// Several processes write one entry; each reads a whole one.
func TestCacheTogether(t *testing.T) {
	first, _ := newTestCache(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			c := &toolCache{Dir: first.Dir, secret: testSecret}
			want := bytes.Repeat([]byte{byte(i)}, 100_000)
			for range 20 {
				if err := c.Put("same", want); err != nil {
					t.Error(err)
				}
				c.sweep()
				data, ok := c.Get("same")
				if !ok || len(data) != len(want) || bytes.Count(data, data[:1]) != len(data) {
					t.Errorf("a torn entry: %v, %d bytes", ok, len(data))
				}
			}
		})
	}
	wg.Wait()
	left, err := os.ReadDir(first.entries())
	if err != nil || len(left) != 1 {
		t.Fatalf("%v, left behind: %v", err, left)
	}
}

// Beyond the limits the oldest files are removed, including those of other directories. Unfinished
// files are removed when they are old.
func TestCacheIsBounded(t *testing.T) {
	c, _ := newTestCache(t)
	c.maxBytes, c.maxEntries = 50, 4
	engine, old := filepath.Join(c.Dir, "other"), filepath.Join(c.Dir, "wazero-v0-test")
	now := time.Now()
	put := func(dir, name string, size int, age time.Duration) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	put(c.entries(), "new", 10, 0)
	put(engine, "newer", 10, time.Minute)
	put(c.entries(), "middle", 10, 2*time.Minute)
	put(engine, "large", 30, 3*time.Minute)
	put(c.entries(), "old", 1, 4*time.Minute)
	put(engine, "x.1.tmp", 1000, time.Minute)
	put(engine, "y.1.tmp", 1000, 2*time.Hour)
	put(old, "unsealed", 1, 0)
	c.sweep()
	if _, err := os.Stat(old); err == nil {
		t.Error("compiled code without a MAC is still there")
	}
	var left []string
	for _, dir := range []string{engine, c.entries()} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			left = append(left, e.Name())
		}
	}
	if got, want := strings.Join(left, " "), "newer x.1.tmp middle new"; got != want {
		t.Errorf("left: %s; want %s", got, want)
	}
}

// An entry that is used counts as new.
func TestCacheMarksUse(t *testing.T) {
	c, _ := newTestCache(t)
	if err := c.Put("a", nil); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-48 * time.Hour)
	name := filepath.Join(c.entries(), "a")
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	c.Get("a")
	if info, err := os.Stat(name); err != nil || time.Since(info.ModTime()) > time.Hour {
		t.Fatalf("%v, used %v", err, info.ModTime())
	}
}

// numbered returns a module whose export run fails with a number.
func numbered(n byte) []byte {
	return []byte{
		0, 'a', 's', 'm', 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0,
		7, 7, 1, 3, 'r', 'u', 'n', 0, 0, 10, 6, 1, 4, 0, 0x41, n, 0x0b,
	}
}

// SPEC §3: compiled code of another module, valid in itself, does not run: neither
// from a cache with another key, nor this cache's own entry under the module's name, nor
// wazero's own file. Code that was kept here is used.
func TestPlantedMachineCodeDoesNotRun(t *testing.T) {
	ctx := context.Background()
	call := func(dir string, secret byte, n byte) string {
		t.Helper()
		c := &toolCache{Dir: dir, secret: func() ([]byte, error) { return bytes.Repeat([]byte{secret}, 32), nil }}
		woven, err := guard.Weave(numbered(n))
		if err != nil {
			t.Fatal(err)
		}
		e, err := wazeroengine.New(ctx, wazeroengine.Options{Cache: c})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		code, err := e.Compile(ctx, woven, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = code.Call(ctx, wasmtool.Invocation{Form: wasmtool.Extism, Export: "run"}, wasmtool.Host{})
		if err == nil {
			t.Fatal("the call did not fail with its number")
		}
		return err.Error()
	}
	entry := func(dir string) string {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(dir, "modules", "code1-*"))
		if err != nil || len(names) != 1 {
			t.Fatal(names, err)
		}
		return names[0]
	}
	root := t.TempDir()
	mine, other, theirs := filepath.Join(root, "mine"), filepath.Join(root, "other"), filepath.Join(root, "theirs")
	one, two := call(mine, 1, 1), call(other, 1, 2)
	if one == two || call(theirs, 2, 2) != two {
		t.Fatalf("%q, %q", one, two)
	}
	for name, plant := range map[string]string{"this key, another module": entry(other), "another key": entry(theirs)} {
		data, err := os.ReadFile(plant)
		if err != nil {
			t.Fatal(err)
		}
		for _, bytes := range [][]byte{data, data[32:]} { // as golem keeps it, and as wazero writes it
			if err := os.WriteFile(entry(mine), bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := call(mine, 1, 1); got != one {
				t.Errorf("%s: planted code ran: %q", name, got)
			}
		}
	}
	before, err := os.ReadFile(entry(mine))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(before); i += 7 {
		changed := slices.Clone(before)
		changed[i] ^= 1
		c := &toolCache{Dir: mine, secret: func() ([]byte, error) { return bytes.Repeat([]byte{1}, 32), nil }}
		if err := os.WriteFile(entry(mine), changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := c.Get(filepath.Base(entry(mine))); ok {
			t.Fatalf("byte %d was changed", i)
		}
	}
}
