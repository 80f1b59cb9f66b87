package gitrepo

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
)

// Branch is a branch of a repository on this machine, to which staged items are
// pushed (SPEC §9). It runs no program of git, and therefore no hook and no filter.
// From the configuration it uses only the settings about the format and the working
// tree, and the person's name.
type Branch struct {
	work  sandbox.FS // the working tree; nil: none
	git   sandbox.FS // the repository
	store *Disk
	ref   string                       // refs/heads/NAME
	place string                       // the name of the repository in messages
	tip   string                       // hash of the last commit in hex; "": no commit yet
	who   string                       // NAME <MAIL>
	trees map[plumbing.Hash][]gitEntry // a cache of directories
	held  int64                        // bytes of the directories in trees
	fresh map[plumbing.Hash][]gitEntry // directories of a commit that is being made
	left  int64                        // bytes of objects that may still be read; 0: no limit; negative: none

	linked func() (sandbox.FS, error) // opens the repository of a working tree whose .git is a file; nil: it is refused

	remedy string // the hint of errors about the repository; "": use another target
}

var _ clearance.Branch = (*Branch)(nil)

// maxGitFile is the most bytes of a file in a commit, as of any staged file.
const maxGitFile = 1 << 30

// Open opens a branch of the repository in a directory. who returns the person's
// name and address for the repository's configuration, see Person. A branch or
// repository that does not exist is E_NOT_FOUND; one that golem does not accept, or
// that is damaged, is E_PATH.
func Open(files sandbox.FS, dir, branch string, who func(repository *gitconfig.Config) string) (b *Branch, err error) {
	defer recovered(&err)
	b = &Branch{ref: "refs/heads/" + branch, place: "the repository " + fault.Quoted(dir), trees: map[plumbing.Hash][]gitEntry{}}
	if name := plumbing.ReferenceName(b.ref); name.Validate() != nil || strings.HasPrefix(branch, "-") || sandbox.ValidNew(b.ref) != nil || strings.Contains(branch, "@{") {
		return nil, fault.New(fault.Path, "%s cannot be the name of a branch", fault.Quoted(branch)).Hinting("correct clearance.targets in the manifest")
	}
	if err := b.find(files, dir); err != nil {
		return nil, err
	}
	config, err := b.config()
	if err != nil {
		return nil, err
	}
	if set(config, "bare", false) {
		b.work = nil
	}
	b.who = who(config)
	b.store = NewDisk(b.git, maxGitFile)
	if b.tip, err = b.readRef(); err != nil {
		return nil, err
	}
	head, err := b.head()
	if err == nil && b.tip == "" && (head != b.ref || b.hasRefs()) {
		err = fault.New(fault.NotFound, "%s has no branch %s", b.place, fault.Quoted(branch)).Hinting("make it with git branch %s", branch)
	}
	if err == nil && b.tip != "" {
		if _, err = b.object(plumbing.CommitObject, b.tip); err != nil {
			err = b.refused("its branch %s is damaged or names no commit", fault.Quoted(branch))
		}
	}
	return b, err
}

// find finds the repository in a directory: in its .git, or bare.
func (b *Branch) find(files sandbox.FS, dir string) error {
	b.git = files
	if info, err := fs.Stat(files, ".git"); err == nil {
		sub, ok := files.(sandbox.SubFS)
		real := ".git"
		if r, resolves := files.(sandbox.Resolver); resolves {
			real, err = r.Resolve(".git")
		}
		b.work = files
		switch {
		case err != nil || !ok || real != ".git":
			return b.refused("its .git is a link")
		case info.IsDir():
			b.git, err = sub.SubFS(".git")
		case b.linked == nil:
			return b.refused("its .git is a file: it is a working tree of another repository (git worktree), or a submodule")
		default:
			if b.git, err = b.linked(); err != nil {
				err = b.refused("%s", fault.Brief(oneLine(err.Error())))
			}
		}
		if err != nil {
			return err
		}
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := fs.Stat(b.git, name); err != nil {
			return fault.New(fault.NotFound, "there is no git repository in %s", dir).Hinting("name the directory that has .git, or make a repository with git init")
		}
	}
	for name, why := range map[string]string{
		"objects/info/alternates": "it borrows objects of another repository (objects/info/alternates)",
		"commondir":               "it is a working tree of another repository",
	} {
		if _, err := fs.Stat(b.git, name); !errors.Is(err, fs.ErrNotExist) {
			return b.refused("%s", why)
		}
	}
	return nil
}

