// Package builtin holds the text files that golem brings along: the workers that
// any project may call, the scripts of script:NAME and the projects that golem
// init makes. It has no code besides.
package builtin

import (
	"embed"
	"io/fs"

	"golem/core/sandbox"
)

//go:embed workers scripts projects
var files embed.FS

// Workers are the built-in workers, as ID.worker (S1-01).
func Workers() fs.FS { return below("workers") }

// Scripts are the embedded scripts, as NAME.yaml (SPEC §10).
func Scripts() fs.FS { return below("scripts") }

// Projects are the projects that golem init makes, each in a directory with the
// name of its template. Empty directories are not among them.
func Projects() fs.FS { return below("projects") }

// below is a directory of the embedded files as a tree in memory, whose code is
// in golem anyway: as an fs.FS, embed.FS costs the page 9 KB more.
func below(dir string) fs.FS {
	tree := sandbox.Memory()
	fill(tree, dir, "")
	return tree
}

// fill copies a directory. What is embedded can be read, and has names that a
// tree takes, so no error is possible.
func fill(tree sandbox.FS, dir, to string) {
	entries, _ := files.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			fill(tree, dir+"/"+e.Name(), to+e.Name()+"/")
			continue
		}
		data, _ := files.ReadFile(dir + "/" + e.Name())
		_ = tree.WriteFile(to+e.Name(), data)
	}
}
