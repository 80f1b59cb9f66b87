// Package builtin embeds text files in golem: the workers that any project may call,
// the templates that theirs may extend, the scripts that script:NAME names, and the projects that golem init writes.
package builtin

import (
	"bytes"
	"embed"
	"io/fs"

	"golem/core/sandbox"
)

//go:embed workers scripts projects assistant
var files embed.FS

// Workers returns the built-in workers, each a file ID.worker (S1-01), and in templates/
// the built-in templates, the last place of every worker's loader chain (SPEC §4).
func Workers() fs.FS { return copyTree("workers") }

// Scripts returns the embedded scripts. Each is a file NAME.yaml (SPEC §10).
func Scripts() fs.FS { return copyTree("scripts") }

// Projects returns the projects that golem init writes. Each is in a directory with the
// name of its template. Empty directories are not among them.
func Projects() fs.FS { return copyTree("projects") }

// AssistantFile is the one file of Assistant.
const AssistantFile = "assistant.worker"

// Assistant returns the project of the built-in worker assistant, with which a person talks
// about a directory that is not a project (SPEC §11). With shell it may run commands, each
// after a question.
func Assistant(shell bool) fs.FS {
	tree := sandbox.Memory()
	data, _ := files.ReadFile("assistant/" + AssistantFile)
	if shell {
		data = bytes.Replace(data, []byte("{filesystem: {}}"), []byte("{filesystem: {}, shell: {}}"), 1)
	}
	_ = tree.WriteFile(AssistantFile, data) // in memory it cannot fail
	return tree
}

// copyTree copies a directory of the embedded files to a tree in memory. golem has the
// code of such trees anyway; to return embed.FS as an fs.FS would make the page 9 KB
// larger.
func copyTree(dir string) fs.FS {
	tree := sandbox.Memory()
	fill(tree, dir, "")
	return tree
}

// fill copies a directory to a tree. No error is possible: embedded files can be read,
// and their names are valid in a tree.
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
