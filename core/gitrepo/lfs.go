package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// pointer is what a commit has in place of a file that Git LFS stores elsewhere.
type pointer struct {
	sum  string // SHA-256 of the file, in hex
	size int64
}

// maxPointer is the most bytes of a pointer of Git LFS.
const maxPointer = 1024

// parsePointer parses the content of a blob. is is false if it is no pointer.
func parsePointer(data []byte) (p pointer, is bool) {
	if len(data) > maxPointer || !strings.HasPrefix(string(data), "version https://git-lfs.github.com/spec/") {
		return p, false
	}
	p.size = -1
	for line := range strings.Lines(string(data)) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), " "); key {
		case "oid":
			p.sum = strings.TrimPrefix(value, "sha256:")
		case "size":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				p.size = n
			}
		}
	}
	sum, err := hex.DecodeString(p.sum)
	return p, err == nil && len(sum) == sha256.Size && p.size >= 0
}

func isPointer(data []byte) bool {
	_, is := parsePointer(data)
	return is
}

// text returns the pointer as Git LFS writes it.
func (p pointer) text() []byte {
	return fmt.Appendf(nil, "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", p.sum, p.size)
}

// pointer reads the blob of an entry if it may be a pointer.
func (b *Branch) pointer(e gitEntry) (p pointer, is bool, err error) {
	if e.mode != Plain && e.mode != Program {
		return p, false, nil
	}
	if size, err := b.store.EncodedObjectSize(e.hash); err != nil || size > maxPointer {
		return p, false, nil // a missing object is told where its content is needed
	}
	data, err := b.object(plumbing.BlobObject, e.hash.String())
	if err != nil {
		return p, false, gitMissing(err)
	}
	p, is = parsePointer(data)
	return p, is, nil
}

// cleanLFS reports whether a file of the working tree is the one to which its pointer in
// the last commit leads. known is false if the last commit has no pointer, or if the file
// cannot be read.
func (r *reader) cleanLFS(file string, e gitEntry) (clean, known bool, err error) {
	p, is, err := r.pointer(e)
	if err != nil || !is {
		return false, false, err
	}
	name, _ := r.name(file)
	if info, err := fs.Stat(r.view, strings.TrimPrefix(name, "/")); err == nil && info.Size() != p.size {
		return false, true, nil
	}
	now, ok := r.sum(r.ctx, file)
	return now == p, ok, r.ctx.Err()
}

// ending is a reader that ends when ctx ends.
type ending struct {
	ctx context.Context
	in  io.Reader
}

// Read reads from in, or returns the error of ctx.
func (e ending) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.in.Read(p)
}
