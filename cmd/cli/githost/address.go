// Package githost reads git repositories over HTTP, and tells what this machine knows of
// git: the person's configuration and the repositories of working trees.
package githost

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
	"golem/core/ui"
	"golem/core/workspace"

	"golem/cmd/cli/console"
)

// Prefix begins the address of a library in a git repository.
const Prefix = "git+"

// gitPatience is how long it may take to download, read and check a repository.
const gitPatience = 2 * time.Minute

// gitAddress is the parsed SOURCE of golem lib install for a repository.
type gitAddress struct {
	source string     // as it was given
	remote *url.URL   // nil for a repository on this machine
	dir    string     // the directory of a repository on this machine
	ref    string     // a tag or a branch; "" for the default branch
	login  *personGit // the person's logins, for a repository that wants one; nil: none is sent
}

// parseGit parses git+https://HOST/PATH[@REF] and git+file:///DIR[@REF].
func parseGit(source string) (gitAddress, error) {
	a := gitAddress{source: source}
	rest := strings.TrimPrefix(source, Prefix)
	scheme, place, _ := strings.Cut(rest, "://")
	if i := strings.LastIndexByte(place, '@'); i > 0 && strings.Contains(place[:i], "/") && place[i-1] != '/' {
		place, a.ref = place[:i], place[i+1:]
		if name := plumbing.NewTagReferenceName(a.ref); name.Validate() != nil {
			return a, console.Usage("%s cannot be the name of a tag or branch", fault.Quoted(a.ref)).Hinting("git+https://HOST/PATH@TAG")
		}
	}
	switch scheme {
	case "https":
	case "file":
		if runtime.GOOS == "windows" {
			place = strings.TrimPrefix(place, "/")
		}
		if a.dir = filepath.FromSlash(place); !filepath.IsAbs(a.dir) {
			return a, console.Usage("git+file:// needs an absolute path").Hinting("for example git+file:///home/me/utils@v1.0")
		}
		return a, nil
	case "ssh", "http", "git":
		return a, console.Usage("golem does not install from git+%s addresses", scheme).
			Hinting("use git+https://HOST/PATH@TAG, or clone the repository with git and install the directory")
	default:
		return a, console.Usage("%s is not the address of a repository", fault.Quoted(source)).Hinting("git+https://HOST/PATH@TAG or git+file:///DIR@TAG")
	}
	u, err := url.Parse("https://" + place)
	switch {
	case err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/") == "":
		return a, console.Usage("the address of the repository has no host or no path").Hinting("git+https://HOST/PATH@TAG")
	case u.User != nil:
		return a, console.Usage("the address of the repository has a user name or key in it").
			Hinting("golem keeps the address; clone a repository that needs a login with git and install the directory")
	case u.RawQuery != "" || u.Fragment != "":
		return a, console.Usage("the address of the repository has a ? or # in it").Hinting("name a tag or branch after @: git+https://HOST/PATH@TAG")
	}
	a.remote = u
	return a, nil
}

// Fetch reads a library from a git repository: only the files of one commit. It
// writes nothing to the disk. If the repository wants a login, it gets the one that the person
// has for its host: a secret git.HOST, or that of the person's own git configuration. secrets
// may be nil.
func Fetch(ctx context.Context, c *console.Console, source string, secrets Secrets) (workspace.Content, workspace.Origin, error) {
	from := workspace.Origin{From: source}
	a, err := parseGit(source)
	if err != nil {
		return workspace.Content{}, from, err
	}
	a.login = &personGit{c.Env, secrets}
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
	return gitFault("it cannot be read: %s", fault.Brief(ui.OneLine(err.Error())))
}

func gitFault(format string, args ...any) error {
	return fault.New(fault.Path, "the repository is not accepted: "+format, args...).
		Hinting(notInstalled)
}

// gitRefusal returns the fault for something that golem installs from no directory either.
func gitRefusal(format string, args ...any) error {
	return fault.New(fault.Path, "the repository is not accepted: "+format, args...).
		Hinting("golem installed nothing, and would refuse a clone of it as well; the repository needs a file in that place")
}

// gitLimit returns the fault for a repository that is too large for a library.
func gitLimit(format string, args ...any) error {
	return fault.New(fault.Limit, "the repository is not accepted: "+format, args...).
		Hinting("golem installed nothing; clone it with git, leave out what the library does not need, and install the directory")
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
