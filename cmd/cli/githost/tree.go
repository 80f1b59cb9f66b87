package githost

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"golem/core/gitrepo"
	"golem/core/sandbox"
	"golem/core/workspace"
)

// gitReader reads the files of one commit from a repository. It trusts nothing that it
// reads: it checks names, kinds, sizes and counts, and counts a directory that is
// listed in many places each time.
type gitReader struct {
	ctx     context.Context
	store   storer.EncodedObjectStorer
	files   map[string][]byte
	entries int
	total   int64
}

// checkout reads all files of a commit, or of the commit to which a tag leads. It
// returns the commit's hash.
func (r *gitReader) checkout(at plumbing.Hash) (commit plumbing.Hash, err error) {
	for range gitrepo.MaxTags {
		obj, err := r.store.EncodedObject(plumbing.AnyObject, at)
		if err != nil {
			return at, err
		}
		data, err := gitrepo.ReadObject(obj, gitrepo.MaxHeader)
		if err != nil {
			return at, err
		}
		key := "tree"
		if obj.Type() == plumbing.TagObject {
			key = "object"
		} else if obj.Type() != plumbing.CommitObject {
			return at, gitFault("the tag is not one of a commit")
		}
		next, ok := gitrepo.HeaderHash(data, key)
		switch {
		case !ok:
			return at, gitFault("it is damaged")
		case key == "tree":
			return at, r.tree(next, "", 0)
		}
		at = next
	}
	return at, gitFault("the tag leads to too many other tags")
}

// tree reads a directory and everything below it.
func (r *gitReader) tree(at plumbing.Hash, dir string, depth int) error {
	if depth > gitrepo.MaxDepth {
		return gitFault("its directories are more than %d deep", gitrepo.MaxDepth)
	}
	obj, err := r.store.EncodedObject(plumbing.TreeObject, at)
	if err != nil {
		return err
	}
	data, err := gitrepo.ReadObject(obj, gitrepo.MaxHeader)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for in := bufio.NewReader(bytes.NewReader(data)); ; {
		mode, err := in.ReadString(' ')
		if err == io.EOF && mode == "" {
			return nil
		}
		name, err2 := in.ReadString(0)
		var hash plumbing.Hash
		_, err3 := io.ReadFull(in, hash[:])
		kind, err4 := filemode.New(strings.TrimSuffix(mode, " "))
		if err != nil || err2 != nil || err3 != nil || err4 != nil {
			return gitFault("the list of files in %s is damaged", gitrepo.ShownName(dir))
		}
		name = strings.TrimSuffix(name, "\x00")
		full := path.Join(dir, name)
		if err := r.judge(full, name, seen[name]); err != nil {
			return err
		}
		seen[name] = true
		if err := r.entry(kind, hash, full, depth); err != nil {
			return err
		}
	}
}

// judge returns an error for names that git itself refuses to check out, and if there
// are too many files.
func (r *gitReader) judge(full, name string, twice bool) error {
	r.entries++
	switch fold := sandbox.Fold(name); {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case r.entries > workspace.MaxFiles:
		return gitLimit("it has more than %d files and directories", workspace.MaxFiles)
	case name == "" || name == "." || name == ".." || strings.Contains(name, "/"):
		return gitFault("the name %s leads to another directory", gitrepo.ShownName(name))
	case fold == ".git" || sandbox.Secret(name) && strings.HasPrefix(fold, "git~"):
		return gitFault("%s stands for git's own directory", gitrepo.ShownName(full))
	case twice:
		return gitFault("%s is in it twice", gitrepo.ShownName(full))
	}
	return nil
}

func (r *gitReader) entry(kind filemode.FileMode, hash plumbing.Hash, full string, depth int) error {
	switch kind {
	case filemode.Dir:
		return r.tree(hash, full, depth+1)
	case filemode.Regular, filemode.Executable, filemode.Deprecated:
	case filemode.Symlink:
		return gitRefusal("%s is a symbolic link", gitrepo.ShownName(full))
	case filemode.Submodule:
		return gitFault("%s is a submodule", gitrepo.ShownName(full))
	default:
		return gitFault("%s is neither a file nor a directory", gitrepo.ShownName(full))
	}
	obj, err := r.store.EncodedObject(plumbing.BlobObject, hash)
	if err != nil {
		return err
	}
	if r.total += obj.Size(); obj.Size() > workspace.MaxLibraryFile || r.total > workspace.MaxLibrary {
		return gitLimit("its files have more than %d bytes", workspace.MaxLibrary)
	}
	data, err := gitrepo.ReadObject(obj, workspace.MaxLibraryFile)
	r.files[full] = data
	return err
}
