package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"golem/core/gitrepo/gittest"
)

// cmdGitRepo makes a repository of a directory's files, with a tag: gitrepo DIR
// FROM TAG.
func cmdGitRepo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: gitrepo DIR FROM TAG")
	}
	to := ts.MkAbs(args[0])
	r := &gittest.Repo{T: fatal{ts}, Write: func(name string, data []byte) error {
		full := filepath.Join(to, ".git", filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, data, 0o644))
	}}
	var dir func(name string) string
	dir = func(name string) string {
		var entries []string
		list, err := os.ReadDir(name)
		ts.Check(err)
		for _, e := range list {
			full := filepath.Join(name, e.Name())
			switch {
			case e.IsDir():
				entries = append(entries, gittest.Entry("40000", e.Name(), dir(full)))
			case e.Type() == fs.ModeSymlink:
				target, err := os.Readlink(full)
				ts.Check(err)
				entries = append(entries, gittest.Entry("120000", e.Name(), r.Object("blob", target)))
			default:
				entries = append(entries, gittest.Entry("100644", e.Name(), r.Object("blob", ts.ReadFile(full))))
			}
		}
		return r.Tree(entries...)
	}
	r.Tag(args[2], dir(ts.MkAbs(args[1])))
}

type fatal struct{ ts *testscript.TestScript }

func (f fatal) Fatal(args ...any) { f.ts.Fatalf("%s", fmt.Sprint(args...)) }
