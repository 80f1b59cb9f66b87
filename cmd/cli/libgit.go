package main

import (
	"context"
	"errors"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"golem/core/fault"
	"golem/core/gitrepo"
	"golem/core/workspace"
)

const gitPrefix = "git+"

// gitPatience is how long it may take to download, read and check a repository.
const gitPatience = 2 * time.Minute

// gitAddress is the parsed SOURCE of golem lib install for a repository.
type gitAddress struct {
	source string   // as it was given
	remote *url.URL // nil for a repository on this machine
	dir    string   // the directory of a repository on this machine
	ref    string   // a tag or a branch; "" for the default branch
}

// parseGit parses git+https://HOST/PATH[@REF] and git+file:///DIR[@REF].
func parseGit(source string) (gitAddress, error) {
	a := gitAddress{source: source}
	rest := strings.TrimPrefix(source, gitPrefix)
	scheme, place, _ := strings.Cut(rest, "://")
	if i := strings.LastIndexByte(place, '@'); i > 0 && strings.Contains(place[:i], "/") && place[i-1] != '/' {
		place, a.ref = place[:i], place[i+1:]
		if name := plumbing.NewTagReferenceName(a.ref); name.Validate() != nil {
			return a, usage("%s cannot be the name of a tag or branch", fault.Quoted(a.ref)).Hinting("git+https://HOST/PATH@TAG")
		}
	}
	switch scheme {
	case "https":
	case "file":
		if runtime.GOOS == "windows" {
			place = strings.TrimPrefix(place, "/")
		}
		if a.dir = filepath.FromSlash(place); !filepath.IsAbs(a.dir) {
			return a, usage("git+file:// needs an absolute path").Hinting("for example git+file:///home/me/utils@v1.0")
		}
		return a, nil
	case "ssh", "http", "git":
		return a, usage("golem does not install from git+%s addresses", scheme).
			Hinting("use git+https://HOST/PATH@TAG, or clone the repository with git and install the directory")
	default:
		return a, usage("%s is not the address of a repository", fault.Quoted(source)).Hinting("git+https://HOST/PATH@TAG or git+file:///DIR@TAG")
	}
	u, err := url.Parse("https://" + place)
	switch {
	case err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/") == "":
		return a, usage("the address of the repository has no host or no path").Hinting("git+https://HOST/PATH@TAG")
	case u.User != nil:
		return a, usage("the address of the repository has a user name or key in it").
			Hinting("golem keeps the address; clone a repository that needs a login with git and install the directory")
	case u.RawQuery != "" || u.Fragment != "":
		return a, usage("the address of the repository has a ? or # in it").Hinting("name a tag or branch after @: git+https://HOST/PATH@TAG")
	}
	a.remote = u
	return a, nil
}

// fetchGit reads a library from a git repository: only the files of one commit. It
// writes nothing to the disk.
func (h *host) fetchGit(ctx context.Context, source string) (workspace.Content, workspace.Origin, error) {
	from := workspace.Origin{From: source}
	a, err := parseGit(source)
	if err != nil {
		return workspace.Content{}, from, err
	}
	files, commit, err := a.fetch(ctx, gitHTTPClient())
	if err != nil {
		return workspace.Content{}, from, err
	}
	from.Commit = commit
	content, err := workspace.FilesContent(files, nil)
	return content, from, err
}

// fetch reads the files of the commit that the address names.
func (a gitAddress) fetch(ctx context.Context, client gitClient) (files map[string][]byte, commit string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, gitPatience, fault.New(fault.Timeout, "the repository took longer than %s", gitPatience).
		Hinting("clone it with git and install the directory"))
	defer cancel()
	defer func() { // the git library may panic at a malformed repository
		if recover() != nil {
			files, commit, err = nil, "", gitFault("it is damaged")
		}
	}()
	var store storer.EncodedObjectStorer
	var at plumbing.Hash
	if a.remote != nil {
		store, at, err = a.download(ctx, client)
	} else {
		var disk *gitDisk
		if disk, at, err = a.openDisk(ctx); err == nil {
			defer disk.close()
			store = disk
		}
	}
	if err != nil {
		return nil, "", gitCause(ctx, err)
	}
	r := gitReader{ctx: ctx, store: store, files: map[string][]byte{}}
	id, err := r.checkout(at)
	if err != nil {
		return nil, "", gitCause(ctx, err)
	}
	return r.files, id.String(), nil
}

// gitCause converts an error to the fault that people see.
func gitCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fault.Of(cause, fault.Timeout)
	}
	var f *fault.Fault
	switch {
	case errors.As(err, &f) && f.Hint == gitrepo.WithFsck:
		told := *f
		told.Hint = notInstalled
		return &told
	case errors.As(err, &f):
		return f
	case errors.Is(err, plumbing.ErrObjectNotFound):
		return gitFault("a part of it is missing")
	}
	return gitFault("it cannot be read: %s", fault.Brief(oneLine(err.Error())))
}

func gitFault(format string, args ...any) error {
	return fault.New(fault.Path, "the repository is not accepted: "+format, args...).
		Hinting(notInstalled)
}

const notInstalled = "golem installed nothing; if you trust the repository, clone it with git and install the directory"

// noSuchRef returns the fault for a tag or branch that the repository does not have.
func (a gitAddress) noSuchRef(names []string) error {
	if a.ref == "" {
		return fault.New(fault.NotFound, "the repository has no default branch").Hinting("name a tag or branch after @: %s@TAG", a.source)
	}
	var known []string
	for _, name := range names {
		if dir := path.Dir(name); dir == "refs/tags" || dir == "refs/heads" {
			known = append(known, path.Base(name))
		}
	}
	return fault.New(fault.NotFound, "the repository has no tag or branch %s", fault.Quoted(a.ref)).Hinting("%s", fault.DidYouMean(a.ref, known))
}
