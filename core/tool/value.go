package tool

import (
	"encoding/json"
	"errors"
	"regexp"
)

// Value is a text of configuration: written in the file, or kept by the person
// under a name, {env: NAME} or {secret: NAME}. At most one field is set (SPEC §3).
type Value struct {
	Text   string
	Env    string // name of an environment variable of the person
	Secret string // name in the person's store (golem secret set)
}

// Kept reports whether the text is not in the file but with the person.
func (v Value) Kept() bool { return v.Env != "" || v.Secret != "" }

// String returns what the file says. It never has the value that a person keeps.
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
	secretName   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
)

// ValidSecret reports whether a name can be that of a secret: a letter, then
// letters, digits, _ . and -, at most 64.
func ValidSecret(name string) bool { return secretName.MatchString(name) }

// ValidVariable reports whether a name can be that of an environment variable.
func ValidVariable(name string) bool { return variableName.MatchString(name) }
