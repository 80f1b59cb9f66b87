package trace

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// SecretParts returns, for each argument of a command line, the part of it that is a
// secret: what follows a flag with a secret name (--api-key K, --token=K), the password
// and the secret fields of an address, and what looks like a key. "" means that the
// argument has none.
func SecretParts(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		name, value, given := strings.Cut(arg, "=")
		flag := strings.HasPrefix(name, "-")
		switch {
		case given && secretFlag(name):
			out[i] = value
		case i > 0 && !flag && strings.HasPrefix(args[i-1], "-") && !strings.Contains(args[i-1], "=") && secretFlag(args[i-1]):
			out[i] = arg
		case keyForm().MatchString(arg):
			out[i] = arg
		case given && keyForm().MatchString(value):
			out[i] = value
		default:
			out[i] = addressSecret(arg)
		}
	}
	return out
}

// keyForm matches what looks like a key: the prefixes of well-known vendors, and one long
// word of letters and digits.
var keyForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:sk-|sk_|pk_live_|rk_live_|gh[opsu]_|github_pat_|glpat-|xox[abeprs]-|AKIA|AIza|figd_|npm_|hf_|r8_|dop_v1_|eyJ[A-Za-z0-9_-]{8,}\.)[A-Za-z0-9._-]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[A-Za-z]*[0-9][A-Za-z0-9]{31,})$`)
})

// secretFlag reports whether the name of a flag, or of a variable before =, says that its
// value is secret.
func secretFlag(name string) bool {
	name = strings.TrimLeft(name, "-")
	return SecretName(name) || KeyVariable("_"+strings.ReplaceAll(name, "-", "_")) || name == "key"
}

// addressSecret returns the password in an address, or the part of its query that has
// secrets.
func addressSecret(arg string) string {
	at := strings.Index(arg, "://")
	if at < 0 {
		return ""
	}
	from := strings.LastIndexAny(arg[:at], "= ,") + 1
	u, err := url.Parse(arg[from:])
	if err != nil {
		return ""
	}
	if _, has := u.User.Password(); has {
		rest := arg[at+3:]
		_, password, _ := strings.Cut(rest[:strings.LastIndexByte(rest, '@')], ":")
		return password
	}
	for name := range u.Query() {
		if secretFlag(name) {
			return u.RawQuery
		}
	}
	return ""
}
