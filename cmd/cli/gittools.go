package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
)

// gitToolset reads git repositories of the project for workers. Nothing is written to
// a repository: git_commit stages an item of clearance, which a person pushes. root
// opens the project's directory; nil: there are no repositories.
func gitToolset(root func() (sandbox.FS, error)) toolset.Factory {
	return toolset.Factory{Name: "git", Options: func() any { return new(gitOptions) }, Open: func(_ context.Context, env toolset.Env, o any) (tool.Toolset, error) {
		opts, _ := o.(*gitOptions)
		if root == nil {
			return nil, fault.New(fault.Platform, "the toolset git cannot be used in a packed project, because it has no repository").Hinting(unpackIt)
		}
		g := &gitTools{root: root, env: env, target: opts.Target}
		return g.tools(), nil
	}}
}

// gitOptions are the keys of toolsets.git beside approval.
type gitOptions struct {
	Target string `json:"target"` // the clearance target that git_commit stages for
}

// gitTools is the toolset of one worker.
type gitTools struct {
	root   func() (sandbox.FS, error)
	env    toolset.Env
	target string
}

// in is what every reading tool takes.
type gitIn struct {
	Repo string `json:"repo,omitempty" jsonschema:"directory of the repository in the sandbox; without it the project's own"`
}

type gitStatusArgs struct{ gitIn }

type gitDiffArgs struct {
	gitIn
	From string `json:"from,omitempty" jsonschema:"a branch, tag or commit; HEAD without it"`
	To   string `json:"to,omitempty" jsonschema:"a branch, tag or commit; the files as they are now without it"`
	Path string `json:"path,omitempty" jsonschema:"only this file or directory of the sandbox"`
}

type gitLogArgs struct {
	gitIn
	Rev   string `json:"rev,omitempty" jsonschema:"a branch, tag or commit; HEAD without it"`
	Path  string `json:"path,omitempty" jsonschema:"only commits that changed this file or directory of the sandbox"`
	Skip  int    `json:"skip,omitempty" jsonschema:"how many commits to leave out, to read on"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many commits; 20 without it, at most 200"`
}

type gitShowArgs struct {
	gitIn
	Rev  string `json:"rev" jsonschema:"a branch, tag or commit"`
	Path string `json:"path,omitempty" jsonschema:"show this file of the sandbox as it was in the commit"`
}

type gitBlameArgs struct {
	gitIn
	Path  string `json:"path" jsonschema:"a file of the sandbox"`
	Rev   string `json:"rev,omitempty" jsonschema:"a branch, tag or commit; HEAD without it"`
	First int    `json:"first,omitempty" jsonschema:"first line, from 1"`
	Last  int    `json:"last,omitempty" jsonschema:"last line"`
}

type gitCommitArgs struct {
	Paths   []string `json:"paths" jsonschema:"files and directories of the sandbox"`
	Message string   `json:"message" jsonschema:"the message of the commit"`
	Target  string   `json:"target,omitempty" jsonschema:"a target of the project that is a branch"`
}

func (g *gitTools) tools() toolset.Tools {
	return toolset.Tools{
		gitTool(g, "git_status", "Lists what differs from the last commit: changed, new, removed and untracked files that the worker sees.", (*gitRepo).status),
		gitTool(g, "git_diff", "Shows changes as a unified diff: of the files since the last commit, or between two commits. Only files that the worker sees are in it.", (*gitRepo).diff),
		gitTool(g, "git_log", "Lists commits, the newest first: hash, date, author, subject.", (*gitRepo).log),
		gitTool(g, "git_show", "Shows a commit with its changes, or a file as it was in a commit.", (*gitRepo).show),
		gitTool(g, "git_blame", "Tells for each line of a file in which commit it came, from whom and when.", (*gitRepo).blame),
		gitTool(g, "git_branches", "Lists branches and tags with their last commits; * is the current one.", (*gitRepo).branches),
		tool.FuncWithCall(tool.Spec{
			Name: "git_commit", Risk: tool.Read, Toolset: "git", Provider: "builtin", Uses: []string{"stage"},
			Description: "Stages files as a commit for a person, who decides whether it is made. The repository stays as it is.",
		}, g.commit),
		g.clone(),
	}
}

// inner is an argument struct of a reading tool.
type inner interface{ repo() string }

func (i gitIn) repo() string { return i.Repo }

