package osfs

import (
	"io/fs"
	"os"
	"path"

	"golem/core/sandbox"
)

// info describes a file under the name that was requested. It also knows where
// the file is and how many names it has, so that a view can judge the file and
// not the name.
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

// Name returns the base of the requested name, "." for the root.
func (i info) Name() string { return i.name }

// Place returns where the file is in the tree, after links were followed.
func (i info) Place() string { return i.place }

// Links returns how many names the file has; 0 means unknown.
func (i info) Links() uint64 { return i.links }

// Sys returns nil, because workers must not see further information of the operating
// system.
func (i info) Sys() any { return nil }

// plainInfo returns the info in the form in which package os compares it.
func plainInfo(i fs.FileInfo) fs.FileInfo {
	if i, ok := i.(info); ok {
		return i.FileInfo
	}
	return i
}
