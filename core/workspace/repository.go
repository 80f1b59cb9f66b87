package workspace

import (
	"strings"
	"unicode/utf8"

	"golem/core/sandbox"
)

// ofGit is the path of a name in the directory that git takes for a repository, at any
// depth and however that is spelled; ok is false if it is in none.
func ofGit(name string) (dir, inside string, ok bool) {
	for rest, more := name, true; more; {
		dir, rest, more = strings.Cut(rest, "/")
		if f := sandbox.Fold(dir); f == ".git" || strings.Contains(f, "~") && sandbox.Secret(f) { // GIT~1
			return dir, rest, true
		}
	}
	return "", "", false
}

// InGit reports whether a name is git's own, or in what is.
func InGit(name string) bool {
	_, _, ok := ofGit(name)
	return ok
}

// listed reports whether a word is in a list that begins and ends with a space.
func listed(list, word string) bool {
	return !strings.Contains(word, " ") && strings.Contains(list, " "+word+" ")
}

// gitFiles are the files of .git that travel, beside objects, branches and their logs.
const gitFiles = " HEAD ORIG_HEAD MERGE_HEAD MERGE_MSG MERGE_MODE CHERRY_PICK_HEAD REVERT_HEAD config description index packed-refs shallow "

// Travels reports whether a file or directory may come or go with a project of which
// the repository comes too. Of .git that is a list: all else is made anew by git,
// belongs to one computer, or names programs that git starts there (hooks, worktrees,
// submodules, the steps of a rebase, remotes of the old form). Objects of another
// repository and replaced ones stay behind too. golem's own state never travels.
func Travels(name string, isDir bool) bool {
	dir, inside, git := ofGit(name)
	if !git || stateful(name) || dir != ".git" || InGit(inside) {
		return !git && !stateful(name)
	}
	first, rest, _ := strings.Cut(inside, "/")
	switch first {
	case "":
		return isDir // a file .git names a directory that lies elsewhere
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

// Travelling is the content that a file comes or goes with: of a repository's
// configuration only settings that start no program and lead nowhere else.
func Travelling(name string, data []byte) []byte {
	if _, inside, _ := ofGit(name); inside == "config" {
		return gitConfig(string(data))
	}
	return data
}

// gitConfig writes a configuration of git anew. Nothing is copied but values of a
// few plain forms, so a text that git reads otherwise does no harm.
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

// gitSection is the kind of a section; "" if it is not one that is kept.
func gitSection(line string) string {
	name, sub, named := strings.Cut(strings.TrimSuffix(line[1:], "]"), ` "`)
	if !strings.HasSuffix(line, "]") || named != (name == "remote" || name == "branch") || named && (!strings.HasSuffix(sub, `"`) || !gitWord(sub[:len(sub)-1])) {
		return ""
	}
	return name
}

// gitPlain reports whether a text has no character of bad, and none that is not shown.
func gitPlain(s, bad string) bool {
	for _, r := range s {
		if r < ' ' || r >= 0x7f && r <= 0xa0 || r >= 0x2000 && r <= 0x206f || r == 0xfeff {
			return false
		}
	}
	return utf8.ValidString(s) && !strings.ContainsAny(s, bad)
}

// gitWord reports whether a text is a plain name, such as that of a branch.
func gitWord(s string) bool {
	return s != "" && s[0] != '-' && gitPlain(s, " !\"#$%&'()*,:;<=>?[\\]^`{|}~")
}

// gitWords are the settings whose value is a word.
const gitWords = " core.repositoryformatversion core.bare core.filemode core.ignorecase core.symlinks core.precomposeunicode core.logallrefupdates core.autocrlf core.eol extensions.objectformat extensions.refstorage "

// gitSetting reports whether a setting is kept.
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
// a password. What git would run as a program (ext::), a file of the computer and an
// option are not.
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
