package core

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

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

// Hide adds a value that a tool is about to get.
func (s *secrets) Hide(value string) {
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

// add adds texts to those that are removed.
func (s *secrets) add(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.known)
	for _, v := range texts {
		if !slices.Contains(s.known, v) {
			s.known = append(s.known, v)
		}
	}
	if len(s.known) > before || s.redactor.Load() == nil {
		s.redactor.Store(trace.NewRedactor(s.known))
	}
}

// Redact removes the secrets from a text.
func (s *secrets) Redact(t string) string { return s.redactor.Load().String(t) }

// platformSecrets returns the platform's own secrets, the values of all environment variables
// that hold keys, and the keys in .env. Dummy keys and ordinary words are none.
func platformSecrets(p Platform) []string {
	var out []string
	for name, v := range p.Env {
		if trace.KeyVariable(name) && trace.SecretValue(name, v) {
			out = append(out, v)
		}
	}
	for _, row := range model.Rows() {
		for _, key := range row.Keys() {
			if !trace.Ordinary(p.Env[key]) {
				out = append(out, p.Env[key])
			}
		}
	}
	for _, v := range p.DotEnv {
		if !trace.Ordinary(v) {
			out = append(out, v)
		}
	}
	return append(out, p.Secrets...)
}

// moduleSecrets returns the secrets in the settings of an entry's closure: the configuration
// values of modules and MCP servers, and the headers of MCP servers, that are secret by name
// or by looks (SECURITY 16).
func moduleSecrets(p *project.Project, entry *project.Worker) []string {
	closure, err := p.Workers.Closure(entry)
	if err != nil {
		closure = []*project.Worker{entry}
	}
	var out []string
	for _, w := range closure {
		for _, c := range w.ModuleConfig() {
			if trace.SecretValue(c.Key, c.Value) {
				out = append(out, c.Value)
			}
		}
		var args []string
		for _, one := range w.ServerValues() {
			if one.Key == "args" {
				args = append(args, one.Value)
				continue
			}
			if one.Key == "headers" {
				out = append(out, trace.HeaderSecrets(one.Path[strings.LastIndexByte(one.Path, '.')+1:], one.Value)...)
			} else if trace.SecretValue(one.Key, one.Value) {
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
