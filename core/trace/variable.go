package trace

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// plainVariables are set in nearly every environment and never hold a secret.
var plainVariables = []string{
	"HOME", "USER", "LOGNAME", "USERNAME", "USERPROFILE", "USERDOMAIN", "PATH", "PWD", "OLDPWD", "SHELL", "TERM", "COLORTERM", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP",
	"EDITOR", "VISUAL", "PAGER", "HOSTNAME", "COMPUTERNAME", "DISPLAY", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "HOMEDRIVE", "HOMEPATH",
}

// PlainVariable reports whether a variable of the environment holds no secret: one that
// every environment has, such as HOME, or one that is not secret by name and holds a path,
// an address without a password, or a short name such as eu-west-1. Its value stands in
// answers and files for other reasons, too, where removing it would hide what they say.
func PlainVariable(name, value string) bool {
	upper := strings.ToUpper(name)
	if slices.Contains(plainVariables, upper) || strings.HasPrefix(upper, "LC_") || strings.HasPrefix(upper, "XDG_") {
		return true
	}
	if Ordinary(value) {
		return true
	}
	if secretFlag(name) {
		return false
	}
	return plainPath(value) || plainAddress(value) || len(value) <= 24 && plainName(value)
}

// plainPath reports whether a value is an absolute path without a part that looks like a key.
func plainPath(value string) bool {
	parts := strings.FieldsFunc(value, func(r rune) bool { return r == '/' || r == '\\' })
	drive := len(value) > 2 && value[1] == ':' && (value[2] == '\\' || value[2] == '/')
	if len(parts) == 0 || !drive && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "~/") || strings.ContainsAny(value, "?&=+") {
		return false
	}
	return len(parts) > 1 && !slices.ContainsFunc(parts, keyForm().MatchString) || !slices.ContainsFunc(parts, func(p string) bool { return !plainName(p) })
}

// plainAddress reports whether a value is an address that gives no access by itself.
func plainAddress(value string) bool {
	u, err := url.Parse(value)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	return !slices.ContainsFunc(strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' }), func(p string) bool { return !plainName(p) })
}

// plainName reports whether a text has only words of letters, and numbers of at most two
// digits between them, and at least one word.
func plainName(value string) bool {
	letters := false
	for _, w := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("-_. ", r) }) {
		number := len(w) <= 2 && !strings.ContainsFunc(w, func(r rune) bool { return r < '0' || r > '9' })
		version := len(w) == 2 && unicode.IsLetter(rune(w[0])) && w[1] >= '0' && w[1] <= '9' // v1
		if !number && !version && (!isWord(w) || len(w) >= shortWord) {
			return false
		}
		letters = letters || !number
	}
	return letters
}
