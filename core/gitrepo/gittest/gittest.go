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

// Repo makes git repositories, true ones and ones that git would never make:
// each object in a file of its own.
type Repo struct {
	T     interface{ Fatal(...any) }
	Write func(name string, data []byte) error
	All   [][2]string // kind and content, for a pack
}

// Put writes a file of the repository.
func (r *Repo) Put(name string, data []byte) {
	if err := r.Write(name, data); err != nil {
		r.T.Fatal(err)
	}
}

// Deflate compresses as git does.
func Deflate(data []byte) []byte {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// Object writes one and returns its name in hex.
func (r *Repo) Object(kind, content string) string {
	raw := fmt.Appendf(nil, "%s %d\x00%s", kind, len(content), content)
	name := fmt.Sprintf("%x", sha1.Sum(raw))
	r.All = append(r.All, [2]string{kind, content})
	r.Put("objects/"+name[:2]+"/"+name[2:], Deflate(raw))
	return name
}

// Entry is a line of a directory: mode, name, object.
func Entry(mode, name, object string) string {
	raw, _ := hex.DecodeString(object)
	return mode + " " + name + "\x00" + string(raw)
}

// Tag makes a commit of a directory and a tag of it.
func (r *Repo) Tag(name, tree string) string {
	commit := r.Object("commit", "tree "+tree+"\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nx\n")
	r.Put("refs/tags/"+name, []byte(commit+"\n"))
	r.Put("refs/heads/main", []byte(commit+"\n"))
	r.Put("HEAD", []byte("ref: refs/heads/main\n"))
	return commit
}

// Tree writes a directory and returns its name.
func (r *Repo) Tree(entries ...string) string { return r.Object("tree", strings.Join(entries, "")) }
