package main

import (
	"bytes"
	"cmp"
	"path/filepath"
	"strings"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"

	"golem/core/clearance"
	"golem/core/sandbox"
)

// gitBranch opens a branch that staged items are pushed to (core.Platform.Git).
func (h *host) gitBranch(files sandbox.FS, dir, branch string) (clearance.Branch, error) {
	b, err := openBranch(files, dir, branch, h.gitPerson)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// gitPerson is who makes a commit, as git would say it: from the environment, the
// repository, the person's own configuration; else golem.
func (h *host) gitPerson(repository *gitconfig.Config) string {
	name, mail := gitClean(h.env["GIT_AUTHOR_NAME"]), gitClean(h.env["GIT_AUTHOR_EMAIL"])
	for _, c := range append([]*gitconfig.Config{repository}, h.gitConfigs()...) {
		user := c.Section("user")
		name, mail = cmp.Or(name, gitClean(user.Option("name"))), cmp.Or(mail, gitClean(user.Option("email")))
	}
	return cmp.Or(name, "golem") + " <" + cmp.Or(mail, "golem@localhost") + ">"
}

// gitConfigs are the person's own configurations, the stronger one first. One that
// cannot be read says nothing.
func (h *host) gitConfigs() (out []*gitconfig.Config) {
	var names []string
	if home := h.userHome(); filepath.IsAbs(home) {
		names = []string{filepath.Join(home, ".gitconfig"), filepath.Join(cmp.Or(h.env["XDG_CONFIG_HOME"], filepath.Join(home, ".config")), "git", "config")}
	}
	if own := h.env["GIT_CONFIG_GLOBAL"]; own != "" {
		names = []string{own}
	}
	for _, name := range names {
		data, err := readHomeFile(name)
		c := gitconfig.New()
		if err == nil && gitconfig.NewDecoder(bytes.NewReader(data)).Decode(c) == nil {
			out = append(out, c)
		}
	}
	return out
}

// gitClean leaves out what ends a name in a commit.
func gitClean(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '<' || r == '>' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "")))
}
