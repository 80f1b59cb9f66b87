package main

import (
	"path/filepath"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"

	"golem/core/clearance"
	"golem/core/gitrepo"
	"golem/core/sandbox"
)

// gitBranch opens the git branch to which staged items are pushed (core.Platform.Git).
func (h *host) gitBranch(files sandbox.FS, dir, branch string) (clearance.Branch, error) {
	b, err := gitrepo.Open(files, dir, branch, func(repository *gitconfig.Config) string {
		return gitrepo.Person(h.env, append([]*gitconfig.Config{repository}, h.gitConfigs()...)...)
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// gitConfigs returns the person's own git configurations, the one with precedence
// first. A file that cannot be read is skipped.
func (h *host) gitConfigs() (out []*gitconfig.Config) {
	var names []string
	if home := h.userHome(); filepath.IsAbs(home) {
		names = []string{filepath.Join(home, ".gitconfig"), filepath.Join(gitXDG(h.env["XDG_CONFIG_HOME"], home), "git", "config")}
	}
	if own := h.env["GIT_CONFIG_GLOBAL"]; own != "" {
		names = []string{own}
	}
	for _, name := range names {
		data, err := readHomeFile(name)
		if err != nil {
			continue
		}
		if c, err := gitrepo.Config(data); err == nil {
			out = append(out, c)
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
