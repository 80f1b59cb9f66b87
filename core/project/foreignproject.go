package project

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// llmDoModes are llm-do's approval modes in golem's words.
var llmDoModes = map[string]string{"prompt": "interactive", "approve_all": "approve_all", "reject_all": "auto_deny"}

// asManifest returns what to write in project.yaml instead of an llm-do project.json, and
// the agents that it lists; "" if the file is none.
func (p *Project) asManifest(name string) (keys string, agents []string) {
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
	_, text, f := p.readText(location{name: name})
	if f != nil || json.Unmarshal([]byte(text), &file) != nil || file.Agents == nil && file.Workers == nil {
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

// agentFaults returns a warning for each .agent file that a project.json lists, if no
// worker file has been made of it.
func (p *Project) agentFaults(agents []string) fault.List {
	var out fault.List
	for _, name := range agents {
		clean, ok := inside(name)
		worker := strings.TrimSuffix(clean, ".agent") + ".worker"
		if !ok || path.Ext(clean) != ".agent" || clean == "main.agent" || !p.exists(location{name: clean}) || p.exists(location{name: worker}) {
			continue
		}
		out = append(out, fault.Warn(fault.Config, "golem does not read %s", clean).At(clean, 1, 1).Hinting("rename it %s, then golem check --fix changes its keys", worker))
	}
	return out
}
