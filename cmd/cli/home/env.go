package home

import (
	"path/filepath"
	"strings"
)

// Env are the environment variables of the process.
type Env map[string]string

// ReadEnv returns the variables of a list as os.Environ returns it.
func ReadEnv(list []string) Env {
	env := make(Env, len(list))
	for _, kv := range list {
		if k, v, ok := strings.Cut(kv, "="); ok && k != "" {
			env[k] = v
		}
	}
	return env
}

// Setting returns the value of GOLEM_<name> or of one of its aliases. An empty variable
// counts as not set (SPEC §3).
func (e Env) Setting(name string) string {
	for _, prefix := range []string{"GOLEM_", "LLM_DO_", "GOLEM_FORGE_"} {
		if v := e[prefix+name]; v != "" {
			return v
		}
	}
	return ""
}

// User returns the person's home directory; "" if it is not known. A relative path
// counts as not known, because it would name another directory in each project.
func (e Env) User() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if v := e[name]; v != "" && filepath.IsAbs(v) {
			return v
		} else if v != "" {
			return ""
		}
	}
	return ""
}
