//go:build unix

package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golem/core/approval/sh"
)

// planted is a repository whose configuration names the program ./x, which makes the file
// trap.
type planted struct {
	t         *testing.T
	dir, trap string
	env       []string
}

func plant(t *testing.T) *planted {
	t.Helper()
	p := &planted{t: t, dir: t.TempDir(), trap: filepath.Join(t.TempDir(), "ran")}
	p.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=dumb", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_EDITOR=false"}
	p.write("x", "#!/bin/sh\n: >'"+p.trap+"'\ncat 2>/dev/null\n")
	p.write("a.txt", "one\n")
	p.write("b.txt", "two\n")
	for _, line := range []string{"init -q", "add .", "commit -qm first"} {
		p.git(strings.Fields(line)...)
	}
	p.write("a.txt", "changed\n")
	p.git("commit", "-qam", "second")
	p.write("a.txt", "changed again\n")
	return p
}

func (p *planted) write(name, text string) {
	p.t.Helper()
	full := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o755); err != nil {
		p.t.Fatal(err)
	}
}

func (p *planted) run(dir string, words ...string) (string, error) {
	cmd := exec.CommandContext(p.t.Context(), words[0], words[1:]...)
	cmd.Dir, cmd.Env = filepath.Join(p.dir, dir), p.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p *planted) git(args ...string) {
	p.t.Helper()
	if out, err := p.run("", append([]string{"git"}, args...)...); err != nil {
		p.t.Fatalf("git %q: %v %s", args, err, out)
	}
}

func (p *planted) covers(line string) bool {
	g := sh.Grammar{Git: &gitConfig{dir: p.dir}}
	l := g.Parse(line)
	if !l.Plain {
		return false
	}
	for _, c := range l.Commands {
		globs := []string{c[0].Text, "*"}
		if len(c) > 1 {
			globs = []string{c[0].Text, c[1].Text, "*"}
		}
		if !g.Covers(c, globs) {
			return false
		}
	}
	return true
}

// shows are the commands of git for which golem proposes a rule with a wildcard, or which a
// person may keep exactly.
var shows = []string{
	"git status", "git status -s", "git diff", "git diff HEAD~1", "git log -p", "git log --oneline", "git show", "git blame a.txt", "git grep one", "git stash show -p", "git stash list", "git ls-files -m", "git describe --always --dirty",
	"git cat-file -p HEAD", "git shortlog HEAD", "git rev-parse HEAD", "git branch -a", "git tag -l", "git reflog", "git for-each-ref", "git check-ignore -v a.txt", "git worktree list", "git remote -v",
}

// SECURITY 20: with real git, no planted configuration runs a program under a kept rule.
// Each of these does run ./x in at least one command that only shows something.
func TestPlantedConfigurationNeverRuns(t *testing.T) {
	t.Parallel()
	for name, plants := range map[string]func(*planted){
		"fsmonitor":     func(p *planted) { p.git("config", "core.fsmonitor", "./x") },
		"external diff": func(p *planted) { p.git("config", "diff.external", "./x") },
		"diff driver": func(p *planted) {
			p.git("config", "diff.d.command", "./x")
			p.write(".gitattributes", "*.txt diff=d\n")
		},
		"text conversion": func(p *planted) {
			p.git("config", "diff.d.textconv", "./x")
			p.write(".gitattributes", "*.txt diff=d\n")
		},
		"clean filter": func(p *planted) {
			p.git("config", "filter.d.clean", "./x")
			p.write(".gitattributes", "*.txt filter=d\n")
		},
		"filter process": func(p *planted) {
			p.git("config", "filter.d.process", "./x")
			p.write(".gitattributes", "*.txt filter=d\n")
		},
		"include": func(p *planted) {
			p.git("config", "include.path", "../own.cfg")
			p.write("own.cfg", "[core]\nfsmonitor = ./x\n")
		},
		"conditional": func(p *planted) {
			p.git("config", "includeIf.gitdir:**.path", "../own.cfg")
			p.write("own.cfg", "[core]\nfsmonitor = ./x\n")
		},
		"hook": func(p *planted) { p.write(".git/hooks/post-index-change", "#!/bin/sh\n./x </dev/null\n") },
		"hooks path": func(p *planted) {
			p.git("config", "core.hooksPath", "hooks")
			p.write("hooks/post-index-change", "#!/bin/sh\n./x </dev/null\n")
		},
		"worktree config": func(p *planted) {
			p.git("config", "extensions.worktreeConfig", "true")
			p.git("config", "--worktree", "core.fsmonitor", "./x")
		},
		"other case": func(p *planted) { p.write(".git/config", "[CoRe]\n\tFSMonitor = ./x\n\trepositoryformatversion = 0\n") },
		"git file": func(p *planted) {
			if err := os.Rename(filepath.Join(p.dir, ".git"), filepath.Join(p.dir, "elsewhere")); err != nil {
				p.t.Fatal(err)
			}
			p.write(".git", "gitdir: elsewhere\n")
			p.git("config", "core.fsmonitor", "./x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plant(t)
			if why := (&gitConfig{dir: p.dir}).Starts(); why != "" {
				t.Fatalf("a plain repository starts %s", why)
			}
			plants(p)
			ran := 0
			for _, line := range shows {
				_ = os.Remove(p.trap)
				if err := os.Chtimes(filepath.Join(p.dir, "b.txt"), testTime, testTime); err != nil { // git looks at it again
					t.Fatal(err)
				}
				_, _ = p.run("", strings.Fields(line)...)
				if _, err := os.Stat(p.trap); err != nil {
					continue
				}
				if ran++; p.covers(line) {
					t.Errorf("%s: a rule covers it", line)
				}
			}
			if ran == 0 {
				t.Errorf("the plant starts nothing with this git: the test tries nothing")
			}
		})
	}
}

