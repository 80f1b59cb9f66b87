package foreign

import (
	"path"
	"regexp"
	"strings"

	"golem/core/config"
	"golem/core/yamltree"
)

// agent maps an agent of Claude Code or OpenCode: Markdown with front matter. A file of
// another kind, such as a README, has no front matter with a description or tools.
func (m *maker) agent(f read) {
	front, body, _, ok := config.Split(f.data)
	if !ok {
		m.lost(f.name, "", "it has no front matter (a first line ---), so that it is not an agent")
		return
	}
	if len(front) > maxFront {
		m.lost(f.name, "", "its front matter has more than 64 KiB")
		return
	}
	root, faults := yamltree.Parse(f.name, front)
	if len(faults) > 0 || root != nil && root.Kind != yamltree.Mapping {
		root = lineByLine(f.name, string(front))
		m.mapped(f.name, "front matter", "", "it is not YAML, so it was read line by line")
		m.notes[len(m.notes)-1].As = "keys at the beginning of a line"
	}
	if root.Get("description") == nil && root.Get("name") == nil && root.Get("tools") == nil {
		m.lost(f.name, "", "its front matter has neither name, description nor tools, so that it is not an agent")
		return
	}
	if root.Get("disable").Flag() || root.Get("disabled").Flag() {
		m.lost(f.name, "disable", "the agent is switched off, and is not imported")
		return
	}
	text := strings.ReplaceAll(string(body), "\r\n", "\n")
	if prompt := root.Get("prompt").String(); strings.TrimSpace(text) == "" {
		text = prompt
	}
	if strings.TrimSpace(text) == "" {
		m.lost(f.name, "", "it has no prompt")
		return
	}
	name := root.Get("name").String()
	if strings.TrimSpace(name) == "" {
		name = strings.TrimSuffix(path.Base(f.name), path.Ext(f.name))
	}
	w := m.newWorker(f.name, name)
	w.body = text
	for _, one := range root.Fields {
		m.agentKey(w, one)
	}
	if root.Get("tools") == nil && !w.tools.blocked["read_file"] {
		w.tools.read, w.tools.write, w.tools.shell, w.tools.web = true, true, true, true
		m.mapped(f.name, "no tools", "toolsets filesystem, shell and web", "an agent without tools has all; golem asks about what changes something")
	}
}

// models are the models of Claude Code by their short names.
var models = map[string]string{
	"sonnet": "anthropic:claude-sonnet-5", "opus": "anthropic:claude-opus-4-8", "haiku": "anthropic:claude-haiku-4-5-20251001",
}

// agentKey maps one key of an agent.
func (m *maker) agentKey(w *worker, f yamltree.Field) {
	v := f.Value
	switch f.Name {
	case "name", "prompt", "disable", "disabled":
	case "description":
		w.description = v.String()
		m.mapped(w.from, f.Name, "description", "")
	case "model":
		m.model(w, f.Name, v.String())
	case "tools":
		m.agentTools(w, v)
	case "disallowedTools":
		for _, name := range words(v) {
			m.deny(w, f.Name, name)
		}
	case "permission", "permissions":
		m.permission(w, f.Name, v)
	case "temperature", "top_p":
		m.setting(w, f.Name, f.Name, v)
	case "effort", "reasoningEffort":
		m.setting(w, f.Name, "reasoning_effort", v)
	case "maxTurns", "maxSteps", "steps":
		if w.turns = turnsOf(v); w.turns > 0 {
			m.mapped(w.from, f.Name, "limits.turns", "")
		}
	case "color", "hidden", "mode", "version", "icon":
		m.lost(w.from, f.Name, "it is for the other program's screen; in golem a worker can be run alone, and by a worker that names it in allow_workers")
	case "permissionMode":
		m.lost(w.from, f.Name, "imported agents approve nothing: golem asks, or --approval chooses the mode of a run")
	default:
		m.lost(w.from, f.Name, "golem has nothing like it in a worker's file")
	}
}

