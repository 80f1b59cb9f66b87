package githost

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"golem/core/fault"
	"golem/core/gitrepo"
	"golem/core/sandbox"
	"golem/core/workspace"
	"golem/sandbox/osfs"

	"golem/cmd/cli/disk"
)

// gitDisk is an open git repository on this machine.
type gitDisk struct {
	*gitrepo.Disk
	close func()
}

// openDisk opens the repository in a directory, with or without a working tree, and
// finds the commit or tag that the address names.
func (a gitAddress) openDisk(ctx context.Context) (*gitDisk, plumbing.Hash, error) {
	files, err := osfs.Open(a.dir)
	if err != nil {
		return nil, plumbing.ZeroHash, fault.New(fault.NotFound, "there is no repository %s: %s", a.dir, disk.Cause(err))
	}
	disk, at, err := a.openTree(ctx, files)
	if err != nil {
		files.Close()
		return nil, at, err
	}
	disk.close = func() { files.Close() }
	return disk, at, nil
}

// openTree does the work of openDisk on an open directory.
func (a gitAddress) openTree(ctx context.Context, files sandbox.FS) (*gitDisk, plumbing.Hash, error) {
	var git fs.FS = files
	if info, err := fs.Stat(files, ".git"); err == nil {
		sub, ok := files.(sandbox.SubFS)
		if !info.IsDir() || !ok {
			return nil, plumbing.ZeroHash, gitFault("its .git is a file: it is a working tree of another repository")
		}
		if git, err = sub.SubFS(".git"); err != nil {
			return nil, plumbing.ZeroHash, err
		}
	}
	if _, err := fs.Stat(git, "HEAD"); err != nil {
		return nil, plumbing.ZeroHash, fault.New(fault.NotFound, "there is no git repository in %s", a.dir).Hinting("golem lib install DIR installs a directory that is not a repository")
	}
	if _, err := fs.Stat(git, "objects/info/alternates"); err == nil {
		return nil, plumbing.ZeroHash, gitFault("it borrows objects of another repository (objects/info/alternates)")
	}
	if err := checkPacks(ctx, git); err != nil {
		return nil, plumbing.ZeroHash, err
	}
	d := &gitDisk{Disk: gitrepo.NewDisk(git, workspace.MaxLibraryFile)}
	names := []plumbing.ReferenceName{plumbing.HEAD}
	if a.ref != "" {
		names = a.refNames()
	}
	for _, name := range names {
		if ref, err := storer.ResolveReference(d.Storage, name); err == nil {
			return d, ref.Hash(), nil
		}
	}
	return nil, plumbing.ZeroHash, a.noSuchRef(d.refs())
}

func (d *gitDisk) refs() []string {
	var names []string
	refs, err := d.IterReferences()
	if err == nil {
		_ = refs.ForEach(func(r *plumbing.Reference) error { names = append(names, r.Name().String()); return nil })
	}
	return names
}

// checkPacks checks the size of each object in every pack of a repository.
func checkPacks(ctx context.Context, git fs.FS) error {
	packs, err := fs.ReadDir(git, "objects/pack")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range packs {
		if path.Ext(e.Name()) != ".pack" {
			continue
		}
		file, err := git.Open("objects/pack/" + e.Name())
		if err != nil {
			return err
		}
		err = checkPack(ctx, file, 1<<40) // the history may be large: only the size of each object counts
		if cerr := file.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return err
}
