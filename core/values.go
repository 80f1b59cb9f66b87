package core

import (
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
)

// values gives a project's tools and servers the person's values that its files name, and
// removes them from everything that leaves golem (SECURITY 16).
type values struct {
	env   map[string]string
	store SecretStore // nil: there is none
	secrets
}

var _ run.Values = (*values)(nil)

// Value returns the text of a value in a toolset's options. If the text is from the person's
// environment or secrets, it is redacted everywhere from then on.
func (s *values) Value(v tool.Value) (string, error) {
	value := ""
	switch {
	case v.Env != "":
		if value = s.env[v.Env]; value == "" {
			return "", fault.New(fault.NotFound, "the environment variable %s is not set", v.Env).
				Hinting("set it before golem is started; in the page, use {secret: NAME}")
		}
	case v.Secret != "":
		if s.store == nil {
			return "", fault.New(fault.NotFound, "there is nowhere to keep secrets").Hinting("set GOLEM_HOME to a directory of your own")
		}
		kept, ok, err := s.store.Secret(v.Secret)
		switch {
		case err != nil:
			return "", fault.Of(err, fault.NotFound)
		case !ok:
			return "", fault.New(fault.NotFound, "you have no secret named %s: set it with golem secret set %[1]s, in the page under Settings", v.Secret)
		}
		if value = kept; len(strings.TrimSpace(value)) < trace.MinSecret {
			return "", fault.New(fault.Config, "the secret %s has fewer than %d bytes, so golem could not remove it from outputs and traces", v.Secret, trace.MinSecret).
				Hinting("use a longer value: golem secret set %s, in the page under Settings", v.Secret)
		}
	default:
		return v.Text, nil
	}
	if v.Secret != "" || !trace.PlainVariable(v.Env, value) { // a variable may name a place; a secret is one because the person keeps it
		s.Hide(value)
	}
	return value, nil
}

// Key returns a secret that the person keeps, for a provider's key; "" if there is none, or it
// cannot be read.
func (s *values) Key(name string) string {
	if s.store == nil {
		return ""
	}
	value, ok, err := s.store.Secret(name)
	if value = strings.TrimSpace(value); err != nil || !ok || value == "" {
		return ""
	}
	s.add(value)
	return value
}

// Given returns the redactor of the values that tools and servers got.
func (s *values) Given() *trace.Redactor { return s.ofGiven.Load() }

// IsSecret reports whether a text contains a known secret, or what looks like a key.
func (s *values) IsSecret(text string) bool {
	return s.Redact(text) != text || trace.LooksLikeKey(text)
}

// personSecrets returns the secrets that the person keeps (golem secret set), also those that
// the project does not name: a tool may find them by other ways. A fault says that some could
// not be read, so that golem cannot remove them.
func (s *values) personSecrets() ([]string, *fault.Fault) {
	if s.store == nil {
		return nil, nil
	}
	values, err := s.store.Values()
	if err == nil {
		return slices.DeleteFunc(values, trace.Ordinary), nil
	}
	return slices.DeleteFunc(values, trace.Ordinary), fault.Warn(fault.NotFound, "some of your secrets cannot be read, so golem cannot remove them from outputs and traces: %s", fault.Of(err, fault.NotFound).Message).
		Hinting("unlock the keyring, or remove the secrets that you no longer use with golem secret remove")
}

// redact removes known secrets from the result that a front end prints.
func (s *values) redact(res run.Result) run.Result {
	red := s.now()
	res.Output.Text, res.Output.Summary, res.Output.Data = red.String(res.Output.Text), red.String(res.Output.Summary), red.Bytes(res.Output.Data)
	res.Error = redacted(red, res.Error)
	for n := range res.Failed {
		res.Failed[n].Error = redacted(red, res.Failed[n].Error)
	}
	return res
}

func redacted(red *trace.Redactor, f *fault.Fault) *fault.Fault {
	if f == nil {
		return nil
	}
	return f.Mapped(red.String)
}