func gitTool[In inner](g *gitTools, name, description string, run func(*gitRepo, In) (string, error)) tool.Tool {
	return tool.Func(tool.Spec{Name: name, Description: description, Risk: tool.Read, Toolset: "git", Provider: "builtin", Rules: []string{"sandbox.read"}},
		func(ctx context.Context, in In) (out tool.Output, err error) {
			defer gitRecover(&err)
			r, err := g.open(ctx, in.repo())
			if err == nil {
				out.Text, err = run(r, in)
			}
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return out, gitReadable(err)
		})
}

// gitReadable is what went wrong with a repository as a worker is told it.
func gitReadable(err error) error {
	var f *fault.Fault
	if err == nil {
		return nil
	}
	if errors.As(err, &f) {
		if strings.HasPrefix(f.Hint, "golem installed nothing") { // said for golem lib install
			told := *f
			told.Hint = "a person can check it with git fsck"
			return &told
		}
		return err
	}
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) && errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "%s: %s", pe.Path, pe.Err).Hinting("name a path as list_files and git_status show it")
	}
	return fault.New(fault.Tool, "the repository cannot be read: %s", fault.Brief(oneLine(err.Error()))).Hinting("a person can check it with git fsck")
}

// commit is git_commit: the tool stage, for a branch.
func (g *gitTools) commit(ctx context.Context, c tool.Call, in gitCommitArgs) (tool.Output, error) {
	if in.Target == "" {
		in.Target = g.target
	}
	if in.Target == "" {
		return tool.Output{}, fault.New(fault.Config, "git_commit does not know for which branch").
			Hinting("name the target; a person writes toolsets: {git: {target: NAME}} and clearance: {targets: {NAME: {git: ., branch: main}}}")
	}
	args, err := tool.JSON(in, "")
	if err != nil {
		return tool.Output{}, err
	}
	out, err := g.env.Call(ctx, c, "stage", args.Data)
	if errors.Is(err, fault.UnknownTool) || errors.Is(err, fault.NotAllowed) {
		return out, fault.New(fault.Config, "git_commit needs the toolset clearance, and the worker %s does not have it", g.env.Worker).Hinting("a person adds clearance: {} to its toolsets")
	}
	return out, err
}

// gitRepo is a repository that a worker reads.
type gitRepo struct {
	*gitBranch
	ctx    context.Context
	view   sandbox.FS
	source string // where its files are
}

// Bounds of what a worker reads of a repository.
const (
	maxGitBlob    = 4 << 20   // bytes of one file
	maxGitText    = 256 << 10 // bytes of a result
	maxGitCommits = 20_000    // looked at in one call
	maxGitEntries = 100_000   // files looked at in one call
)

// open opens a repository, "" is that of the project's directory.
func (g *gitTools) open(ctx context.Context, dir string) (*gitRepo, error) {
	files, err := g.root()
	if err != nil {
		return nil, err
	}
	root := sandbox.SourceOf(files, "")
	r := &gitRepo{ctx: ctx, view: g.env.Files, source: root}
	if dir != "" && dir != "/" && dir != "." {
		if r.source, err = sourceAt(r.view, dir); err != nil {
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
	r.gitBranch = &gitBranch{place: "the repository", remedy: "a person can look at it with git", trees: map[plumbing.Hash][]gitEntry{}}
	if err := r.find(files, path.Join("/", dir)); err != nil {
		return nil, err
	}
	if _, err := r.config(); err != nil {
		return nil, err
	}
	r.store = newGitDisk(r.git, maxGitBlob)
	return r, nil
}

// sourceAt is where a name of the view really is.
func sourceAt(view sandbox.FS, at string) (string, error) {
	name, err := sandbox.Clean(at)
	if err != nil {
		return "", err
	}
	place, err := sandbox.PlaceOf(view, name)
	if err != nil {
		return "", err
	}
	return path.Join(place.Source, place.Path), nil
}

// name is how the worker sees a file of the repository; ok is false if it does not.
func (r *gitRepo) name(file string) (string, bool) {
	if sandbox.Secret(file) || sandbox.Valid(file) != nil {
		return "", false
	}
	name, ok := sandbox.NameOf(r.view, path.Join(r.source, file))
	return sandbox.Abs(name), ok
}

// file is the path in the repository of a name in the sandbox; "" is all of it.
func (r *gitRepo) file(at string) (string, error) {
	if at == "" {
		return "", nil
	}
	source, err := sourceAt(r.view, at)
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

// gitClip keeps the start of a result.
func gitClip(s, more string) string {
	if len(s) <= maxGitText {
		return s
	}
	cut := strings.LastIndexByte(s[:maxGitText], '\n') + 1
	return strings.ToValidUTF8(s[:max(cut, 1)], "") + fmt.Sprintf("[cut: %d more bytes; %s]\n", len(s)-cut, more)
}
