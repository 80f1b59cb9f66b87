package gitrepo

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"golem/core/clearance"
	"golem/core/fault"
)

// After a push to a branch that is stopped or fails at any change, branch, index and
// working tree are old and the item still exists, or all of them are new and the next
// root is told once (S4-51, SECURITY 14).
func TestGitPushIsWhole(t *testing.T) {
	steps := 0
	for _, once := range []bool{false, true} {
		for n := 1; ; n++ {
			d := newGitDesk(t)
			it := d.stage(t, gitChange)
			d.f.n, d.f.at, d.f.once = 0, n, once
			_, failed := d.store().Push(context.Background(), it.ID, clearance.Push{Target: "main", Digest: it.Digest()})
			if d.f.n < n {
				break
			}
			steps++
			d.f.at = 0
			t.Run(fmt.Sprintf("once=%v/%d", once, n), func(t *testing.T) { d.whole(t, failed) })
		}
	}
	if steps < 20 {
		t.Errorf("only %d steps were tried", steps)
	}
}

func (d *gitDesk) whole(t *testing.T, failed error) {
	s := d.store()
	if err := s.Settle(context.Background()); err != nil {
		t.Fatalf("settle: %v", err)
	}
	items, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	branch, index, work := d.look(t)
	notes := s.Notes(context.Background())
	if maps.Equal(branch, gitFirst) {
		if !maps.Equal(index, gitFirst) || !maps.Equal(work, gitFirst) || len(items) != 1 || items[0].State != clearance.Pending || len(notes) != 0 {
			t.Fatalf("old branch (%v), index %q, files %q, items %+v, notes %q", failed, index, work, items, notes)
		}
		if _, err := s.Push(context.Background(), items[0].ID, clearance.Push{Target: "main"}); err != nil {
			t.Fatalf("the item cannot be pushed any more: %v", err)
		}
		branch, index, work = d.look(t)
		items, notes = nil, []string{""}
	}
	if !maps.Equal(branch, gitAfter) || !maps.Equal(index, gitAfter) || !maps.Equal(work, gitAfter) || len(items) != 0 || len(notes) != 1 || len(d.locks()) != 0 {
		t.Fatalf("a mixture (%v): %q, index %q, files %q, items %+v, notes %q, locks %q", failed, branch, index, work, items, notes, d.locks())
	}
}

