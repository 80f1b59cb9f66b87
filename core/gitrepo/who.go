package gitrepo

import (
	"bytes"
	"cmp"
	"strings"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"

	"golem/core/sandbox"
)

// Person is who makes a commit, as git would say it: from the environment, the
// configuration of the repository, the person's own, the stronger one first; else
// golem.
func Person(env map[string]string, configs ...*gitconfig.Config) string {
	name, mail := clean(env["GIT_AUTHOR_NAME"]), clean(env["GIT_AUTHOR_EMAIL"])
	for _, c := range configs {
		user := c.Section("user")
		name, mail = cmp.Or(name, clean(user.Option("name"))), cmp.Or(mail, clean(user.Option("email")))
	}
	return cmp.Or(name, "golem") + " <" + cmp.Or(mail, "golem@localhost") + ">"
}

// OpenAs is Open for a person of whom only the environment is known.
func OpenAs(env map[string]string, files sandbox.FS, dir, branch string) (*Branch, error) {
	return Open(files, dir, branch, func(repository *gitconfig.Config) string { return Person(env, repository) })
}

// Config reads a configuration of git.
func Config(data []byte) (*gitconfig.Config, error) {
	c := gitconfig.New()
	return c, gitconfig.NewDecoder(bytes.NewReader(data)).Decode(c)
}

// clean leaves out what ends a name in a commit.
func clean(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '<' || r == '>' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "")))
}
