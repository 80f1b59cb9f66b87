// Package builtin holds the text files that golem brings along: the scripts of
// script:NAME and the projects that golem init makes. It has no code besides.
package builtin

import (
	"embed"
	"io/fs"
)

//go:embed scripts projects
var files embed.FS

// Scripts are the embedded scripts, as NAME.yaml (SPEC §10).
func Scripts() fs.FS { return below("scripts") }

// Projects are the projects that golem init makes, each in a directory with the
// name of its template. Empty directories are not among them.
func Projects() fs.FS { return below("projects") }

// below is a directory of the embedded files.
func below(dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil { // unreachable: the name is a valid path
		return files
	}
	return sub
}
