package foreign

import (
	"path"
	"regexp"
	"strings"

	"golem/core/sandbox"
	"golem/core/yamltree"
)

// recipeDir is the variable of goose with the directory of a recipe.
var recipeDir = regexp.MustCompile(`\{\{-?\s*recipe_dir\s*-?\}\}`)

// gooseRecipe makes a worker of a recipe of goose.
type gooseRecipe struct{ *maker }

// file maps a recipe of goose.
func (m gooseRecipe) file(f read, root *yamltree.Node) {
	name := strings.TrimSuffix(path.Base(f.name), path.Ext(f.name))
	if name == "recipe" {
		name = root.Get("title").String()
	}
	w := m.newWorker(f.name, name)
	if m.entry == nil {
		m.entry = w
	}
	w.description = root.Get("description").String()
	texts := []string{}
	for _, key := range []string{"instructions", "prompt"} {
		if text := root.Get(key).String(); strings.TrimSpace(text) != "" {
			texts = append(texts, strings.TrimRight(text, "\n"))
			m.mapped(f.name, key, "the worker's instructions", "")
		}
	}
	w.body = strings.Join(texts, "\n\n")
	if recipeDir.MatchString(w.body) {
		w.body = recipeDir.ReplaceAllString(w.body, ".")
		m.mapped(f.name, "recipe_dir", "the directory of the project", "the files of the recipe are not copied")
	}
	for _, one := range root.Fields {
		m.key(w, one)
	}
	w.template = w.input != nil
}

// key maps one key of a recipe.
func (m gooseRecipe) key(w *worker, f yamltree.Field) {
	v := f.Value
	switch f.Name {
	case "instructions", "prompt", "title":
	case "description":
		m.mapped(w.from, f.Name, "description", "")
	case "parameters":
		m.parameters(w, v)
	case "extensions":
		for _, one := range v.Items {
			m.extension(w, one)
		}
	case "sub_recipes":
		for _, one := range v.Items {
			m.subRecipe(w, one)
		}
	case "settings":
		m.settings(w, v)
	case "response":
		if schema := v.Get("json_schema"); schema != nil && schema.Kind == yamltree.Mapping {
			w.output = m.plain(w.from, f.Name, schema)
			m.mapped(w.from, "response.json_schema", "output_schema", "")
		}
	case "version", "author", "id", "name":
		m.lost(w.from, f.Name, "golem has nothing like it in a worker's file")
	case "activities":
		m.lost(w.from, f.Name, "they are buttons of the other program")
	case "retry":
		m.lost(w.from, f.Name, "golem runs no commands to judge an answer: golem test does that for a worker")
	default:
		m.lost(w.from, f.Name, "golem has nothing like it in a worker's file")
	}
}