// A directory that is no repository by name, one below, and a submodule's configuration
// count, too, because a command may change its directory.
func TestOtherRepositoriesCount(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		line string // runs ./x
		make func(*planted)
	}{
		"nested": {"cd sub && git status", func(p *planted) {
			p.write("sub/f", "x")
			p.git("-C", "sub", "init", "-q")
			p.git("-C", "sub", "config", "core.fsmonitor", filepath.Join(p.dir, "x"))
		}},
		"bare": {"cd bare && git status", func(p *planted) {
			p.git("init", "-q", "--bare", "bare")
			p.write("bare/config", "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = ..\nfsmonitor = "+filepath.Join(p.dir, "x")+"\n")
		}},
		"bare with a commondir": {"cd sub && git status", func(p *planted) {
			p.write("sub/HEAD", "ref: refs/heads/main\n")
			p.write("sub/commondir", "../c\n")
			p.write("sub/config.worktree", "[core]\nbare = false\nworktree = .\n")
			p.write("c/objects/a", "")
			p.write("c/refs/a", "")
			p.write("c/config", "[core]\nrepositoryformatversion = 1\nfsmonitor = "+filepath.Join(p.dir, "x")+"\n[extensions]\nworktreeConfig = true\n")
		}},
		"long git file": {"cd sub && git status", func(p *planted) {
			p.git("init", "-q", "--separate-git-dir", ".git/elsewhere", "sub")
			p.write("sub/.git", "gitdir: ../.git/elsewhere"+strings.Repeat("\n", 5<<10))
			p.git("-C", "sub", "config", "core.fsmonitor", filepath.Join(p.dir, "x"))
		}},
		"name with a space": {"cd sub && git status", func(p *planted) {
			p.git("init", "-q", "--separate-git-dir", ".git/elsewhere ", "sub")
			p.git("-C", "sub", "config", "core.fsmonitor", filepath.Join(p.dir, "x"))
		}},
		"name in two lines": {"cd sub && git status", func(p *planted) {
			p.git("init", "-q", "--separate-git-dir", ".git/else\nwhere", "sub")
			p.git("-C", "sub", "config", "core.fsmonitor", filepath.Join(p.dir, "x"))
		}},
		"submodule": {"git status", func(p *planted) {
			p.git("-C", ".", "clone", "-q", ".", "sub")
			p.git("add", "sub")
			p.git("-C", "sub", "config", "core.fsmonitor", filepath.Join(p.dir, "x"))
		}},
	} {
		p := plant(t)
		one.make(p)
		if p.covers(one.line) {
			t.Errorf("%s: a rule covers %s", name, one.line)
		}
		_ = os.Remove(p.trap)
		if _, err := p.run("", "sh", "-c", one.line); err != nil {
			t.Logf("%s: %v", name, err)
		}
		if _, err := os.Stat(p.trap); err != nil {
			t.Errorf("%s: %s starts nothing with this git: the test tries nothing", name, one.line)
		}
	}
	// A line that makes the repository itself, or leaves the directory.
	p := plant(t)
	for _, line := range []string{"cd .. && git status", "cd /tmp && git status", "cd && git status", "cd - && git log", "cp cfg sub/.git/config && git status", "mv e sub/.g?t && git log", "tee .GIT/config && git diff", "echo x > .git/config && git status",
		"cp h HEAD && git status", "cp -r a/. b/. . && git status", "mv h sub && cd sub && git log", "tee sub/Config && cd sub && git status", "mkdir objects refs && git status", "echo x > commondir && git status", "git checkout other && cd sub && git status",
	} {
		if p.covers(line) {
			t.Errorf("a rule covers %s", line)
		}
	}
	for _, line := range append([]string{"cd sub && git status", "git status && git diff", "git diff && tee out/head.txt", "mkdir out && git log", "git add . && git commit -m x && git status"}, shows...) {
		if !p.covers(line) {
			t.Errorf("no rule covers %s", line)
		}
	}
}

