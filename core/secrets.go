package core

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/tool"
	"golem/core/trace"
)

// SecretStore has values that a person keeps under names. It is safe for concurrent
// use.
type SecretStore interface {
	Secret(name string) (value string, ok bool, err error) // ok is false if there is none of that name
	Values() ([]string, error)                             // all of them
}

// SecretMap is a store in memory.
type SecretMap map[string]string

var _ SecretStore = SecretMap(nil)

// Secret returns the value of a name.
func (m SecretMap) Secret(name string) (value string, ok bool, err error) {
	value, ok = m[name]
	return value, ok, nil
}

// Values returns all values.
func (m SecretMap) Values() ([]string, error) { return slices.Collect(maps.Values(m)), nil }

// secrets are the values that must not leave golem, and the redactor that
// removes them. They grow as files are read; the redactor then is a new one.
type secrets struct {
	mu       sync.Mutex
	known    []string
	redactor atomic.Pointer[trace.Redactor]
	// given are values of the person's that a project's tools were given, and the
	// redactor of them alone: models do not read these either.
	given   []string
	ofGiven atomic.Pointer[trace.Redactor]
}

// give makes a value known that a tool is about to get.
func (s *secrets) give(value string) {
	s.add(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.given, value) {
		s.given = append(s.given, value)
		s.ofGiven.Store(trace.NewRedactor(s.given).OnlyValues())
	}
}

// now is the redactor of everything that is known so far.
func (s *secrets) now() *trace.Redactor { return s.redactor.Load() }

// value returns the text of a value in a toolset's options. What a person keeps is
// redacted everywhere from then on (SECURITY 16).
func (i *Instance) value(v tool.Value) (string, error) {
	value := ""
	switch {
	case v.Env != "":
		if value = i.platform.Env[v.Env]; value == "" {
			return "", fault.New(fault.NotFound, "the environment variable %s is not set", v.Env).
				Hinting("set it before golem is started; in the page, use {secret: NAME}")
		}
	case v.Secret != "":
		if i.platform.Store == nil {
			return "", fault.New(fault.NotFound, "there is nowhere to keep secrets").Hinting("set GOLEM_HOME to a directory of your own")
		}
		kept, ok, err := i.platform.Store.Secret(v.Secret)
		switch {
		case err != nil:
			return "", fault.Of(err, fault.NotFound)
		case !ok:
			return "", fault.New(fault.NotFound, "you have no secret named %s: set it with golem secret set %[1]s, in the page under Settings", v.Secret)
		}
		if value = kept; len(strings.TrimSpace(value)) < trace.MinSecret {
			return "", fault.New(fault.Config, "the secret %s has fewer than %d bytes, and golem cannot keep so short a value out of other texts", v.Secret, trace.MinSecret)
		}
	default:
		return v.Text, nil
	}
	i.secrets.give(value)
	return value, nil
}

// add makes further values known to the redactor.
func (s *secrets) add(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.known)
	for _, v := range values {
		if !slices.Contains(s.known, v) {
			s.known = append(s.known, v)
		}
	}
	if len(s.known) > before || s.redactor.Load() == nil {
		s.redactor.Store(trace.NewRedactor(s.known))
	}
}

// text removes the secrets from a text.
func (s *secrets) text(t string) string { return s.redactor.Load().String(t) }

// platformSecrets are the platform's own secrets, and the values of every
// variable that holds a key.
func platformSecrets(p Platform) []string {
	out := slices.Clone(p.Secrets)
	for name, v := range p.Env {
		if trace.KeyVariable(name) {
			out = append(out, v)
		}
	}
	for _, row := range model.Rows() {
		for _, key := range row.Keys() {
			out = append(out, p.Env[key])
		}
	}
	for _, v := range p.DotEnv {
		out = append(out, v)
	}
	return out
}

// moduleSecrets are the secrets of an entry's closure: the configuration values of
// its modules that look like keys (SECURITY 16).
func moduleSecrets(p *project.Project, entry *project.Worker) []string {
	closure, err := p.Closure(entry)
	if err != nil {
		closure = []*project.Worker{entry}
	}
	var out []string
	for _, w := range closure {
		for _, c := range p.ModuleConfig(w) {
			if secretValue(c.Key, c.Value) {
				out = append(out, c.Value)
			}
		}
		for _, one := range p.ServerValues(w) {
			if one.Key == "headers" || secretValue(one.Key, one.Value) {
				out = append(out, one.Value)
			}
		}
	}
	return out
}

// secretValue tells a key from ordinary configuration such as an address or a
// language, which an answer may well contain: by its name, or by its looks (20
// characters or more without a blank, letters and digits, no address).
func secretValue(name, value string) bool {
	if trace.SecretName(name) || trace.KeyVariable("_"+name) {
		return true
	}
	return len(value) >= 20 && !strings.Contains(value, "://") && !strings.ContainsFunc(value, unicode.IsSpace) &&
		strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsFunc(value, unicode.IsLetter)
}