// model maps the name of a model.
func (m *maker) model(w *worker, key, name string) {
	name, _, _ = strings.Cut(strings.TrimSpace(name), "#")
	provider, rest, both := strings.Cut(name, "/")
	switch {
	case name == "" || name == "inherit":
		m.mapped(w.from, key+" "+name, "the caller's or the default model", "")
		return
	case models[strings.ToLower(name)] != "":
		w.model = models[strings.ToLower(name)]
	case strings.HasPrefix(name, "claude-"):
		w.model = "anthropic:" + name
	case both && providers[provider] != "":
		w.model = providers[provider] + ":" + rest
	default:
		m.lost(w.from, key+" "+inNote(name), "golem does not know its provider: choose a model with model: in the worker or golem run --model")
		return
	}
	if config.ModelProblem(w.model.(string)) != "" {
		w.model = nil
		m.lost(w.from, key+" "+inNote(name), "it is not the name of a model")
		return
	}
	m.mapped(w.from, key+" "+inNote(name), "model "+w.model.(string), "")
}

// providers are those that other programs name, as golem names them.
var providers = map[string]string{
	"openai": "openai", "anthropic": "anthropic", "google": "google", "gemini": "google", "openrouter": "openrouter", "groq": "groq", "mistral": "mistral",
	"deepseek": "deepseek", "together": "together", "togetherai": "together", "xai": "xai", "cerebras": "cerebras", "moonshot": "moonshot", "moonshotai": "moonshot",
	"zai": "zai", "perplexity": "perplexity", "huggingface": "huggingface", "vercel": "vercel", "ollama": "ollama", "lmstudio": "lmstudio",
}

// setting maps a setting of the model, if golem reads its value.
func (m *maker) setting(w *worker, key, as string, v *yamltree.Node) {
	value := m.plain(w.from, key, v)
	switch as {
	case "reasoning_effort":
		if value != "low" && value != "medium" && value != "high" {
			m.lost(w.from, key, "golem has low, medium and high")
			return
		}
	case "max_output_tokens":
		if n, is := value.(int64); !is || n < 1 || n > 10_000_000 {
			m.lost(w.from, key, "it is not a number of tokens")
			return
		}
	default:
		number, is := value.(float64)
		if n, whole := value.(int64); whole {
			number, is = float64(n), true
		}
		if !is || number < 0 || number > 2 || as == "top_p" && number > 1 {
			m.lost(w.from, key, "the number is not one that models take")
			return
		}
	}
	if w.settings == nil {
		w.settings = map[string]any{}
	}
	w.settings[as] = value
	m.mapped(w.from, key, "model_settings."+as, "")
}

// turnsOf returns a number of turns; 0 for what is none.
func turnsOf(n *yamltree.Node) int {
	if n.Tag != yamltree.TagInt {
		return 0
	}
	if turns := n.Count(0); turns > 0 && turns <= 1_000_000 {
		return turns
	}
	return 0
}

// words returns the names in a list, or in a text with commas between them. Commas within
// brackets do not count.
func words(n *yamltree.Node) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	if n.Kind == yamltree.List {
		for _, one := range n.Items {
			add(one.String())
		}
		return out
	}
	depth, from, text := 0, 0, n.String()
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth <= 0:
			add(text[from:i])
			from = i + 1
		}
	}
	add(text[from:])
	return out
}

var keyLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*):(.*)$`)

// lineByLine reads front matter that is not YAML: what follows KEY: at the beginning of a
// line, up to the next such line, is its value.
func lineByLine(file, text string) *yamltree.Node {
	out := &yamltree.Node{Pos: yamltree.At(file, 1, 1), Kind: yamltree.Mapping}
	number, values := 0, [][]string{}
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if found := keyLine.FindStringSubmatch(line); found != nil && out.Get(found[1]) == nil && len(out.Fields) < 100 {
			at := yamltree.At(file, number, 1)
			value := strings.Trim(strings.TrimSpace(found[2]), `"'`)
			out.Fields = append(out.Fields, yamltree.Field{Name: found[1], Pos: at, Value: &yamltree.Node{Pos: at, Kind: yamltree.Scalar, Tag: yamltree.TagText, Text: value}})
			values = append(values, []string{value})
		} else if n := len(out.Fields); n > 0 && strings.TrimSpace(line) != "" {
			values[n-1] = append(values[n-1], strings.TrimSpace(line))
		}
	}
	for i := range out.Fields {
		out.Fields[i].Value.Text = strings.TrimSpace(strings.Join(values[i], " "))
	}
	return out
}
