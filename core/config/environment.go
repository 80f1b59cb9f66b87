package config

import (
	"strings"

	"golem/core/approval"
	"golem/core/fault"
)

// Variable returns a variable of golem's and the name it was found under: GOLEM_NAME
// first, then LLM_DO_NAME, then GOLEM_FORGE_NAME. An empty value counts as not set.
// Both results are "" if none is set.
func Variable(env map[string]string, name string) (value, variable string) {
	for _, prefix := range []string{"GOLEM_", "LLM_DO_", "GOLEM_FORGE_"} {
		if v := env[prefix+name]; v != "" {
			return v, prefix + name
		}
	}
	return "", ""
}

// ParseMode reads an approval mode in any accepted spelling (SPEC §7).
func ParseMode(s string) (approval.Mode, *fault.Fault) {
	switch s {
	case "interactive", "prompt":
		return approval.Interactive, nil
	case "approve_all":
		return approval.ApproveAll, nil
	case "auto_deny", "reject_all", "strict":
		return approval.AutoDeny, nil
	}
	known := []string{"interactive", "approve_all", "auto_deny"}
	return "", fault.New(fault.Config, "%s is not an approval mode: use %s", fault.Quoted(s), strings.Join(known, ", "))
}
