package osfs

import (
	"io/fs"
	"os"
	"path"

	"golem/core/sandbox"
)

// info describes a file under the name it was asked for, and knows where it
// lies and how many names it has, so that views judge the file and not the name.
type info struct {
	fs.FileInfo
	name, place string
	links       uint64
}

var (
	_ sandbox.Placed = info{}
	_ sandbox.Linked = info{}
)

func newInfo(i fs.FileInfo, file *os.File, name, place string) info {
	return info{FileInfo: i, name: path.Base(name), place: place, links: links(i, file)}
}

// Name is the base of the name asked for; "." for the root.
func (i info) Name() string { return i.name }

// Place is where the file lies in the tree, links followed.
func (i info) Place() string { return i.place }

// Links is how many names the file has; 0 if that is not known.
func (i info) Links() uint64 { return i.links }

// Sys is nil: what the operating system adds is not for workers.
func (i info) Sys() any { return nil }

// bare is the info as the os package compares it.
func bare(i fs.FileInfo) fs.FileInfo {
	if i, ok := i.(info); ok {
		return i.FileInfo
	}
	return i
}