// config reads the repository's configuration. It returns E_PATH if golem does not know
// the repository's format, or if the working tree is elsewhere.
func (b *Branch) config() (*gitconfig.Config, error) {
	data, err := sandbox.ReadFile(b.git, "config", 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	c := gitconfig.New()
	if own, err := sandbox.ReadFile(b.git, "config.worktree", 1<<20); err == nil { // it has precedence, and the same rules
		data = append(append(data, '\n'), own...)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := gitconfig.NewDecoder(bytes.NewReader(data)).Decode(c); err != nil {
		return nil, b.refused("its configuration cannot be read: %s", fault.Brief(oneLine(err.Error())))
	}
	core := c.Section("core")
	if v := cmp.Or(core.Option("repositoryformatversion"), "0"); v != "0" && v != "1" {
		return nil, b.refused("its format (%s) is newer than golem", fault.Brief(v))
	}
	if core.Option("worktree") != "" {
		return nil, b.refused("core.worktree says that its files lie elsewhere")
	}
	for _, o := range c.Section("extensions").Options {
		switch strings.ToLower(o.Key) + "=" + strings.ToLower(o.Value) {
		case "objectformat=sha1", "refstorage=files":
			continue
		}
		switch strings.ToLower(o.Key) {
		case "noop", "preciousobjects", "partialclone", "worktreeconfig":
		default:
			return nil, b.refused("golem does not know its extension %s", fault.Brief(o.Key))
		}
	}
	return c, nil
}

// set returns a setting of the section core, or without it otherwise.
func set(c *gitconfig.Config, name string, otherwise bool) bool {
	switch strings.ToLower(c.Section("core").Option(name)) {
	case "":
		return otherwise
	case "false", "no", "off", "0":
		return false
	}
	return true
}

func (b *Branch) refused(format string, args ...any) error {
	return fault.New(fault.Path, "%s is not accepted: %s", b.place, fmt.Sprintf(format, args...)).
		Hinting("%s", cmp.Or(b.remedy, "nothing was written; push to another target, or commit the files with git"))
}

// recovered turns a panic of the library that reads repositories into an error. Call it
// with defer, with a pointer to the function's result.
func recovered(err *error) {
	if recover() != nil {
		*err = faultOf("it is damaged")
	}
}

// small returns the text of a file of the repository of at most 4096 bytes, or "" if it
// does not exist.
func (b *Branch) small(name string) (string, error) {
	data, err := sandbox.ReadFile(b.git, name, 4096)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(data)), err
}

// head returns the full name of the branch that the working tree shows, or "" if it
// shows a commit without a branch.
func (b *Branch) head() (string, error) {
	text, err := b.small("HEAD")
	if err != nil {
		return "", err
	}
	ref, symbolic := strings.CutPrefix(text, "ref:")
	if !symbolic && plumbing.IsHash(text) {
		return "", nil
	}
	name := plumbing.ReferenceName(strings.TrimSpace(ref))
	if !symbolic || !strings.HasPrefix(string(name), "refs/") || name.Validate() != nil {
		return "", b.refused("its HEAD names no branch and no commit")
	}
	return string(name), nil
}

// readRef returns the last commit of the branch as it is now on the disk, or "" if there
// is none.
func (b *Branch) readRef() (string, error) {
	text, err := b.small(b.ref)
	if err != nil {
		return "", err
	}
	if text != "" {
		if !plumbing.IsHash(text) {
			return "", b.refused("%s is not a plain branch", b.ref)
		}
		return strings.ToLower(text), nil
	}
	if _, err := fs.Stat(b.git, b.ref); err == nil {
		return "", b.refused("%s is empty", b.ref)
	}
	packed, err := sandbox.ReadFile(b.git, "packed-refs", 64<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for line := range strings.Lines(string(packed)) {
		if hex, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == b.ref && plumbing.IsHash(hex) {
			return strings.ToLower(hex), nil
		}
	}
	return "", err
}

// hasRefs reports whether the repository may have a branch: whether refs/heads is not
// empty or packed-refs exists.
func (b *Branch) hasRefs() bool {
	loose, _ := fs.ReadDir(b.git, "refs/heads")
	_, err := fs.Stat(b.git, "packed-refs")
	return len(loose) > 0 || err == nil
}

// object reads an object and checks its content by its hash.
func (b *Branch) object(kind plumbing.ObjectType, name string) (data []byte, err error) {
	defer recovered(&err)
	h := plumbing.NewHash(name)
	limit := int64(MaxHeader)
	if kind == plumbing.BlobObject {
		limit = b.store.max
	}
	if size, err := b.store.EncodedObjectSize(h); err == nil && size > limit {
		return nil, b.refused("the object %s has more than %d bytes", name, limit)
	}
	obj, err := b.store.EncodedObject(kind, h)
	if err != nil {
		return nil, err
	}
	if data, err = ReadObject(obj, limit); err == nil && plumbing.ComputeHash(kind, data) != h {
		err = b.refused("the object %s is damaged", name)
	}
	if b.left != 0 && err == nil {
		if b.left -= int64(len(data)); b.left <= 0 {
			b.left = -1
			return nil, fault.New(fault.Limit, "more than %d bytes of the repository were read for one call", int64(maxRead)).Hinting("name a path, or begin at an older commit with rev")
		}
	}
	return data, err
}

// Tip returns the hash of the last commit in hex, or "" if there is none.
func (b *Branch) Tip() string { return b.tip }

// Files returns the files of a commit. The commit "" has no files.
func (b *Branch) Files(commit string) (fs.FS, error) {
	root, err := b.root(commit)
	return gitCommit{b, root}, err
}

// root returns the hash of the root directory of a commit, or "" for the commit "".
func (b *Branch) root(commit string) (string, error) {
	if commit == "" {
		return "", nil
	}
	data, err := b.object(plumbing.CommitObject, commit)
	if err != nil {
		return "", err
	}
	tree, ok := HeaderHash(data, "tree")
	if !ok {
		return "", b.refused("the commit %s is damaged", commit)
	}
	return tree.String(), nil
}

// gitCommit is the file tree of a commit.
type gitCommit struct {
	b    *Branch
	root string
}

// Open opens a file. A directory, link or submodule is E_PATH.
func (c gitCommit) Open(name string) (fs.File, error) {
	e, err := c.b.lookup(c.root, name)
	if err == nil && e == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	data, err := c.b.object(plumbing.BlobObject, e.hash.String())
	if err != nil {
		return nil, gitMissing(err)
	}
	return gitBlob{bytes.NewReader(data), path.Base(name)}, nil
}

// gitMissing returns E_PATH instead of the library's error for a missing object.
func gitMissing(err error) error {
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return fault.New(fault.Path, "a part of the repository is missing: %w", err).Hinting("check it with git fsck")
	}
	return err
}

// gitBlob is an open file of a commit, and also its fs.FileInfo.
type gitBlob struct {
	*bytes.Reader
	name string
}

var _ io.Reader = gitBlob{}

// Stat returns the file itself as its info.
func (f gitBlob) Stat() (fs.FileInfo, error) { return f, nil }

// Close does nothing.
func (f gitBlob) Close() error { return nil }

// Name returns the file's base name.
func (f gitBlob) Name() string { return f.name }

// Mode returns the mode of a regular file, 0644.
func (f gitBlob) Mode() fs.FileMode { return 0o644 }

// ModTime returns the zero time, because it is not known.
func (f gitBlob) ModTime() time.Time { return time.Time{} }

// IsDir always returns false.
func (f gitBlob) IsDir() bool { return false }

// Sys always returns nil.
func (f gitBlob) Sys() any { return nil }
