package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdNowhere is "nowhere TEXT PATH…": no file at or below the paths has the text in its
// content or its name.
func cmdNowhere(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: nowhere TEXT PATH…")
	}
	for _, at := range args[1:] {
		files := 0
		ts.Check(filepath.WalkDir(ts.MkAbs(at), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files++
			data, err := os.ReadFile(name)
			if bytes.Contains(append(data, d.Name()...), []byte(args[0])) {
				ts.Fatalf("%s has %q", name, args[0])
			}
			return err
		}))
		if files == 0 {
			ts.Fatalf("%s has no files", at)
		}
	}
}
