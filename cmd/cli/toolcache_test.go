package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func newTestCache(t *testing.T) (*toolCache, *[]string) {
	t.Helper()
	var told []string
	return &toolCache{
		dir:  filepath.Join(t.TempDir(), "home", "cache"),
		warn: func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) },
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
	other := &toolCache{dir: c.dir}
	if data, ok := other.Get("guard1-00"); !ok || string(data) != "woven" {
		t.Fatalf("got %q %v", data, ok)
	}
	if c.compiled() != c.dir || len(*told) > 0 {
		t.Fatalf("compiled %q, told %q", c.compiled(), *told)
	}
	info, err := os.Stat(c.dir)
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
		c := &toolCache{dir: dir, warn: func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) }}
		for range 2 {
			if err := c.Put("a", []byte("x")); err == nil {
				t.Errorf("%q: put", dir)
			}
			if _, ok := c.Get("a"); ok {
				t.Errorf("%q: got", dir)
			}
		}
		c.sweep()
		if c.compiled() != "" || len(told) != 1 || strings.Contains(told[0], blocked) {
			t.Errorf("%q: compiled %q, told %q", dir, c.compiled(), told)
		}
	}
}

// Several processes write one entry; each reads a whole one.
func TestCacheTogether(t *testing.T) {
	first, _ := newTestCache(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			c := &toolCache{dir: first.dir}
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

// Beyond the limits the oldest files are removed, including the engine's. Unfinished
// files are removed when they are old.
func TestCacheIsBounded(t *testing.T) {
	c, _ := newTestCache(t)
	c.maxBytes, c.maxEntries = 50, 4
	engine := filepath.Join(c.dir, "wazero-v0-test")
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
	c.sweep()
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
