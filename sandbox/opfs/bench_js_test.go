package opfs_test

import (
	"fmt"
	"io/fs"
	"syscall/js"
	"testing"

	"golem/sandbox/opfs"
)

// big is the size of a big file in bytes, for which the time of copying matters.
const big = 64 << 20

// BenchmarkAgainstPlain measures each operation twice: through the sandbox's
// file system, and in plain JavaScript on the same handles.
func BenchmarkAgainstPlain(b *testing.B) {
	for _, c := range []struct {
		name, plain string
		size        int
		prepare     func(b *testing.B, f *opfs.FS)
		golem       func(f *opfs.FS, i int) error
	}{
		{"write-4KB", "write", 0, nil, func(f *opfs.FS, i int) error { return f.WriteFile(fmt.Sprint("go", i), small) }},
		{"read-4KB", "read", 0, file, func(f *opfs.FS, _ int) error { _, err := f.ReadFile("file"); return err }},
		{"list-1000", "list", 0, thousand, func(f *opfs.FS, _ int) error { _, err := fs.ReadDir(f, "."); return err }},
		{"write-64MB", "bigWrite", big, nil, func(f *opfs.FS, _ int) error { return f.WriteFile("big", huge) }},
		{"read-64MB", "bigRead", big, bigFile, func(f *opfs.FS, _ int) error { _, err := f.ReadFile("big"); return err }},
		{"read-64MB-blob", "bigReadBlob", big, bigFile, func(f *opfs.FS, _ int) error { _, err := f.ReadFile("big"); return err }},
	} {
		dir := directory(b)
		f, err := opfs.Open(dir, "/bench")
		if err != nil {
			b.Fatal(err)
		}
		if c.prepare != nil {
			c.prepare(b, f)
		}
		b.Run(c.name+"/js", func(b *testing.B) {
			await(b, js.Global().Get("plain").Call(c.plain, dir, b.N, c.size))
		})
		b.Run(c.name+"/golem", func(b *testing.B) {
			for i := range b.N {
				if err := c.golem(f, i); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

var small, huge = make([]byte, 4096), make([]byte, big)

func file(b *testing.B, f *opfs.FS) { put(b, f, "file", small) }

func bigFile(b *testing.B, f *opfs.FS) { put(b, f, "big", huge) }

func thousand(b *testing.B, f *opfs.FS) {
	for i := range 1000 {
		put(b, f, fmt.Sprintf("a-file-%d.txt", i), nil)
	}
}

func put(b *testing.B, f *opfs.FS, name string, data []byte) {
	b.Helper()
	if err := f.WriteFile(name, data); err != nil {
		b.Fatal(err)
	}
}
