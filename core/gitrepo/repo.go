// Package gitrepo reads git repositories and makes commits in them, for the toolset git
// (core/toolset/gitset) and for clearance targets that are branches. It does not trust
// the content of a repository, runs no program of git, and needs no operating system:
// the caller provides the files as a tree.
package gitrepo

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"golem/core/fault"
)

// Limits for reading a repository.
const (
	MaxDepth  = 64      // levels of nested directories
	MaxHeader = 4 << 20 // bytes of a commit, a tag or one directory
	MaxTags   = 8       // levels of tags of tags
)

// WithFsck is the hint of the errors that Fault returns.
const WithFsck = "a person can check it with git fsck"

// faultOf returns E_PATH for a damaged repository.
func faultOf(format string, args ...any) error {
	return fault.New(fault.Path, "the repository is not accepted: "+format, args...).Hinting(WithFsck)
}

// oneLine returns a text without line breaks. fault.Brief and strconv.Quote then escape
// the control characters for the terminal.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// HeaderHash returns the hash in the first line of a commit ("tree") or tag ("object"),
// which must begin with key.
func HeaderHash(data []byte, key string) (plumbing.Hash, bool) {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	hex, ok := strings.CutPrefix(string(line), key+" ")
	return plumbing.NewHash(hex), ok && plumbing.IsHash(hex)
}

// ReadObject returns the content of an object. More than limit bytes are E_PATH.
func ReadObject(obj plumbing.EncodedObject, limit int64) ([]byte, error) {
	if obj.Size() > limit {
		return nil, faultOf("a file or directory has more than %d bytes", limit)
	}
	in, err := obj.Reader()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = faultOf("a file or directory has more than %d bytes", limit)
	}
	return data, err
}

// ShownName returns a name from a repository for a message: quoted and cut after 200
// bytes, or "the root" for "".
func ShownName(name string) string {
	if name == "" {
		return "the root"
	}
	return strconv.Quote(oneLine(strings.ToValidUTF8(name[:min(len(name), 200)], "?")))
}
