package gitrepo

import (
	"bytes"
	"cmp"
	"strings"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"

	"golem/core/sandbox"
)

// Person returns "NAME <MAIL>" for the author of a commit: from GIT_AUTHOR_NAME and
// GIT_AUTHOR_EMAIL in env, otherwise from the first of configs that has it (pass the
// repository's configuration first, then the person's own), otherwise golem's.
func Person(env map[string]string, configs ...*gitconfig.Config) string {
	name, mail := clean(env["GIT_AUTHOR_NAME"]), clean(env["GIT_AUTHOR_EMAIL"])
	for _, c := range configs {
		user := c.Section("user")
		name, mail = cmp.Or(name, clean(user.Option("name"))), cmp.Or(mail, clean(user.Option("email")))
	}
	return cmp.Or(name, "golem") + " <" + cmp.Or(mail, "golem@localhost") + ">"
}

// OpenAs opens a branch as Open does, for a person with this environment and no
// configuration of their own.
func OpenAs(env map[string]string, files sandbox.FS, dir, branch string) (*Branch, error) {
	return Open(files, dir, branch, func(repository *gitconfig.Config) string { return Person(env, repository) })
}

// Config parses a configuration file of git.
func Config(data []byte) (*gitconfig.Config, error) {
	c := gitconfig.New()
	return c, gitconfig.NewDecoder(bytes.NewReader(data)).Decode(c)
}

// clean removes the characters that would end a name in a commit.
func clean(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '<' || r == '>' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "")))
}
