package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// llmDoModes are llm-do's approval modes in golem's words.
var llmDoModes = map[string]string{"prompt": "interactive", "approve_all": "approve_all", "reject_all": "auto_deny"}

// LLMDoProject returns what to write in project.yaml instead of an llm-do project.json, and
// the agents that it lists; "" if the text is none.
func LLMDoProject(text string) (keys string, agents []string) {
	var file struct {
		Runtime struct {
			Mode  string `json:"approval_mode"`
			Depth *int   `json:"max_depth"`
		} `json:"runtime"`
		Entry struct {
			Name  string          `json:"name"`
			Agent string          `json:"agent"`
			Args  json.RawMessage `json:"args"`
			Input json.RawMessage `json:"input"`
		} `json:"entry"`
		Agents  []string `json:"agent_files"`
		Workers []string `json:"worker_files"`
	}
	if json.Unmarshal([]byte(text), &file) != nil || file.Agents == nil && file.Workers == nil {
		return "", nil
	}
	var out []string
	entry := file.Entry.Agent
	if entry == "" {
		entry = file.Entry.Name
	}
	if entry != "" && entry != "main" && yamltree.NameProblem(entry) == "" {
		out = append(out, "entry: ./"+fault.Brief(entry)+".worker")
	}
	if file.Runtime.Depth != nil {
		out = append(out, fmt.Sprintf("delegation: {max_depth: %d}", *file.Runtime.Depth))
	}
	if mode := llmDoModes[file.Runtime.Mode]; mode != "" {
		out = append(out, "approval: {mode: "+mode+"}")
	}
	keys = "write project.yaml"
	if len(out) > 0 {
		keys += ": " + strings.Join(out, ", ")
	}
	if len(file.Entry.Args)+len(file.Entry.Input) > 0 {
		keys += "; golem has no input by default: give it in the command line"
	}
	return keys, file.Agents
}
