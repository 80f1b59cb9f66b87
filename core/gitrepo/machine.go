package gitrepo

import (
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Machine is what a machine knows besides the project's files. Its zero value knows
// nothing more, as in the page.
type Machine struct {
	Outside Outside // nil: nothing
}

// Outside is what lies outside the project's files.
type Outside interface {
	// Ignores returns the patterns that the person ignores in all repositories.
	Ignores() []byte
	// Linked opens the repository to which the working tree in the directory tree
	// belongs. gitdir is what the file .git of tree names. The result is read-only; own is
	// the path of the files of this working tree in it.
	Linked(tree, gitdir string) (repository sandbox.FS, own string, err error)
}

// Read executes a call of a reading tool and returns its result as text. root is the
// whole project directory, view the worker's view of it. The result contains only files
// that the worker sees. Read writes nothing.
func (m Machine) Read(ctx context.Context, name string, args json.RawMessage, root sandbox.FS, view View) (out string, err error) {
	defer func() { err = readable(ctx, err) }()
	defer recovered(&err)
	do := readers[name]
	var in Args
	if do == nil {
		return "", fault.New(fault.UnknownTool, "there is no tool %s", fault.Quoted(name))
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return "", fault.New(fault.ToolInput, "%s: %w", name, err)
	}
	r, err := m.open(ctx, root, view, in.Repo)
	if err != nil {
		return "", err
	}
	if closing, ok := r.git.(linked); ok {
		defer closing.close()
	}
	return do(r, in)
}

// linked is the repository of a working tree that git worktree made: some of its files
// lie in a directory of their own. It is read-only.
type linked struct {
	repository sandbox.FS
	own        string
}

var (
	_ sandbox.FS   = linked{}
	_ fs.StatFS    = linked{}
	_ fs.ReadDirFS = linked{}
)

// openLinked opens the repository of a working tree whose .git is a file.
func (m Machine) openLinked(tree string, files sandbox.FS) (sandbox.FS, error) {
	data, err := sandbox.ReadFile(files, ".git", 4096)
	if err != nil {
		return nil, err
	}
	gitdir, is := strings.CutPrefix(string(data), "gitdir:")
	if !is || m.Outside == nil {
		return nil, fault.New(fault.Path, "its .git is a file that names no repository")
	}
	repository, own, err := m.Outside.Linked(tree, strings.TrimSpace(gitdir))
	return linked{repository, own}, err
}

func (l linked) placeOf(name string) string {
	if name == "HEAD" || name == "index" || name == "config.worktree" || strings.HasSuffix(name, "_HEAD") && !strings.Contains(name, "/") {
		return path.Join(l.own, name)
	}
	return name
}

func (l linked) close() {
	if c, ok := l.repository.(interface{ Close() error }); ok {
		_ = c.Close() // nothing was written
	}
}

// Open opens a file of the repository, or of the working tree's own ones.
func (l linked) Open(name string) (fs.File, error) { return l.repository.Open(l.placeOf(name)) }

// Stat describes such a file.
func (l linked) Stat(name string) (fs.FileInfo, error) { return fs.Stat(l.repository, l.placeOf(name)) }

// ReadDir lists a directory of the repository.
func (l linked) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(l.repository, name) }

func (l linked) readOnly() error {
	return fault.New(fault.ReadOnly, "the repository of another directory is only read")
}

// WriteFile returns E_READONLY.
func (l linked) WriteFile(string, []byte) error { return l.readOnly() }

// Remove returns E_READONLY.
func (l linked) Remove(string) error { return l.readOnly() }

// Rename returns E_READONLY.
func (l linked) Rename(_, _ string) error { return l.readOnly() }

// Mkdir returns E_READONLY.
func (l linked) Mkdir(string, fs.FileMode) error { return l.readOnly() }
