package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
)

// staging makes a project on the disk, and returns its store and the work of a run.
func staging(b *testing.B) (*clearance.Store, *clearance.Work) {
	dir := b.TempDir()
	c := console.New(map[string]string{"GOLEM_HOME": homeOf(dir)}, "")
	root := filepath.Join(dir, "p")
	if err := os.Mkdir(root, 0o755); err != nil {
		b.Fatal(err)
	}
	files, err := osfs.Open(root)
	if err != nil {
		b.Fatal(err)
	}
	state := c.Home.State(files, root)
	s := &clearance.Store{State: &state, Real: benchFiles{files}}
	return s, &clearance.Work{Store: s, Run: "r", Worker: "main", Root: ".", Host: onFiles{files}}
}

// BenchmarkClearance measures, on the disk, the figures in docs/internal/threats.md for 10,000
// items and for 100 MB. Run it with -benchtime 1x.
func BenchmarkClearance(b *testing.B) {
	ctx := context.Background()
	commit := func(w *clearance.Work, name string, data []byte) {
		if _, err := w.Commit(context.Background(), []clearance.File{{Source: ".", Path: name, Read: func() ([]byte, error) { return data, nil }}}, name, ""); err != nil {
			b.Fatal(err)
		}
	}
	many, w := staging(b)
	b.Run("stage10000", func(b *testing.B) {
		for n := range 10_000 {
			commit(w, "f"+strconv.Itoa(n), []byte("x"))
		}
	})
	b.Run("list10000", func(b *testing.B) {
		if items, err := many.List(); err != nil || len(items) != 10_000 {
			b.Fatal(len(items), err)
		}
	})
	b.Run("settle10000", func(b *testing.B) {
		if err := many.Settle(ctx); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("push1of10000", func(b *testing.B) {
		if _, err := many.Push(ctx, "10000", clearance.Push{}); err != nil {
			b.Fatal(err)
		}
	})
	large, w := staging(b)
	b.Run("stage100MB", func(b *testing.B) { commit(w, "large", bytes.Repeat([]byte("large "), 100<<20/6)) })
	b.Run("push100MB", func(b *testing.B) {
		if _, err := large.Push(ctx, "1", clearance.Push{}); err != nil {
			b.Fatal(err)
		}
	})
	wide, w := staging(b)
	b.Run("stage10000files", func(b *testing.B) {
		var files []clearance.File
		for n := range 10_000 {
			files = append(files, clearance.File{Source: ".", Path: "f" + strconv.Itoa(n), Read: func() ([]byte, error) { return []byte(strconv.Itoa(n)), nil }})
		}
		if _, err := w.Commit(context.Background(), files, "wide", ""); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("push10000files", func(b *testing.B) {
		if _, err := wide.Push(ctx, "1", clearance.Push{}); err != nil {
			b.Fatal(err)
		}
	})
}

// benchFiles has one tree for every source, and no repository.
type benchFiles struct{ sandbox.FS }

func (r benchFiles) Mount(string) (sandbox.FS, error) { return r.FS, nil }

func (benchFiles) Branch(clearance.Target) (clearance.Branch, error) { return nil, clearance.ErrNoGit }

func (benchFiles) Guard(string) (bool, error) { return false, nil }

// onFiles is the host of work on files.
type onFiles struct{ sandbox.FS }

func (f onFiles) Base() (sandbox.FS, error) { return f.FS, nil }
func (onFiles) Life() context.Context       { return context.Background() }
func (onFiles) Trouble(*fault.Fault)        {}