// Commands can write the configuration in a home directory that is theirs.
func TestConfigurationOfCommandsCounts(t *testing.T) {
	y := newYard(t)
	y.host.Kernel = &Kernel{Files: true}
	for _, name := range []string{".gitconfig", ".config/git/config"} {
		s := y.open(t, y.whole(t), options{}, false)
		env, err := s.environment()
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(env, func(v string) bool { return strings.HasPrefix(v, "HOME=") })
		file := filepath.Join(strings.TrimPrefix(env[i], "HOME="), name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		git := s.grammar().(sh.Grammar).Git
		for text, covered := range map[string]bool{"[user]\nname = a\n": true, "[core]\nfsmonitor = ./x\n": false} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if why := git.Starts(); (why == "") != covered {
				t.Errorf("%s with %q starts %q", name, text, why)
			}
		}
	}
}

// The settings that clones, Git LFS, worktrees and submodules have start nothing.
func TestUsualConfigurationIsCovered(t *testing.T) {
	t.Parallel()
	p := plant(t)
	for _, line := range []string{
		"remote add origin https://example.com/a.git", "config branch.main.remote origin", "config branch.main.merge refs/heads/main", "config pull.rebase true", "config user.email a@b", "config push.default simple", "config core.autocrlf input",
		"config submodule.x.url https://example.com/x", "config submodule.x.active true", "config lfs.repositoryformatversion 0", "config core.fsmonitor false", "config log.showSignature false", "config color.ui auto", "config init.defaultBranch main", "config diff.renames copies", "config http.https://example.com/.extraheader x",
	} {
		p.git(strings.Fields(line)...)
	}
	p.git("config", "filter.lfs.clean", "git-lfs clean -- %f")
	p.git("config", "filter.lfs.process", "git-lfs filter-process")
	p.git("worktree", "add", "-q", "tree")
	if why := (&gitConfig{dir: p.dir}).Starts(); why != "" {
		t.Errorf("it starts %s", why)
	}
	for _, setting := range []string{"filter.lfs.clean=./x", "core.pager=./x", "alias.log=!./x", "remote.origin.promisor=true", "remote.origin.uploadpack=./x", "log.showSignature=true", "gpg.program=./x", "pretty.mine=%G?", "format.pretty=%G?", "core.sshCommand=./x", "new.thing=./x", "diff.x.textconv=cat", "core.editor=./x", "pager.log=./x", "extensions.partialClone=origin", "interactive.diffFilter=./x", "diff.external=", "trailer.x.command=./x", "browser.x.cmd=./x"} {
		key, value, _ := strings.Cut(setting, "=")
		q := plant(t)
		q.git("config", key, value)
		if (&gitConfig{dir: q.dir}).Starts() == "" {
			t.Errorf("%s is taken for harmless", setting)
		}
	}
}

// testTime is a modification time that is in no index.
var testTime = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