// A push that is an error changes neither branch, index and files nor the item.
func TestGitPushRefused(t *testing.T) {
	put := func(name, data string) func(*gitDesk) {
		return func(d *gitDesk) { _ = d.files.WriteFile("repo/"+name, []byte(data)) }
	}
	commit := func(change func(r *repo) string) func(*gitDesk) {
		return func(d *gitDesk) {
			tree := change(d.repo)
			d.repo.Put("refs/heads/main", []byte(d.repo.Object("commit", "tree "+tree+"\nparent "+d.first+"\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\ny\n")+"\n"))
			d.repo.Put("HEAD", []byte("ref: refs/heads/other\n"))
		}
	}
	for name, c := range map[string]struct {
		do     func(*gitDesk)
		stage  map[string]string
		code   fault.Code
		saying string
	}{
		"a file of the branch changed since": {do: commit(func(r *repo) string {
			return r.Tree(entry(Plain, "a", r.Object("blob", "theirs\n")), entry(Plain, "c", r.Object("blob", "three\n")))
		}), code: fault.Conflict, saying: "changed since item 1 was staged: repo/a ("},
		"a file is dirty":               {do: put("a", "mine\n"), code: fault.Conflict, saying: "not committed: a"},
		"a file is there, not known":    {do: put("n/e/w", "mine\n"), code: fault.Conflict, saying: "not committed: n/e/w"},
		"a file where a directory goes": {do: put("n", "mine\n"), code: fault.Conflict, saying: "not committed: n/e/w"},
		"another git":                   {do: put(".git/index.lock", ""), code: fault.Busy, saying: "index.lock"},
		"another git at the branch":     {do: put(".git/refs/heads/main.lock", ""), code: fault.Busy, saying: "refs/heads/main.lock"},
		"a merge":                       {do: put(".git/MERGE_HEAD", "x"), code: fault.Conflict, saying: "in the middle of a merge"},
		"a rebase":                      {do: put(".git/rebase-merge/head-name", "refs/heads/main\n"), code: fault.Conflict, saying: "in the middle of a rebase"},
		"another working tree":          {do: put(".git/worktrees/w/HEAD", "ref: refs/heads/main\n"), code: fault.Conflict, saying: `another working tree that shows this branch, "w"`},
		"a broken index":                {do: put(".git/index", "DIRC"), code: fault.Path, saying: "index is damaged"},
		"an alias":                      {do: put(".git/refs/heads/main", "ref: refs/heads/other\n"), code: fault.Path, saying: "not a plain branch"},
		"a branch that leads out":       {do: put(".git/refs/heads/main", "../../../etc/passwd"), code: fault.Path, saying: "not a plain branch"},
		"a branch of no commit":         {do: func(d *gitDesk) { d.repo.Put("refs/heads/main", []byte(d.repo.Object("blob", "x"))) }, code: fault.Path, saying: "names no commit"},
		"an empty branch":               {do: put(".git/refs/heads/main", ""), code: fault.Path, saying: "is empty"},
		"files elsewhere":               {do: put(".git/config", "[core]\n\tworktree = /etc\n"), code: fault.Path, saying: "core.worktree"},
		"another format":                {do: put(".git/config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"), code: fault.Path, saying: "objectformat"},
		"a newer format":                {do: put(".git/config", "[core]\n\trepositoryformatversion = 2\n"), code: fault.Path, saying: "newer than golem"},
		"a broken configuration":        {do: put(".git/config", "[core\n"), code: fault.Path, saying: "configuration cannot be read"},
		"borrowed objects":              {do: put(".git/objects/info/alternates", "/x\n"), code: fault.Path, saying: "borrows objects"},
		"a part of another":             {do: put(".git/commondir", "../..\n"), code: fault.Path, saying: "working tree of another repository"},
		"a link in the way": {do: commit(func(r *repo) string {
			return r.Tree(entry(Plain, "a", r.Object("blob", "one\n")), entry(Link, "n", r.Object("blob", "/etc")))
		}), code: fault.Path, saying: `"n" in the repository "repo" is a symbolic link`},
		"a submodule in the way": {do: commit(func(r *repo) string {
			return r.Tree(entry(Plain, "a", r.Object("blob", "one\n")), entry(Submodule, "n", r.Object("blob", "x")))
		}), code: fault.Path, saying: "is a submodule"},
		"a file in the way": {do: commit(func(r *repo) string {
			return r.Tree(entry(Plain, "a", r.Object("blob", "one\n")), entry(Plain, "n", r.Object("blob", "x")))
		}), code: fault.Path, saying: "is a file, not a directory"},
		"a name that only differs in case": {stage: map[string]string{"A": "x"}, code: fault.Path, saying: `"A" and "a" of the repository "repo" would be one file`},
		"a directory that only differs":    {stage: map[string]string{"D/x": "x"}, code: fault.Path, saying: "would be one file"},
		"git's own directory":              {stage: map[string]string{".git/hooks/pre-commit": "x"}, code: fault.Protected, saying: ".git"},
		"git's own directory, disguised":   {stage: map[string]string{"GIT~1/config": "x"}, code: fault.Protected, saying: "GIT~1"},
		"a definition":                     {stage: map[string]string{"x.worker": "x"}, code: fault.Protected, saying: "--definition repo/x.worker"},
		"the branch is gone":               {do: func(d *gitDesk) { _ = d.files.Remove("repo/.git/refs/heads/main") }, code: fault.NotFound, saying: `has no branch "main"`},
		"the repository is gone":           {do: func(d *gitDesk) { _ = d.files.Remove("repo/.git/HEAD") }, code: fault.NotFound, saying: "no git repository in repo"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newGitDesk(t)
			if name == "the branch is gone" {
				d.repo.Put("refs/heads/other", []byte(d.first+"\n"))
			}
			if c.stage == nil {
				c.stage = gitChange
			}
			it := d.stage(t, c.stage)
			if c.do != nil {
				c.do(d)
			}
			before := allFiles(t, d.files)
			_, err := d.store().Push(context.Background(), it.ID, clearance.Push{Target: "main"})
			if f := fault.Of(err, fault.Config); err == nil || f.Code != c.code || !strings.Contains(f.Error(), c.saying) {
				t.Fatalf("%v instead of %s with %q", err, c.code, c.saying)
			}
			after := allFiles(t, d.files)
			maps.DeleteFunc(after, func(name, _ string) bool { // objects that no branch has
				_, was := before[name]
				return !was && strings.HasPrefix(name, "repo/.git/objects/")
			})
			if !maps.Equal(before, after) {
				t.Errorf("something changed: %q", slices.Sorted(maps.Keys(after)))
			}
			if items, err := d.store().List(); err != nil || len(items) != 1 || items[0].State != clearance.Pending {
				t.Errorf("%+v, %v", items, err)
			}
		})
	}
}

