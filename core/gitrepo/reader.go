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

// View is what a worker sees of the project's files.
type View interface {
	fs.FS
	// Name is how the worker sees the file that lies at source; ok is false if it does
	// not see it.
	Name(source string) (name string, ok bool)
	// Source is where a name of the worker's really lies.
	Source(name string) (string, error)
}

// Bounds of what a worker reads of a repository.
const (
	maxBlob    = 4 << 20   // bytes of one file
	maxText    = 256 << 10 // bytes of a result
	maxCommits = 20_000    // looked at in one call
	maxEntries = 100_000   // files looked at in one call
	maxListed  = 300_000   // entries of directories in a commit, those that are not shown too
	maxRead    = 2 << 30   // bytes of objects read in one call
)

// Args are the arguments of all reading tools.
type Args struct {
	Repo  string `json:"repo"` // a directory of the view; "": the project's
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

// Read answers a call of a reading tool. root is the project's directory with all that
// is in it, view what the worker sees of it; nothing that it does not see is in the
// answer. Nothing is written.
func Read(ctx context.Context, name string, args json.RawMessage, root sandbox.FS, view View) (out string, err error) {
	defer func() { err = readable(ctx, err) }()
	defer Recovered(&err)
	do := readers[name]
	var in Args
	if do == nil {
		return "", fault.New(fault.UnknownTool, "there is no tool %s", fault.Quoted(name))
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return "", fault.New(fault.ToolInput, "%s: %w", name, err)
	}
	r, err := open(ctx, root, view, in.Repo)
	if err != nil {
		return "", err
	}
	return do(r, in)
}

// readable is what went wrong with a repository as a worker is told it.
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
	ctx    context.Context
	view   View
	source string          // where its files are
	ends   map[string]bool // commits whose parents a shallow clone does not have
}

// open opens a repository; "" is that of the project's directory.
func open(ctx context.Context, files sandbox.FS, view View, dir string) (*reader, error) {
	root := sandbox.SourceOf(files, "")
	r := &reader{ctx: ctx, view: view, source: root}
	if dir != "" && dir != "/" && dir != "." {
		var err error
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
	if err := r.find(files, path.Join("/", dir)); err != nil {
		return nil, err
	}
	if _, err := r.config(); err != nil {
		return nil, err
	}
	r.store, r.left = NewDisk(r.git, maxBlob), maxRead
	return r, r.shallow()
}

// shallow reads which commits a shallow clone ends with.
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

// name is how the worker sees a file of the repository; ok is false if it does not.
func (r *reader) name(file string) (string, bool) {
	if sandbox.Secret(file) || sandbox.Valid(file) != nil {
		return "", false
	}
	name, ok := r.view.Name(path.Join(r.source, file))
	return sandbox.Abs(name), ok
}

// file is the path in the repository of a name in the sandbox; "" is all of it.
func (r *reader) file(at string) (string, error) {
	if at == "" {
		return "", nil
	}
	source, err := r.view.Source(at)
	if err != nil {
		return "", err
	}
	rel, within := strings.CutPrefix(source, strings.TrimSuffix(r.source, "/")+"/")
	switch {
	case source == r.source:
		return "", nil
	case !within:
		return "", fault.New(fault.Path, "%s is not in the repository", fault.Quoted(at))
	}
	if sandbox.Secret(rel) {
		return "", fault.New(fault.Protected, "%s cannot be read by this worker", fault.Quoted(at))
	}
	return rel, nil
}

// clip keeps the start of a result.
func clip(s, more string) string {
	if len(s) <= maxText {
		return s
	}
	cut := strings.LastIndexByte(s[:maxText], '\n') + 1
	return strings.ToValidUTF8(s[:max(cut, 1)], "") + fmt.Sprintf("[cut: %d more bytes; %s]\n", len(s)-cut, more)
}
