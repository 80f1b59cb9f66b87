package core

import (
	"slices"
	"strings"
	"unicode"

	"golem/core/model"
	"golem/core/project"
	"golem/core/trace"
)

// secrets are the values that must not leave golem: the platform's, and those
// of every variable that holds a key.
func (i *Instance) secrets() []string {
	out := slices.Clone(i.platform.Secrets)
	for name, v := range i.platform.Env {
		if trace.KeyVariable(name) {
			out = append(out, v)
		}
	}
	for _, row := range model.Rows() {
		for _, key := range row.Keys() {
			out = append(out, i.platform.Env[key])
		}
	}
	for _, v := range i.platform.DotEnv {
		out = append(out, v)
	}
	return out
}

// hide makes the secrets of an entry's closure known to the redactor: the
// configuration values of its modules that look like keys (SECURITY 16).
func (i *Instance) hide(entry *project.Worker) {
	closure, err := i.project.Closure(entry)
	if err != nil {
		closure = []*project.Worker{entry}
	}
	i.hiding.Lock()
	defer i.hiding.Unlock()
	before := len(i.hidden)
	for _, w := range closure {
		for _, c := range i.project.ModuleConfig(w) {
			if secretValue(c.Key, c.Value) && !slices.Contains(i.hidden, c.Value) {
				i.hidden = append(i.hidden, c.Value)
			}
		}
	}
	if len(i.hidden) > before {
		i.redactor.Store(trace.NewRedactor(i.hidden))
	}
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
