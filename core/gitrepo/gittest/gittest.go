// Package gittest makes git repositories for tests.
package gittest

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"
)

// Repo is a writer of a git repository, which may also be one that git would never make.
// It writes each object into a file of its own.
type Repo struct {
	T     interface{ Fatal(...any) }
	Write func(name string, data []byte) error // writes a file of the repository
	All   [][2]string                          // kind and content of all objects, for a pack
}

// Put writes a file of the repository. If that fails, it ends the test.
func (r *Repo) Put(name string, data []byte) {
	if err := r.Write(name, data); err != nil {
		r.T.Fatal(err)
	}
}

// Deflate compresses data with zlib, as git does.
func Deflate(data []byte) []byte {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// Object writes an object of a kind ("blob", "tree", "commit", "tag") and returns its
// hash in hex.
func (r *Repo) Object(kind, content string) string {
	raw := fmt.Appendf(nil, "%s %d\x00%s", kind, len(content), content)
	name := fmt.Sprintf("%x", sha1.Sum(raw))
	r.All = append(r.All, [2]string{kind, content})
	r.Put("objects/"+name[:2]+"/"+name[2:], Deflate(raw))
	return name
}

// Entry returns an entry of a directory: the mode in octal, the name, and the hash of the
// object in hex.
func Entry(mode, name, object string) string {
	raw, _ := hex.DecodeString(object)
	return mode + " " + name + "\x00" + string(raw)
}

// Tag writes a commit of a directory, a tag of this name for it, and the branch main that
// HEAD names. It returns the commit's hash.
func (r *Repo) Tag(name, tree string) string {
	commit := r.Object("commit", "tree "+tree+"\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nx\n")
	r.Put("refs/tags/"+name, []byte(commit+"\n"))
	r.Put("refs/heads/main", []byte(commit+"\n"))
	r.Put("HEAD", []byte("ref: refs/heads/main\n"))
	return commit
}

// Tree writes a directory with entries made by Entry and returns its hash.
func (r *Repo) Tree(entries ...string) string { return r.Object("tree", strings.Join(entries, "")) }
