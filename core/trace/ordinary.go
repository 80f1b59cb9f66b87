package trace

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shortWord is the length in bytes below which letters alone are an ordinary word and no
// secret.
const shortWord = 16

// dummies are values that people set where a program wants a key and the server needs none.
var dummies = []string{
	"ollama", "lmstudio", "llamacpp", "localhost", "dummy", "dummykey", "fakekey", "nokey", "nothing", "notneeded", "notrequired", "notused", "unused", "testing", "testkey", "example", "sample", "placeholder", "changeme", "default", "apikey", "secret", "password", "anonymous", "unknown",
	"yourapikey", "yourapikeyhere", "yourkeyhere", "youropenaiapikey", "insertyourapikeyhere", "putyourkeyhere", "replacewithyourkey", "nokeyrequired", "noapikeyrequired", "noapikeyneeded",
	"sknokeyrequired", "skdummydummydummy", "notneededforlocal", "placeholderapikey", "dummyapikeyforlocal", "sk1234", "sk123", "test123", "key123", "apikey123", "password123",
}

// isDummy reports whether a value is no secret whatever its name: it is too short, or one of
// the values that people write where nothing is needed, such as changeme or xxxxxx.
func isDummy(value string) bool {
	value = strings.TrimSpace(value)
	if len(value) < MinSecret {
		return true
	}
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. <>[]{}$", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, value)
	return slices.Contains(dummies, plain) || strings.Trim(plain, plain[:min(1, len(plain))]) == "" || strings.HasPrefix("1234567890", plain) || strings.HasPrefix("0123456789", plain)
}

// Ordinary reports whether a value is no secret although its name says so: a dummy such as
// ollama, not-needed or xxxx, or an ordinary word such as engineering. It stands in answers
// and files for other reasons, too, where removing it would hide what they say.
func Ordinary(value string) bool {
	if value = strings.TrimSpace(value); isDummy(value) || len(value) >= shortWord {
		return isDummy(value)
	}
	words := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("-_. ", r) })
	return !slices.ContainsFunc(words, func(w string) bool { return !isWord(w) })
}

// isWord reports whether a text has only letters, with capitals only at its beginning or
// everywhere.
func isWord(w string) bool {
	if strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return false
	}
	_, first := utf8.DecodeRuneInString(w)
	return strings.ToUpper(w) == w || strings.ToLower(w[first:]) == w[first:]
}

// SecretValue reports whether a configuration value is a secret, judging by its name or by
// its form (at least 20 bytes with letters and digits, without spaces, not an address).
// Ordinary values, such as an address or a language, are none, because answers may contain
// them.
func SecretValue(name, value string) bool {
	lower := strings.ToLower(name)
	password := slices.ContainsFunc([]string{"pass", "pwd", "secret"}, func(w string) bool { return strings.Contains(lower, w) })
	if isDummy(value) || !password && Ordinary(value) { // a password may be a word
		return false
	}
	if SecretName(name) || KeyVariable("_"+name) || KeyVariable(strings.ReplaceAll("_"+name, "-", "_")) {
		return true
	}
	return len(value) >= 20 && !strings.Contains(value, "://") && !strings.ContainsFunc(value, unicode.IsSpace) &&
		strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsFunc(value, unicode.IsLetter)
}

// HeaderSecrets returns what is secret of an HTTP header: its value, and the key after a
// scheme such as Bearer, which may stand elsewhere by itself. A header such as User-Agent,
// or one that names an organisation, has none.
func HeaderSecrets(name, value string) []string {
	scheme, key, ok := strings.Cut(strings.TrimSpace(value), " ")
	if key = strings.TrimSpace(key); !ok || strings.Contains(key, " ") || strings.ContainsFunc(scheme, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if SecretValue(name, value) {
			return []string{value}
		}
		return nil
	}
	if !SecretValue(name, key) {
		return nil
	}
	return []string{value, key}
}