func allFiles(t testing.TB, fsys fs.FS) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var data []byte
			data, err = fs.ReadFile(fsys, name)
			out[name] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// afterTheStep returns a desk on which golem was killed directly after the branch moved.
func afterTheStep(t *testing.T) *gitDesk {
	for n := 1; ; n++ {
		d := newGitDesk(t)
		it := d.stage(t, gitChange)
		d.f.n, d.f.at = 0, n
		_, failed := d.store().Push(context.Background(), it.ID, clearance.Push{Target: "main"})
		d.f.at = 0
		if branch, _, _ := d.look(t); failed == nil {
			t.Fatal("the push came to its end")
		} else if maps.Equal(branch, gitAfter) {
			return d
		}
	}
}

// Changes that a person makes between a kill and the next command stay.
func TestGitSettleKeeps(t *testing.T) {
	settle := func(d *gitDesk) {
		t.Helper()
		s := d.store()
		if err := s.Settle(context.Background()); err != nil {
			t.Fatal(err)
		}
		if items, err := s.List(); err != nil || len(items) != 0 || len(s.Notes(context.Background())) != 1 {
			t.Errorf("%+v, %v", items, err)
		}
	}
	d := afterTheStep(t)
	if err := d.files.WriteFile("repo/a", []byte("mine\n")); err != nil {
		t.Fatal(err)
	}
	settle(d)
	if branch, _, work := d.look(t); !maps.Equal(branch, gitAfter) || work["a"] != "mine\n" || work["n/e/w"] != "new\n" {
		t.Errorf("%q, files %q", branch, work)
	}

	d = afterTheStep(t)
	tip, err := fs.ReadFile(d.files, "repo/.git/refs/heads/main")
	if err != nil {
		t.Fatal(err)
	}
	theirs := d.repo.Tree(entry(Plain, "a", d.repo.Object("blob", "theirs\n")))
	d.repo.Put("refs/heads/main", []byte(d.repo.Object("commit", "tree "+theirs+"\nparent "+string(tip)+"author a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\ny\n")+"\n"))
	_ = d.files.Remove("repo/.git/index.lock")
	settle(d)
	if branch, index, _ := d.look(t); !maps.Equal(branch, map[string]string{"a": "theirs\n"}) || index["a"] != "one\n" {
		t.Errorf("%q, index %q", branch, index)
	}

	// If the branch no longer exists, nothing is pushed.
	d = afterTheStep(t)
	d.repo.Put("refs/heads/other", []byte(d.first+"\n"))
	d.repo.Put("HEAD", []byte("ref: refs/heads/other\n"))
	if err := d.files.Remove("repo/.git/refs/heads/main"); err != nil {
		t.Fatal(err)
	}
	s := d.store()
	_ = s.Settle(context.Background())
	if items, err := s.List(); err != nil || len(items) != 1 || items[0].State != clearance.Pending {
		t.Errorf("%+v, %v", items, err)
	}
}

// A push keeps commits of others that changed other files, and two items can be pushed
// one after the other.
func TestGitKeepsOthers(t *testing.T) {
	d := newGitDesk(t)
	one, two := d.stage(t, map[string]string{"a": "ONE\n"}), d.stage(t, map[string]string{"x": "x\n"})
	if _, err := d.store().Push(context.Background(), one.ID, clearance.Push{Target: "main"}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.store().Push(context.Background(), two.ID, clearance.Push{Target: "main"}); err != nil {
		t.Fatal(err)
	}
	if branch, _, work := d.look(t); branch["a"] != "ONE\n" || branch["x"] != "x\n" || branch["d/b"] != "two\n" || !maps.Equal(branch, work) {
		t.Errorf("%q, files %q", branch, work)
	}
}
