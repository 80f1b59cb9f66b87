package workspace_test

import (
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golem/core/sandbox"
	"golem/core/workspace"
)

// hostileConfig has every kind of setting that makes git start a program, read another
// place or send a key, and the settings that a repository needs.
const hostileConfig = `[core]
	repositoryformatversion = 0
	bare = false
	filemode = true
	fsmonitor = touch /tmp/pwned
	sshCommand = touch /tmp/pwned
	hooksPath = ../evil
	editor = touch /tmp/pwned
	pager = touch /tmp/pwned
	worktree = /
	symlinks = false \
	fsmonitor = evil
[include]
	path = ../evil
[includeIf "gitdir:/"]
	path = ../evil
[alias]
	st = !touch /tmp/pwned
[filter "x"]
	clean = touch /tmp/pwned
[diff "x"]
	textconv = touch /tmp/pwned
[credential]
	helper = !touch /tmp/pwned
[gpg]
	program = evil
[url "ext::evil"]
	insteadOf = https://
[submodule "x"]
	update = !touch /tmp/pwned
[extensions]
	worktreeConfig = true
	objectformat = sha1
[user]
	name = Ann B
	email = ann@example.com
	signingkey = x
[remote "origin"]
	url = https://example.com/a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
	fetch = +refs/heads/*:refs/heads/*
	uploadpack = touch /tmp/pwned
	receivepack = touch /tmp/pwned
	proxy = http://evil.example
	vcs = evil
[remote "key"]
	url = https://ann:KEY@example.com/a
[remote "token"]
	url = https://KEY@example.com/a
[remote "ssh"]
	url = git@example.com:a/b.git
	url = ssh://git@example.com:22/a/b
	url = ssh://git:KEY@example.com/a
	url = ssh://-oProxyCommand=evil/a
	url = -oProxyCommand=evil:a
[remote "evil"]
	url = ext::sh -c evil
	url = ext::evil
	url = C:/evil
	url = ../evil
	url = /evil
	url = file:///evil
	url = fd::17
	url = "ext::sh -c evil"
	pushurl = ext::evil
[remote "a"] url = ext::evil
[remote "-x"]
	url = https://example.com/x
[branch "main"]
	remote = origin
	merge = refs/heads/main
	remote = ../evil
	pushRemote = ext::evil
	rebase = true
	mergeOptions = --evil
[BRANCH "x"]
	remote = origin
[color]
	ui = true
bare
= evil
[core]
	bare core.filemode = true
[core]fsmonitor=evil
[core]	; [x]
	fsmonitor = evil
`

const keptConfig = `[core]
	repositoryformatversion = 0
	bare = false
	filemode = true
[extensions]
	objectformat = sha1
[user]
	name = Ann B
	email = ann@example.com
[remote "origin"]
	url = https://example.com/a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[remote "ssh"]
	url = git@example.com:a/b.git
	url = ssh://git@example.com:22/a/b
[branch "main"]
	remote = origin
	merge = refs/heads/main
`

// travelling are files that are packed and unpacked with a project and its repository;
// staying are files that are not.
var travelling = []string{
	"main.worker", "config", ".github/config", ".gitmodules", ".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".git/shallow", ".git/MERGE_HEAD", ".git/info/exclude",
	".git/objects/ab/cd", ".git/objects/pack/pack-1.pack", ".git/objects/pack/pack-1.idx", ".git/refs/heads/a/b", ".git/refs/stash", ".git/logs/HEAD", "libs/x/.git/HEAD", "libs/x/.git/config",
}

var staying = []string{
	".git/hooks/pre-commit", ".git/HOOKS/post-checkout", ".git/Config", ".git/config.worktree", ".git/commondir", ".git/gitdir", ".git/worktrees/a/gitdir", ".git/modules/a/config", ".git/modules/a/hooks/x",
	".git/rebase-merge/git-rebase-todo", ".git/rebase-apply/x", ".git/sequencer/todo", ".git/remotes/origin", ".git/branches/origin", ".git/info/attributes", ".git/info/grafts", ".git/objects/info/alternates",
	".git/objects/info/http-alternates", ".git/objects/info/commit-graph", ".git/refs/replace/a", ".git/refs/.git/config", ".git/fsmonitor--daemon/x", ".git/HEAD2", "sub/.git", "libs/y/.git/hooks/x", "libs/z/.GIT/config", "libs/s/GIT~1/config", ".golem/x",
}

func fileNames(t *testing.T, tree fs.FS) []string {
	t.Helper()
	var out []string
	if err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// A project with its repository is packed and unpacked without files and settings that
// git on a person's computer would start or follow: only listed files of .git, and a
// configuration that is written anew (SECURITY 15, 17). A project without its repository
// is packed and unpacked without any .git.
func TestRepositoryTravels(t *testing.T) {
	var entries []entry
	disk := sandbox.Memory()
	for _, name := range slices.Concat(travelling, staying) {
		data := name
		if name == "config" || strings.HasSuffix(name, "/config") {
			data = hostileConfig
		}
		entries = append(entries, entry{name: "p/" + name, data: data})
		if err := disk.WriteFile(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := workspace.ZipRepository(workspace.Over(disk))
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(travelling))
	for what, zip := range map[string][]byte{"a zip from elsewhere": pack(t, entries...), "an export": out} {
		tree := sandbox.Memory()
		if err := workspace.UnzipRepository(workspace.Over(tree), zip); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := fileNames(t, tree); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
			t.Errorf("%s: %v\nwant %v", what, got, want)
		}
		for name, want := range map[string]string{".git/config": keptConfig, "libs/x/.git/config": keptConfig, ".github/config": hostileConfig, "config": hostileConfig} {
			if got, err := fs.ReadFile(tree, name); string(got) != want {
				t.Errorf("%s: %s: %v\n%s", what, name, err, got)
			}
		}
	}
	files, err := unpack(pack(t, entries...))
	if got := slices.Sorted(maps.Keys(files)); err != nil || !slices.Equal(got, []string{".github/config", ".gitmodules", "config", "main.worker"}) {
		t.Errorf("without the repository: %v, %v", got, err)
	}
	if files, err := unpack(pack(t, entry{name: ".git/HEAD", data: "x"}, entry{name: ".git/config", data: "x"})); err == nil || len(files) > 0 {
		t.Errorf("a repository alone is unpacked without its name: %v, %v", files, err)
	}
}

// keptLine matches every line that a written configuration may have.
var keptLine = regexp.MustCompile(`^(\[[a-z]+( "\w[^"\\\s]*")?\]|\t[a-z]+ = [^"\\#;<>\pC\p{Zl}\p{Zp}]+)$`)

// A written configuration has only simple lines, and writing it again changes nothing.
func FuzzGitConfig(f *testing.F) {
	f.Add(hostileConfig)
	f.Add("[core]\nbare=a\x00b\n[user]\nname=\u202ex\n[remote \"a\\\"]\nurl=https://a/b\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		once := workspace.Travelling(".git/config", []byte(text))
		if twice := workspace.Travelling(".git/config", once); string(once) != string(twice) {
			t.Errorf("%q\nand then %q", once, twice)
		}
		for line := range strings.Lines(string(once)) {
			if !keptLine.MatchString(strings.TrimSuffix(line, "\n")) || strings.Contains(line, "::") && strings.Contains(line, "url") {
				t.Errorf("the line %q", line)
			}
		}
	})
}
