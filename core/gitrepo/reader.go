package gitrepo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"golem/core/fault"
	"golem/core/sandbox"
)

// View is the view that a worker has of the project's files.
type View interface {
	fs.FS
	// Name returns the name by which the worker sees the file at a source (see
	// sandbox.SourceOf). ok is false if the worker does not see it.
	Name(source string) (name string, ok bool)
	// Source returns the source of the file that the worker sees by a name.
	Source(name string) (string, error)
}

// Limits for one call of a reading tool.
const (
	maxBlob    = 4 << 20   // bytes of one file
	maxText    = 256 << 10 // bytes of a result
	maxCommits = 20_000    // commits that are read
	maxEntries = 100_000   // files that are listed
	maxListed  = 300_000   // entries of directories in a commit, also those that are not shown
	maxRead    = 2 << 30   // bytes of objects that are read
)

// Args are the arguments of all reading tools together.
type Args struct {
	Repo  string `json:"repo"` // a directory of the view; "": the project's directory
	From  string `json:"from"`
	To    string `json:"to"`
	Rev   string `json:"rev"`
	Path  string `json:"path"` // a name of the view
	Skip  int    `json:"skip"`
	Limit int    `json:"limit"`
	First int    `json:"first"`
	Last  int    `json:"last"`
}

var readers = map[string]func(*reader, Args) (string, error){
	"git_status": (*reader).status, "git_diff": (*reader).diff, "git_log": (*reader).log,
	"git_show": (*reader).show, "git_blame": (*reader).blame, "git_branches": (*reader).branches,
}

// Read reads as a machine that knows nothing more, see Machine.
func Read(ctx context.Context, name string, args json.RawMessage, root sandbox.FS, view View) (string, error) {
	return Machine{}.Read(ctx, name, args, root, view)
}

// readable returns an error in the form in which a worker gets it. If ctx has ended, it
// returns the cause.
func readable(ctx context.Context, err error) error {
	var f *fault.Fault
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case err == nil:
		return nil
	case errors.As(err, &f):
		return err
	}
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) && errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "%s: %s", pe.Path, pe.Err).Hinting("name a path as list_files and git_status show it")
	}
	return fault.New(fault.Tool, "the repository cannot be read: %s", fault.Brief(oneLine(err.Error()))).Hinting(WithFsck)
}

// reader is a repository that a worker reads.
type reader struct {
	*Branch
	ctx     context.Context
	machine Machine
	sight
	ends     map[string]bool // commits whose parents a shallow clone does not have
	fileMode bool            // core.filemode: whether modes of files in the working tree count
	fold     bool            // core.ignorecase
}

// open opens the repository in a directory of the view; "" is the project's directory.
func (m Machine) open(ctx context.Context, files sandbox.FS, view View, dir string) (opened *reader, err error) {
	root := sandbox.SourceOf(files, "")
	r := &reader{ctx: ctx, sight: sight{view: view, source: root}, machine: m}
	if dir != "" && dir != "/" && dir != "." {
		if r.source, err = view.Source(dir); err != nil {
			return nil, err
		}
		rel, within := strings.CutPrefix(r.source, strings.TrimSuffix(root, "/")+"/")
		if r.source != root && !within {
			return nil, fault.New(fault.Path, "%s is outside the project", fault.Quoted(dir)).Hinting("only repositories in the project can be read")
		}
		if r.source != root {
			if files, err = sandbox.NestLater(files, rel); err != nil {
				return nil, err
			}
			if sandbox.SourceOf(files, "") != r.source {
				return nil, fault.New(fault.Path, "%s is reached through a link", fault.Quoted(dir)).Hinting("use the path of the directory itself")
			}
		}
	}
	r.Branch = &Branch{place: "the repository", remedy: "a person can look at it with git", trees: map[plumbing.Hash][]gitEntry{}}
	defer func() {
		if l, ok := r.git.(linked); ok && err != nil {
			l.close()
		}
	}()
	if m.Outside != nil {
		r.linked = func() (sandbox.FS, error) { return m.openLinked(r.source, files) }
	}
	if err := r.find(files, path.Join("/", dir)); err != nil {
		return nil, err
	}
	config, err := r.config()
	if err != nil {
		return nil, err
	}
	r.fileMode, r.fold = set(config, "filemode", true), set(config, "ignorecase", false)
	r.store, r.left = NewDisk(r.git, maxBlob), maxRead
	return r, r.shallow()
}

// shallow reads the commits at which a shallow clone ends.
func (r *reader) shallow() error {
	data, err := sandbox.ReadFile(r.git, "shallow", 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r.ends = map[string]bool{}
	for line := range strings.Lines(string(data)) {
		r.ends[strings.TrimSpace(line)] = true
	}
	return err
}

// clip cuts a result at the end of a line after at most maxText bytes, and adds a note
// with the hint more.
func clip(s, more string) string {
	if len(s) <= maxText {
		return s
	}
	cut := strings.LastIndexByte(s[:maxText], '\n') + 1
	return strings.ToValidUTF8(s[:max(cut, 1)], "") + fmt.Sprintf("[cut: %d more bytes; %s]\n", len(s)-cut, more)
}
