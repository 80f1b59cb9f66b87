package githost

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/gitrepo"
	"golem/core/gitrepo/gittest"
	"golem/core/sandbox"
	"golem/core/workspace"
)

type repo = gittest.Repo

var Entry, deflate = gittest.Entry, gittest.Deflate

func memoryRepo(t testing.TB) (*repo, sandbox.FS) {
	tree := sandbox.Memory()
	return &repo{T: t, Write: tree.WriteFile}, tree
}

// lib returns the entries of a small library.
func lib(r *repo) []string {
	worker := r.Object("blob", "hello")
	return []string{
		Entry("100644", "lib.yaml", r.Object("blob", "name: utils\nversion: 1.0.0\n")),
		Entry("40000", "workers", r.Object("tree", Entry("100644", "a.worker", worker)+Entry("100755", "b.worker", worker))),
	}
}

// fetchTree reads the files of a repository in memory.
func fetchTree(tree sandbox.FS, ref string) (map[string][]byte, error) {
	ctx := context.Background()
	a := gitAddress{source: "git+file:///r", dir: "r", ref: ref}
	disk, at, err := a.openTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	r := gitReader{ctx: ctx, store: disk, files: map[string][]byte{}}
	if _, err = r.checkout(at); err != nil {
		err = gitCause(ctx, err)
	}
	return r.files, err
}

// S1-56: golem reads the files of a tag, of a branch, of the default branch and of a
// tag with a message.
func TestGitFiles(t *testing.T) {
	r, tree := memoryRepo(t)
	commit := r.Tag("v1", r.Tree(lib(r)...))
	r.Put("refs/tags/signed", []byte(r.Object("tag", "object "+commit+"\ntype commit\ntag signed\ntagger a <a@b> 0 +0000\n\nx\n")))
	for _, ref := range []string{"v1", "main", "", "signed"} {
		files, err := fetchTree(tree, ref)
		if err != nil || len(files) != 3 || string(files["workers/b.worker"]) != "hello" {
			t.Errorf("%q: %v, %v", ref, files, err)
		}
	}
	if _, err := fetchTree(tree, "v2"); !errors.Is(err, fault.NotFound) || !strings.Contains(err.Error(), `no tag or branch "v2" (did you mean v1)`) {
		t.Error(err)
	}
}

// hostile are the directories of repositories that must not be installed, with a
// part of the message.
var hostile = map[string]func(r *repo, lib []string) (tree, want string){
	"..": func(r *repo, lib []string) (string, string) {
		return withName(r, lib, ".."), `the name ".." leads to another directory`
	},
	".": func(r *repo, lib []string) (string, string) {
		return withName(r, lib, "."), `the name "." leads to another directory`
	},
	"slash": func(r *repo, lib []string) (string, string) {
		return withName(r, lib, "a/../../b"), "leads to another directory"
	},
	"absolute": func(r *repo, lib []string) (string, string) {
		return withName(r, lib, "/etc"), "leads to another directory"
	},
	"no name": func(r *repo, lib []string) (string, string) {
		return withName(r, lib, ""), "leads to another directory"
	},
	".git": func(r *repo, lib []string) (string, string) {
		return withName(r, lib, ".git"), `".git" stands for git's own directory`
	},
	".GIT": func(r *repo, lib []string) (string, string) { return withName(r, lib, ".GIT"), "git's own directory" },
	".g\u200cit": func(r *repo, lib []string) (string, string) {
		return withName(r, lib, ".g\u200cit"), "git's own directory"
	},
	".git.":     func(r *repo, lib []string) (string, string) { return withName(r, lib, ".git. "), "git's own directory" },
	"git~1":     func(r *repo, lib []string) (string, string) { return withName(r, lib, "GIT~1"), "git's own directory" },
	"backslash": func(r *repo, lib []string) (string, string) { return withName(r, lib, `a\..\b`), "backslash" },
	"device":    func(r *repo, lib []string) (string, string) { return withName(r, lib, "NUL"), "device on Windows" },
	"control": func(r *repo, lib []string) (string, string) {
		return withName(r, lib, "a\x1b[31m"), "not allowed in names"
	},
	"utf-8": func(r *repo, lib []string) (string, string) { return withName(r, lib, "a\xff"), "not a valid path" },
	"case": func(r *repo, lib []string) (string, string) {
		return withName(r, lib, "LIB.yaml"), "same file on systems that ignore case"
	},
	"form": func(r *repo, lib []string) (string, string) {
		x := r.Object("blob", "x")
		return r.Tree(append(lib, Entry("100644", "e\u0301", x), Entry("100644", "\u00e9", x))...), "same file on systems that ignore case"
	},
	"twice": func(r *repo, lib []string) (string, string) {
		return withName(r, lib, "lib.yaml"), `"lib.yaml" is in it twice`
	},
	"both": func(r *repo, lib []string) (string, string) {
		return withName(r, lib, "Workers"), "is both a file and the directory"
	},
	"link": func(r *repo, lib []string) (string, string) {
		return ofKind(r, lib, "120000"), `"x" is a symbolic link`
	},
	"submodule": func(r *repo, lib []string) (string, string) { return ofKind(r, lib, "160000"), `"x" is a submodule` },
	"fifo": func(r *repo, lib []string) (string, string) {
		return ofKind(r, lib, "010000"), `"x" is neither a file nor a directory`
	},
	"mode": func(r *repo, lib []string) (string, string) {
		return ofKind(r, lib, "rw"), "the list of files in the root is damaged"
	},
	"cut": func(r *repo, lib []string) (string, string) {
		return r.Object("tree", "100644 a\x00short"), "is damaged"
	},
	"missing": func(r *repo, lib []string) (string, string) {
		return r.Tree(append(lib, Entry("100644", "x", strings.Repeat("12", 20)))...), "a part of it is missing"
	},
	"blob as directory": func(r *repo, lib []string) (string, string) {
		return r.Tree(append(lib, Entry("40000", "x", r.Object("blob", "x")))...), "a part of it is missing"
	},
	"deep": func(r *repo, lib []string) (string, string) {
		at := r.Object("tree", "")
		for range gitrepo.MaxDepth + 2 {
			at = r.Tree(Entry("40000", "d", at))
		}
		return at, "deep"
	},
	"many from few": func(r *repo, lib []string) (string, string) {
		at := r.Tree(Entry("100644", "f", r.Object("blob", "x")))
		for range 10 {
			var again []string
			for i := range 10 {
				again = append(again, Entry("40000", fmt.Sprint(i), at))
			}
			at = r.Tree(again...)
		}
		return at, "more than 20000 files and directories"
	},
	"huge": func(r *repo, lib []string) (string, string) {
		return r.Tree(append(lib, Entry("100644", "x", r.Object("blob", strings.Repeat("0", workspace.MaxLibraryFile+1))))...), "bytes"
	},
	"much": func(r *repo, lib []string) (string, string) {
		x := r.Object("blob", strings.Repeat("0", workspace.MaxLibraryFile-1))
		return r.Tree(append(lib, Entry("100644", "x", x), Entry("100644", "y", x), Entry("100644", "z", x))...), "its files have more than"
	},
}

