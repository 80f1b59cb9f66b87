package githost

import (
	"errors"
	"path/filepath"
	"strings"

	"golem/core/gitrepo"
	"golem/core/sandbox"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/home"
)

// Person returns what this machine knows of git: the person's ignore file and the
// repositories of working trees.
func Person(c *console.Console) gitrepo.Machine {
	return gitrepo.Machine{Outside: outside{c}}
}

// outside is what this machine knows of git.
type outside struct{ console *console.Console }

// Ignores returns the person's own ignore file: core.excludesFile of the person's
// configuration, otherwise git/ignore in $XDG_CONFIG_HOME. The configuration of a
// repository has no effect, so that it cannot name a file of this machine.
func (o outside) Ignores() []byte {
	c := o.console
	user, name := c.Env.User(), ""
	if filepath.IsAbs(user) {
		name = filepath.Join(gitXDG(c.Env["XDG_CONFIG_HOME"], user), "git", "ignore")
	}
	for _, config := range gitConfigs(c) {
		if core := config.Section("core"); core.HasOption("excludesfile") {
			name = core.Option("excludesfile")
			break
		}
	}
	if rest, below := strings.CutPrefix(name, "~/"); below {
		name = filepath.Join(user, rest)
	}
	if !filepath.IsAbs(name) {
		return nil
	}
	data, err := home.ReadFile(name)
	if err != nil {
		return nil // as git, which goes on without it
	}
	return data
}

// Linked opens the repository to which a working tree belongs, if the
// repository says so itself: its owner made the working tree with git worktree.
func (outside) Linked(tree, gitdir string) (sandbox.FS, string, error) {
	if !filepath.IsAbs(gitdir) {
		gitdir = filepath.Join(tree, gitdir)
	}
	gitdir, err := filepath.EvalSymlinks(gitdir)
	list, name := filepath.Dir(gitdir), filepath.Base(gitdir)
	if err != nil || filepath.Base(list) != "worktrees" {
		return nil, "", errors.New("its .git is a file that names no working tree of a repository")
	}
	files, err := osfs.Open(filepath.Dir(list))
	if err != nil {
		return nil, "", errors.New("its .git is a file, and the repository that it names cannot be read")
	}
	own := "worktrees/" + name
	back, err := sandbox.ReadFile(files, own+"/gitdir", 4096)
	common, err2 := sandbox.ReadFile(files, own+"/commondir", 4096)
	to := strings.TrimSpace(string(back))
	if !filepath.IsAbs(to) {
		to = filepath.Join(gitdir, to)
	}
	dir, err3 := filepath.EvalSymlinks(filepath.Dir(to))
	if errors.Join(err, err2, err3) != nil || strings.TrimSpace(string(common)) != "../.." || filepath.Base(to) != ".git" || filepath.ToSlash(dir) != tree {
		return nil, "", errors.Join(errors.New("its .git is a file, and the repository that it names does not know this working tree"), files.Close())
	}
	return files, own, nil
}
