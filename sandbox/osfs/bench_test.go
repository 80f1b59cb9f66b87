//go:build !js

package osfs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golem/core/sandbox"
)

// bench compares a view with the os package on the same directory.
func bench(b *testing.B, viewed func(f sandbox.FS) error, direct func(dir string) error) {
	dir := b.TempDir()
	for i := range 100 {
		file := filepath.Join(dir, "src", "deep", strconv.Itoa(i))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, 4096), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	f := open(b, dir)
	v, err := sandbox.View(sandbox.ViewSpec{
		Mounts:     []sandbox.Mount{{Name: "root", At: ".", FS: f, Source: f.Source(), Mode: sandbox.ReadWrite}},
		Protection: sandbox.Controls{Root: f.Source()}.Protect(),
	})
	if err != nil {
		b.Fatal(err)
	}
	for name, step := range map[string]func() error{"view": func() error { return viewed(v) }, "os": func() error { return direct(dir) }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := step(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkViewRead(b *testing.B) {
	bench(b, func(f sandbox.FS) error { _, err := fs.ReadFile(f, "src/deep/7"); return err },
		func(dir string) error { _, err := os.ReadFile(filepath.Join(dir, "src/deep/7")); return err })
}

func BenchmarkViewWrite(b *testing.B) {
	data := make([]byte, 4096)
	bench(b, func(f sandbox.FS) error { return f.WriteFile("src/deep/7", data) },
		func(dir string) error { return os.WriteFile(filepath.Join(dir, "src/deep/7"), data, 0o644) })
}

func BenchmarkViewList(b *testing.B) {
	bench(b, func(f sandbox.FS) error { _, err := fs.ReadDir(f, "src/deep"); return err },
		func(dir string) error { _, err := os.ReadDir(filepath.Join(dir, "src/deep")); return err })
}
