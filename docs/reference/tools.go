package reference

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sample has the files of a home and of a project whose worker has all tools of golem.
var sample = map[string]string{
	"home/.golem/config.yaml": "web: {search: {provider: searxng, url: \"http://127.0.0.1:8888\"}}\n",
	"project/main.worker": `---
model: script:minimal
sandbox: {root: ., network_enabled: true}
allow_workers: [summarize, extract, classify, critique, translate, grade]
toolsets: {filesystem: {}, clearance: {}, git: {}, web: {}, shell: {}, skills: {}}
---
Hello
`,
	"project/skills/report/SKILL.md":  "---\nname: report\ndescription: Writes a report.\n---\nWrite.\n",
	"project/skills/report/script.js": "console.log(1)\n",
}

const toolsHead = `# Tools that golem has

A worker gets them by naming their [toolset](../workers/toolsets.md). Arguments in *italics* may be left out. By their risk, calls run or [ask](../workers/approval.md). Only you can start a tool with the risk *(you)*. Workers also accept ` + "`instructions`, `attachments` and `prior`" + `.
`

// described is a tool as golem describe prints it.
type described struct {
	Name, From, Risk, Call, Description string
	Input                               struct {
		Properties object
		Required   []string
	}
}

// object has the names of the members of a JSON object, in their order.
type object []string

// UnmarshalJSON reads the names.
func (o *object) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	d, depth := json.NewDecoder(strings.NewReader(string(data))), 0
	for {
		token, err := d.Token()
		if err != nil {
			return nil // the end: the JSON is valid
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if _, ok := members[t]; ok && depth == 1 && !slices.Contains(*o, t) {
				*o = append(*o, t)
			}
		}
	}
}

// Tools returns the page of golem's own tools.
func Tools(golem Golem) (string, error) {
	dir, err := os.MkdirTemp("", "golem-tools-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	for name, text := range sample {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	out, err := golem(filepath.Join(dir, "home"), "describe", filepath.Join(dir, "project"), "--json")
	if err != nil {
		return "", fmt.Errorf("golem describe: %w\n%s", err, out)
	}
	var worker struct{ Tools []described }
	if err := json.Unmarshal([]byte(out), &worker); err != nil {
		return "", err
	}
	return toolsPage(worker.Tools), nil
}

func toolsPage(tools []described) string {
	var b strings.Builder
	b.WriteString(toolsHead)
	group := ""
	for _, t := range tools {
		if t.From != group {
			group = t.From
			fmt.Fprintf(&b, "\n## %s\n\n| tool | arguments | risk | what it does |\n|---|---|---|---|\n", strings.TrimPrefix(group, "toolset "))
		}
		var arguments, optional []string
		for _, name := range t.Input.Properties {
			switch {
			case slices.Contains(t.Input.Required, name):
				arguments = append(arguments, "`"+name+"`")
			case group != "toolset workers" || !slices.Contains([]string{"instructions", "attachments", "prior"}, name):
				optional = append(optional, "*`"+name+"`*")
			}
		}
		arguments = append(arguments, optional...)
		risk := t.Risk
		if t.Call == "manual" {
			risk += " (you)"
		}
		does, _, _ := strings.Cut(t.Description, ". ")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", t.Name, strings.Join(arguments, ", "), risk, strings.ReplaceAll(strings.TrimSuffix(does, "."), "|", "\\|"))
	}
	return b.String()
}
