package core

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"golem/core/model"
	"golem/core/project"
	"golem/core/trace"
)

// secrets has the values that must not leave golem, and the redactor that
// removes them. When a value is added, the redactor is replaced.
type secrets struct {
	mu       sync.Mutex
	known    []string
	redactor atomic.Pointer[trace.Redactor]
	// given has the person's values that a project's tools got, and ofGiven the redactor
	// for them: they are also removed from what models read.
	given   []string
	ofGiven atomic.Pointer[trace.Redactor]
}

// give adds a value that a tool is about to get.
func (s *secrets) give(value string) {
	s.add(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.given, value) {
		s.given = append(s.given, value)
		s.ofGiven.Store(trace.NewRedactor(s.given).OnlyValues())
	}
}

// now returns the redactor for all values so far.
func (s *secrets) now() *trace.Redactor { return s.redactor.Load() }

// add adds values to those that are removed.
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

// within reports whether a text contains a known secret, or what looks like a key.
func (s *secrets) within(text string) bool { return s.text(text) != text || trace.LooksLikeKey(text) }

// platformSecrets returns the platform's own secrets, the values of all environment variables
// that hold keys, and the keys in .env.
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

// moduleSecrets returns the secrets in the settings of an entry's closure: the configuration
// values of modules and MCP servers that look like keys, and the headers of MCP servers
// (SECURITY 16).
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
		var args []string
		for _, one := range p.ServerValues(w) {
			if one.Key == "args" {
				args = append(args, one.Value)
				continue
			}
			if one.Key == "headers" || secretValue(one.Key, one.Value) {
				out = append(out, one.Value)
			}
		}
		for _, secret := range trace.SecretParts(args) {
			if secret != "" && !strings.HasPrefix(secret, "{") { // {env: NAME} is no secret
				out = append(out, secret)
			}
		}
	}
	return out
}

// secretValue reports whether a configuration value is a key, judging by its name or its form
// (at least 20 bytes with letters and digits, without spaces, not an address). Ordinary values
// such as an address or a language must not be redacted, because answers may contain them.
func secretValue(name, value string) bool {
	if trace.SecretName(name) || trace.KeyVariable("_"+name) {
		return true
	}
	return len(value) >= 20 && !strings.Contains(value, "://") && !strings.ContainsFunc(value, unicode.IsSpace) &&
		strings.ContainsFunc(value, unicode.IsDigit) && strings.ContainsFunc(value, unicode.IsLetter)
}
