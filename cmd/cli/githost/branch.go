package githost

import (
	"path/filepath"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"

	"golem/core/clearance"
	"golem/core/gitrepo"
	"golem/core/sandbox"

	"golem/cmd/cli/console"
	"golem/cmd/cli/home"
)

// Branches returns the function that opens the git branch to which staged items are
// pushed (core.Platform.Git). With secrets, which may be nil, it is sent to other repositories.
func Branches(c *console.Console, secrets Secrets) func(files sandbox.FS, dir, branch string) (clearance.Branch, error) {
	return func(files sandbox.FS, dir, branch string) (clearance.Branch, error) {
		b, err := gitrepo.Open(files, dir, branch, func(repository *gitconfig.Config) string {
			return gitrepo.Person(c.Env, append([]*gitconfig.Config{repository}, gitConfigs(c)...)...)
		})
		if err != nil {
			return nil, err
		}
		return sendingBranch{b, personGit{c.Env, secrets}, files, branch}, nil
	}
}

// gitConfigs returns the person's own git configurations, the one with precedence
// first. A file that cannot be read is skipped.
func gitConfigs(c *console.Console) (out []*gitconfig.Config) {
	var names []string
	if home := c.Env.User(); filepath.IsAbs(home) {
		names = []string{filepath.Join(home, ".gitconfig"), filepath.Join(gitXDG(c.Env["XDG_CONFIG_HOME"], home), "git", "config")}
	}
	if own := c.Env["GIT_CONFIG_GLOBAL"]; own != "" {
		names = []string{own}
	}
	for _, name := range names {
		data, err := home.ReadFile(name)
		if err != nil {
			continue
		}
		if config, err := gitrepo.Config(data); err == nil {
			out = append(out, config)
		}
	}
	return out
}

func gitXDG(named, home string) string {
	if named != "" {
		return named
	}
	return filepath.Join(home, ".config")
}
