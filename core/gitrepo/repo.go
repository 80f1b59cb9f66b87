// Package gitrepo reads git repositories and makes commits in them: the engine behind
// the toolset git (core/toolset/gitset) and behind clearance targets that are
// branches. It believes nothing of what a repository says, runs no program of git,
// and needs no operating system: its files come as a tree.
package gitrepo

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"golem/core/fault"
)

// Bounds of what is read of a repository.
const (
	MaxDepth  = 64      // directories in one another
	MaxHeader = 4 << 20 // bytes of a commit, a tag or one directory
	MaxTags   = 8       // tags of tags
)

// WithFsck is the hint of what Fault returns.
const WithFsck = "a person can check it with git fsck"

// Fault is what is wrong with a repository.
func Fault(format string, args ...any) error {
	return fault.New(fault.Path, "the repository is not accepted: "+format, args...).Hinting(WithFsck)
}

// oneLine is a text of a repository without line breaks; fault.Brief and strconv.Quote
// escape what a terminal would obey.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// HeaderHash is the object that the first line of a commit or tag names.
func HeaderHash(data []byte, key string) (plumbing.Hash, bool) {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	hex, ok := strings.CutPrefix(string(line), key+" ")
	return plumbing.NewHash(hex), ok && plumbing.IsHash(hex)
}

// ReadObject is the content of an object of at most limit bytes.
func ReadObject(obj plumbing.EncodedObject, limit int64) ([]byte, error) {
	if obj.Size() > limit {
		return nil, Fault("a file or directory has more than %d bytes", limit)
	}
	in, err := obj.Reader()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = Fault("a file or directory has more than %d bytes", limit)
	}
	return data, err
}

// ShownName is a name of a repository in a message.
func ShownName(name string) string {
	if name == "" {
		return "the root"
	}
	return strconv.Quote(oneLine(strings.ToValidUTF8(name[:min(len(name), 200)], "?")))
}
