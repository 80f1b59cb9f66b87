//go:build !js

package examples_test

import (
	"io/fs"
	"os"
	"slices"
	"testing"
)

// copyExamples copies all examples into a directory, without packages from npm.
func copyExamples(t *testing.T, to string) {
	t.Helper()
	if err := os.CopyFS(to, withoutPackages{os.DirFS(".")}); err != nil {
		t.Fatal(err)
	}
}

// withoutPackages is a file tree without its node_modules directories.
type withoutPackages struct{ fs.FS }

// ReadDir lists a directory and leaves out node_modules.
func (w withoutPackages) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "node_modules" }), err
}
