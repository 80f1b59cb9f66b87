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
