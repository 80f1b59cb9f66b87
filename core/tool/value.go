package tool

import (
	"encoding/json"
	"errors"
	"regexp"
	"sync"
)

// Value is a text in a configuration file (SPEC §3). The file has either the text itself,
// or the name of an environment variable or secret of the person, {env: NAME} or
// {secret: NAME}. At most one field is set.
type Value struct {
	Text   string
	Env    string // name of an environment variable of the person
	Secret string // name in the person's store (golem secret set)
}

// Kept reports whether the text is not in the file, but in an environment variable or
// secret of the person.
func (v Value) Kept() bool { return v.Env != "" || v.Secret != "" }

// String returns the text in the file. It never contains the value of a secret or
// environment variable.
func (v Value) String() string {
	switch {
	case v.Secret != "":
		return "{secret: " + v.Secret + "}"
	case v.Env != "":
		return "{env: " + v.Env + "}"
	}
	return v.Text
}

// UnmarshalJSON reads a text, {"env": NAME} or {"secret": NAME}.
func (v *Value) UnmarshalJSON(raw []byte) error {
	*v = Value{}
	if json.Unmarshal(raw, &v.Text) == nil {
		return nil
	}
	var ref map[string]string
	err := json.Unmarshal(raw, &ref)
	v.Env, v.Secret = ref["env"], ref["secret"]
	if err != nil || len(ref) != 1 || !ValidVariable(v.Env) && !ValidSecret(v.Secret) {
		return errors.New("write a text, {env: NAME} or {secret: NAME}")
	}
	return nil
}

var (
	secretName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`) })
	variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`) })
)

// ValidSecret reports whether a secret can have this name: a letter, then letters,
// digits, _, . and -, at most 64 characters of ASCII.
func ValidSecret(name string) bool { return secretName().MatchString(name) }

// ValidVariable reports whether an environment variable can have this name: letters,
// digits and _, no digit first, at most 128 characters of ASCII.
func ValidVariable(name string) bool { return variableName().MatchString(name) }

// Redactor removes secrets from texts. It is safe for concurrent use.
type Redactor interface {
	Redact(text string) string
}

// NoSecrets is a Redactor that knows no secrets.
type NoSecrets struct{}

// Redact returns the text unchanged.
func (NoSecrets) Redact(text string) string { return text }