// parameters maps the parameters of a recipe to an input_schema.
func (m gooseRecipe) parameters(w *worker, list *yamltree.Node) {
	properties, required := map[string]any{}, []string{}
	for _, one := range list.Items {
		key := one.Get("key").String()
		if key == "" || len(key) > 100 {
			m.lost(w.from, "parameters", "one has no key")
			continue
		}
		field := map[string]any{"type": "string"}
		why := ""
		switch kind := one.Get("input_type").String(); kind {
		case "number", "boolean":
			field["type"] = kind
		case "select":
			if options := words(orEmpty(one.Get("options"))); len(options) > 0 {
				field["enum"] = options
			}
		case "file":
			why = "goose puts the text of the file there: give the text itself"
		}
		if about := one.Get("description").String(); about != "" {
			field["description"] = about
		}
		switch value := one.Get("default"); {
		case value != nil:
			field["default"] = defaultOf(field["type"], value)
		case one.Get("requirement").String() == "optional":
			field["default"] = map[string]any{"number": 0, "boolean": false, "string": ""}[field["type"].(string)]
		default:
			required = append(required, key)
		}
		properties[key] = field
		m.mapped(w.from, "parameters "+inNote(key), "input_schema."+inNote(key), why)
	}
	if len(properties) == 0 {
		return
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	w.input = schema
}

// defaultOf returns a default as a value of the type.
func defaultOf(kind any, n *yamltree.Node) any {
	v, err := n.Plain()
	if err != nil || n.Kind != yamltree.Scalar {
		return nil
	}
	if kind == "string" {
		return n.Text
	}
	return v
}

// settings maps the model of a recipe and its settings.
func (m gooseRecipe) settings(w *worker, n *yamltree.Node) {
	if name := n.Get("goose_model").String(); name != "" {
		if provider := n.Get("goose_provider").String(); provider != "" {
			name = provider + "/" + name
		}
		m.model(w, "settings.goose_model", name)
	}
	for _, f := range n.Fields {
		switch f.Name {
		case "goose_model", "goose_provider":
		case "temperature":
			m.setting(w, "settings.temperature", "temperature", f.Value)
		case "max_turns":
			if w.turns = turnsOf(f.Value); w.turns > 0 {
				m.mapped(w.from, "settings.max_turns", "limits.turns", "")
			}
		default:
			m.lost(w.from, "settings."+f.Name, "golem has nothing like it")
		}
	}
}

// extension maps one extension of a recipe.
func (m gooseRecipe) extension(w *worker, n *yamltree.Node) {
	name, kind := n.Get("name").String(), n.Get("type").String()
	key := "extensions " + inNote(name)
	switch {
	case kind == "builtin" && name == "developer":
		w.tools.grant("write")
		w.tools.grant("shell")
		m.mapped(w.from, key, "toolsets filesystem and shell", "")
	case kind == "stdio" || kind == "streamable_http":
		m.addServer(w, key, name, n)
	case kind == "sse":
		m.lost(w.from, key, "it speaks the transport SSE of 2024, and golem speaks streamable HTTP")
	default:
		m.lost(w.from, key, "golem has no such extension")
	}
}

// addServer maps an extension that is an MCP server.
func (m gooseRecipe) addServer(w *worker, key, name string, n *yamltree.Node) {
	fields := &yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping}
	env := &yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping}
	text := func(s string) *yamltree.Node {
		return &yamltree.Node{Pos: n.Pos, Kind: yamltree.Scalar, Tag: yamltree.TagText, Text: recipeDir.ReplaceAllString(s, ".")}
	}
	for _, f := range n.Fields {
		as := map[string]string{"cmd": "command", "args": "args", "uri": "url", "headers": "headers"}[f.Name]
		switch {
		case f.Name == "envs" && f.Value.Kind == yamltree.Mapping:
			env.Fields = append(env.Fields, f.Value.Fields...)
		case f.Name == "env_keys":
			for _, one := range words(f.Value) {
				env.Fields = append(env.Fields, yamltree.Field{Name: one, Pos: f.Pos, Value: text("${" + one + "}")})
			}
		case as == "args":
			list := &yamltree.Node{Pos: f.Pos, Kind: yamltree.List}
			for _, one := range f.Value.Items {
				list.Items = append(list.Items, text(one.String()))
			}
			fields.Fields = append(fields.Fields, yamltree.Field{Name: as, Pos: f.Pos, Value: list})
		case as == "command":
			fields.Fields = append(fields.Fields, yamltree.Field{Name: as, Pos: f.Pos, Value: text(f.Value.String())})
		case as != "":
			fields.Fields = append(fields.Fields, yamltree.Field{Name: as, Pos: f.Pos, Value: f.Value})
		}
	}
	if len(env.Fields) > 0 {
		fields.Fields = append(fields.Fields, yamltree.Field{Name: "env", Pos: n.Pos, Value: env})
	}
	var only []string
	if tools := n.Get("available_tools"); tools != nil {
		only = words(tools)
	}
	m.unknown(w.from, key+".", n, "type", "name", "cmd", "args", "envs", "env_keys", "uri", "headers", "available_tools", "description", "display_name", "bundled", "timeout")
	m.ownServer(w, key, name, fields, only)
}

// subRecipe reads a recipe that a recipe calls, if it is inside what is imported.
func (m gooseRecipe) subRecipe(w *worker, n *yamltree.Node) {
	name, at := n.Get("name").String(), n.Get("path").String()
	key := "sub_recipes " + inNote(name)
	file := path.Join(path.Dir(w.from), recipeDir.ReplaceAllString(at, "."))
	if _, err := sandbox.Clean(file); at == "" || path.IsAbs(at) || err != nil || file == ".." || strings.HasPrefix(file, "../") {
		m.lost(w.from, key, "its file is not inside what is imported: import the directory that has both")
		return
	}
	if err := m.read(file); err != nil || !m.seen[file] {
		m.lost(w.from, key, "its file is not read")
		return
	}
	m.unknown(w.from, key+".", n, "name", "path", "description")
	w.calls = append(w.calls, "file "+file)
	m.mapped(w.from, key, "allow_workers", "")
}
