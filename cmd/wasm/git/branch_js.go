package main

import (
	"io"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/gitrepo"
)

// file returns the content of a file of a commit. Without a file name it returns nothing,
// and an error if the commit does not exist.
func (in params) file(b *gitrepo.Branch) ([]byte, error) {
	files, err := b.Files(in.Commit)
	if err != nil || in.File == "" {
		return nil, err
	}
	f, err := files.Open(in.File)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// commit makes a commit with the parent in.From, which must be the tip of the branch.
// content has the new content of each file that is not removed, in the order of in.Names.
func (in params) commit(b *gitrepo.Branch, content js.Value) (any, error) {
	if b.Tip() != in.From {
		return nil, fault.New(fault.Conflict, "nothing was written: the branch %s got another commit meanwhile", fault.Quoted(in.Branch)).Hinting("look at the item again, then push it again")
	}
	var files []clearance.Committed
	n := 0
	for i, name := range in.Names {
		f := clearance.Committed{Name: name}
		if !in.Removed[i] {
			data := content.Index(n)
			n++
			f.Content = func() ([]byte, error) { return jsbytes.Bytes(data), nil }
		}
		files = append(files, f)
	}
	commit, err := b.Commit(in.Message, time.Unix(in.When, 0), files)
	return commit, err
}
