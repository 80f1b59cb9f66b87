package trace

import (
	"strings"
	"unicode"
)

// keyPrefixes are the beginnings of keys and tokens that services give out.
var keyPrefixes = []string{
	"sk-", "sk_live_", "sk_test_", "rk_live_", "pk_live_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-", "xapp-",
	"AKIA", "ASIA", "AIza", "ya29.", "gsk_", "hf_", "xai-", "r8_", "npm_", "pypi-", "dop_v1_", "SG.", "eyJ",
}

// minKeyLike is the least length, in bytes, of a text without spaces that can look like a
// key.
const minKeyLike = 20

// LooksLikeKey reports whether a text that a person typed contains what may be a key, a
// token or a private key. It cannot recognise a password of a few words. Digests in hex,
// UUIDs, paths and addresses do not count.
func LooksLikeKey(text string) bool {
	if strings.Contains(text, "PRIVATE KEY-----") {
		return true
	}
	for _, word := range strings.Fields(text) {
		word = strings.Trim(word, `"'`+"`,;:()[]{}<>.")
		if _, value, assigned := strings.Cut(word, "="); assigned && keyLike(value) {
			return true
		}
		if keyLike(word) {
			return true
		}
	}
	return false
}

func keyLike(word string) bool {
	if len(word) < minKeyLike {
		return false
	}
	for _, p := range keyPrefixes {
		if strings.HasPrefix(word, p) {
			return true
		}
	}
	var upper, lower, digit, hex bool
	hex = true
	for _, r := range word {
		switch {
		case r > unicode.MaxASCII, strings.ContainsRune("/:@.\\", r):
			return false
		case unicode.IsUpper(r):
			upper = true
		case unicode.IsLower(r):
			lower = true
		case unicode.IsDigit(r):
			digit = true
		}
		hex = hex && strings.ContainsRune("0123456789abcdefABCDEF-", r)
	}
	return upper && lower && digit && !hex && len(word) >= 24
}