func withName(r *repo, lib []string, name string) string {
	return r.Tree(append(lib, Entry("100644", name, r.Object("blob", "x")))...)
}

func ofKind(r *repo, lib []string, mode string) string {
	return r.Tree(append(lib, Entry(mode, "x", r.Object("blob", "../../etc/passwd")))...)
}

// SECURITY 15: a hostile repository ends in an error of its own, from the disk
// and from a server.
func TestGitHostile(t *testing.T) {
	for name, make := range hostile {
		t.Run(name, func(t *testing.T) {
			r, tree := memoryRepo(t)
			top, want := make(r, lib(r))
			commit := r.Tag("v1", top)
			check := func(where string, files map[string][]byte, err error) {
				if err == nil {
					_, err = workspace.FilesContent(files, nil)
				}
				code := fault.Path
				if strings.Contains(want, "more than") || want == "bytes" {
					code = fault.Limit
				}
				if !errors.Is(err, code) || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v", where, err)
				}
				if err != nil && strings.Contains(err.Error(), "\x1b") {
					t.Errorf("%s: %q has a control character", where, err)
				}
			}
			files, err := fetchTree(tree, "v1")
			check("disk", files, err)
			files, _, err = served(t, commit, packOf(r.All), nil)
			check("server", files, err)
		})
	}
}

// An object that has a wrong size, or is not an object, is found before it is held in
// memory.
func TestGitLooseLies(t *testing.T) {
	for name, raw := range map[string][]byte{
		"longer than said": deflate(append([]byte("blob 5\x00"), make([]byte, workspace.MaxLibraryFile+100)...)),
		"not compressed":   []byte("blob 5\x00hello"),
		"no header":        deflate([]byte("hello")),
		"empty":            nil,
	} {
		r, tree := memoryRepo(t)
		x := r.Object("blob", "hello there")
		r.Tag("v1", r.Tree(append(lib(r), Entry("100644", "x", x))...))
		r.Put("objects/"+x[:2]+"/"+x[2:], raw)
		if files, err := fetchTree(tree, "v1"); !errors.Is(err, fault.Path) {
			t.Errorf("%s: %d files, %v", name, len(files), err)
		}
	}
	r, tree := memoryRepo(t)
	r.Tag("v1", r.Tree(lib(r)...))
	r.Put("objects/info/alternates", []byte("/elsewhere/objects\n"))
	if _, err := fetchTree(tree, "v1"); err == nil || !strings.Contains(err.Error(), "borrows objects") {
		t.Error(err)
	}
	_, plain := memoryRepo(t)
	if _, err := fetchTree(plain, "v1"); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

// An address that golem cannot use is an error before anything is contacted.
func TestGitAddress(t *testing.T) {
	for source, want := range map[string]string{
		"git+https://example.com/a/b.git@v1.0": "https://example.com/a/b.git v1.0", "git+https://example.com/@scope/b": "https://example.com/@scope/b ",
		"git+https://example.com/@scope/b@main": "https://example.com/@scope/b main", "git+https://me@example.com/a": "user name or key",
		"git+https://me:key@example.com/a@v1": "user name or key", "git+https://example.com": "no host or no path", "git+https:///a": "no host or no path",
		"git+https://example.com/a?ref=x": "a ? or #", "git+http://example.com/a": "golem does not install from git+http", "git+ssh://git@example.com/a": "golem does not install from git+ssh",
		"git+": "not the address", "git+ftp://x/a": "not the address", "git+file://rel/a": "absolute path", "git+https://example.com/a@..": "cannot be the name of a tag",
	} {
		a, err := parseGit(source)
		got := fmt.Sprint(err)
		if err == nil {
			got = a.remote.String() + " " + a.ref
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}
