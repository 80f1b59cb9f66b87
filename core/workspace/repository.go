package workspace

import (
	"strings"
	"unicode/utf8"

	"golem/core/sandbox"
)

// ofGit finds the first element of a name that is .git in any spelling that a system may
// accept. dir is this element as it is spelled, and inside is the rest of the name after
// it. ok is false if there is no such element.
func ofGit(name string) (dir, inside string, ok bool) {
	for rest, more := name, true; more; {
		dir, rest, more = strings.Cut(rest, "/")
		if f := sandbox.Fold(dir); f == ".git" || strings.Contains(f, "~") && sandbox.Secret(f) { // GIT~1
			return dir, rest, true
		}
	}
	return "", "", false
}

// InGit reports whether a name is a .git, in any spelling, or is inside one.
func InGit(name string) bool {
	_, _, ok := ofGit(name)
	return ok
}

// listed reports whether a word is in a list that begins and ends with a space.
func listed(list, word string) bool {
	return !strings.Contains(word, " ") && strings.Contains(list, " "+word+" ")
}

// gitFiles are the files of .git that travel, in addition to objects, refs and their logs.
const gitFiles = " HEAD ORIG_HEAD MERGE_HEAD MERGE_MSG MERGE_MODE CHERRY_PICK_HEAD REVERT_HEAD config description index packed-refs shallow "

// Travels reports whether a file or directory is part of an export or import of a project
// with its repository. Of .git only listed files travel. Git creates the others again, or
// they belong to one computer, or they name programs that git would start (hooks,
// worktrees, submodules, the steps of a rebase, remotes of the old form). References to
// the objects of another repository (alternates) and replaced objects do not travel
// either, nor does golem's own state.
func Travels(name string, isDir bool) bool {
	dir, inside, git := ofGit(name)
	if !git || stateful(name) || dir != ".git" || InGit(inside) {
		return !git && !stateful(name)
	}
	first, rest, _ := strings.Cut(inside, "/")
	switch first {
	case "":
		return isDir // a file .git points to a directory elsewhere
	case "refs":
		return !sandbox.Within(sandbox.Fold(rest), "replace")
	case "logs", "reftable":
		return true
	case "info":
		return rest == "" || rest == "exclude"
	case "objects":
		sub, file, _ := strings.Cut(rest, "/")
		return len(sub) == 2 || rest == "" || sub == "pack" && (file == "" || strings.HasSuffix(file, ".pack") || strings.HasSuffix(file, ".idx"))
	}
	return rest == "" && !isDir && (listed(gitFiles, first) || strings.HasPrefix(first, "sharedindex."))
}

// Travelling returns the content with which a file is exported or imported. For the
// configuration of a repository that is only the settings that start no program and
// refer to no other place on the computer. All other content is unchanged.
func Travelling(name string, data []byte) []byte {
	if _, inside, _ := ofGit(name); inside == "config" {
		return gitConfig(string(data))
	}
	return data
}

// gitConfig writes a new configuration of git with the allowed settings of a text. It
// copies only values of a few simple forms, so that a text that git would read in
// another way does no harm.
func gitConfig(text string) []byte {
	var out []byte
	section, head := "", ""
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") {
			section, head = gitSection(line), line+"\n"
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		if value != "" && gitSetting(section+"."+key, value) {
			out = append(out, head+"\t"+key+" = "+value+"\n"...)
			head = ""
		}
	}
	return out
}

// gitSection returns the name of the section that a line begins, without its subsection,
// or "" if the section is not kept.
func gitSection(line string) string {
	name, sub, named := strings.Cut(strings.TrimSuffix(line[1:], "]"), ` "`)
	if !strings.HasSuffix(line, "]") || named != (name == "remote" || name == "branch") || named && (!strings.HasSuffix(sub, `"`) || !gitWord(sub[:len(sub)-1])) {
		return ""
	}
	return name
}

// gitPlain reports whether a text is UTF-8 and contains no character of bad and no
// control or invisible character.
func gitPlain(s, bad string) bool {
	for _, r := range s {
		if r < ' ' || r >= 0x7f && r <= 0xa0 || r >= 0x2000 && r <= 0x206f || r == 0xfeff {
			return false
		}
	}
	return utf8.ValidString(s) && !strings.ContainsAny(s, bad)
}

// gitWord reports whether a text is a simple name, such as the name of a branch.
func gitWord(s string) bool {
	return s != "" && s[0] != '-' && gitPlain(s, " !\"#$%&'()*,:;<=>?[\\]^`{|}~")
}

// gitWords are the settings whose value is a word.
const gitWords = " core.repositoryformatversion core.bare core.filemode core.ignorecase core.symlinks core.precomposeunicode core.logallrefupdates core.autocrlf core.eol extensions.objectformat extensions.refstorage "

// gitSetting reports whether a setting with this value is kept. name is the section and
// the key, without the subsection.
func gitSetting(name, value string) bool {
	switch name {
	case "user.name", "user.email":
		return gitPlain(value, "\"\\#;<>")
	case "branch.remote":
		return gitWord(value) && !strings.Contains(value, "/") && !strings.HasPrefix(value, "..")
	case "branch.merge":
		return strings.HasPrefix(value, "refs/heads/") && gitWord(value)
	case "remote.fetch":
		from, to, _ := strings.Cut(strings.TrimPrefix(value, "+"), ":")
		return strings.HasPrefix(from, "refs/") && strings.HasPrefix(to, "refs/remotes/") && gitWord(strings.ReplaceAll(from+to, "*", "x"))
	case "remote.url":
		return gitAddress(value)
	}
	return listed(gitWords, name) && gitWord(value) && !strings.ContainsAny(value, "/.@+")
}

// gitAddress reports whether a value is an address of https, http, git or ssh without
// a password. An address that starts a program (ext::), a file of the computer or an
// option is not.
func gitAddress(s string) bool {
	scheme, rest, url := strings.Cut(s, "://")
	host, at, ok := strings.Cut(rest, "/")
	if !url {
		scheme = "ssh"
		host, at, ok = strings.Cut(s, ":")
		ok = ok && len(host) > 1 // C:/a is a file
	}
	if user, name, has := strings.Cut(host, "@"); has {
		ok = ok && scheme == "ssh" && gitWord(user)
		host = name
	}
	host, port, _ := strings.Cut(host, ":")
	return ok && listed(" https http git ssh ", scheme) && gitWord(host) && !strings.Contains(host, "/") && strings.Trim(port, "0123456789") == "" && gitWord(strings.TrimPrefix(at, "~"))
}
