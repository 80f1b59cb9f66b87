package main

import (
	"context"
	"errors"
	"io/fs"
	"syscall/js"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/gitset"
	"golem/sandbox/opfs"
)

// gitToolset returns the toolset git for a project. A packed project has no repository.
func (s *server) gitToolset(project *opfs.FS, packed bool) toolset.Factory {
	if packed {
		return gitset.Toolset(nil, "unpack the file (it is a zip file) and import the directory project in it")
	}
	return gitset.Toolset(projectGit{&s.git, project}, "")
}

// projectGit is git for a project of the page.
type projectGit struct {
	*gitProgram
	project *opfs.FS
}

// Root returns the project's files.
func (g projectGit) Root() (sandbox.FS, error) { return g.project, nil }

// Clone returns that a page cannot.
func (projectGit) Clone(context.Context, sandbox.FS, string, string) (tool.Output, error) {
	return tool.Output{}, gitset.CannotClone()
}

// branch returns the function that opens a branch to which staged items are pushed
// (core.Platform.Git).
func (g *gitProgram) branch(env map[string]string) func(sandbox.FS, string, string) (clearance.Branch, error) {
	return func(files sandbox.FS, dir, branch string) (clearance.Branch, error) {
		tree, ok := files.(*opfs.FS)
		if !ok {
			return nil, fault.New(fault.Platform, "the project's files are not in this browser")
		}
		b := &gitBranch{git: g, tree: tree, about: gitParams{Dir: dir, Branch: branch, Env: env}}
		tip, err := b.ask("tip", b.about, nil)
		if err != nil {
			return nil, err
		}
		b.tip = tip.String()
		return b, nil
	}
}

// gitBranch is a branch in this browser, which cmd/wasm/git reads and writes.
type gitBranch struct {
	git   *gitProgram
	tree  *opfs.FS
	about gitParams
	tip   string
}

// ask runs an op of the program to its end: it is never cancelled, so that a push is not
// left half done.
func (b *gitBranch) ask(op string, in gitParams, content []any) (js.Value, error) {
	return b.git.ask(context.Background(), op, b.tree, in, nil, content)
}

// Tip returns the hash of the last commit of the branch when it was opened, "" if it had none.
func (b *gitBranch) Tip() string { return b.tip }

// Files returns the files of a commit, and an error if the commit does not exist.
func (b *gitBranch) Files(commit string) (fs.FS, error) {
	in := b.about
	in.Commit = commit
	_, err := b.ask("file", in, nil)
	return gitCommit{b, commit}, err
}

// gitCommit is the file system of one commit; it reads each file from cmd/wasm/git.
type gitCommit struct {
	b      *gitBranch
	commit string
}

// Open reads a file of the commit into memory.
func (c gitCommit) Open(name string) (fs.File, error) {
	in := c.b.about
	in.Commit, in.File = c.commit, name
	data, err := c.b.ask("file", in, nil)
	if errors.Is(err, fault.NotFound) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	one := sandbox.Memory()
	if err := one.WriteFile(name, jsbytes.Bytes(data)); err != nil {
		return nil, err
	}
	return one.Open(name)
}

// Accepts returns E_PATH if the branch takes no commit with one of these files.
func (b *gitBranch) Accepts(names []string) error {
	in := b.about
	in.Names = names
	_, err := b.ask("accepts", in, nil)
	return err
}

// Commit makes a commit on top of Tip and returns its hash, without moving the branch. It
// removes a file without Content, and returns Tip if nothing changes. It makes no file
// executable, because the files of a page have no permissions.
func (b *gitBranch) Commit(message string, when time.Time, files []clearance.Committed) (string, error) {
	in, content := b.about, []any{}
	in.From, in.Message, in.When = b.tip, message, when.Unix()
	for _, f := range files {
		in.Names, in.Removed = append(in.Names, f.Name), append(in.Removed, f.Content == nil)
		if f.Content == nil {
			continue
		}
		data, err := f.Content()
		if err != nil {
			return "", err
		}
		content = append(content, jsbytes.Array(data))
	}
	commit, err := b.ask("commit", in, content)
	if err != nil {
		return "", err
	}
	return commit.String(), nil
}

// Advance moves the branch from one commit to another, as clearance.Branch requires.
func (b *gitBranch) Advance(from, to string, names []string) (bool, error) {
	in := b.about
	in.From, in.Commit, in.Names = from, to, names
	back, err := b.ask("advance", in, nil)
	return back.Truthy(), err
}
