package foreign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// worker is a worker that is being made.
type worker struct {
	id, from    string // from is the file that it comes from
	called      string // its name there
	description string
	model       any // a name or a list of names
	body        string
	template    bool // the body is a template there, too
	input       any
	output      any
	vars        map[string]any
	settings    map[string]any // model_settings
	turns       int            // 0: no limit of its own
	calls       []string       // workers, by their names there
	tools       rights
	servers     map[string]*server
	only        map[string][]string // tools of servers, by the server's name; nil: all
}

// rights are the tools that a worker had.
type rights struct {
	read, write, shell, web bool
	blocked                 map[string]bool // golem's tools that it must not use
}

// block blocks tools of golem.
func (r *rights) block(names ...string) {
	if r.blocked == nil {
		r.blocked = map[string]bool{}
	}
	for _, name := range names {
		r.blocked[name] = true
	}
}

// The tools of golem that the kinds of rights stand for. A worker gets no toolset shell if
// run_command is blocked, and no toolset web if web_fetch is.
var (
	readers = []string{"read_file", "list_files", "search_files", "file_info", "file_exists"}
	writers = []string{"write_file", "edit_file", "delete_file", "move_file", "make_directory"}
	runners = []string{"run_command"}
	fetches = []string{"web_fetch"}
)

// toolsets returns the toolsets and the sandbox of a worker. Nothing in them is approved in
// advance.
func (w *worker) toolsets() (sets, sandbox map[string]any) {
	sets, sandbox = map[string]any{}, map[string]any{}
	r := w.tools
	if (r.read || r.write) && !r.blocked["read_file"] {
		if !r.write && r.shell {
			r.block(writers...)
		} else if !r.write {
			sandbox["readonly"] = true
		}
		blocked := map[string]any{}
		for _, name := range append(slices.Clone(readers), writers...) {
			if r.blocked[name] && (r.write || r.shell || slices.Contains(readers, name)) {
				blocked[name] = "blocked"
			}
		}
		options := map[string]any{}
		if len(blocked) > 0 {
			options["approval"] = map[string]any{"tools": blocked}
		}
		sets["filesystem"] = options
	}
	if r.shell && !r.blocked["run_command"] {
		sets["shell"] = map[string]any{}
	}
	if r.web && !r.blocked["web_fetch"] {
		sandbox["network_enabled"] = true
		sets["web"] = map[string]any{}
	}
	if servers := w.mcp(); len(servers) > 0 {
		sets["mcp"] = servers
		for _, one := range w.servers {
			if one.config["url"] != nil {
				sandbox["network_enabled"] = true
			}
		}
	}
	return sets, sandbox
}

// mcp returns the servers of a worker, with the tools that it had of them.
func (w *worker) mcp() map[string]any {
	out := map[string]any{}
	for name, one := range w.servers {
		config := maps.Clone(one.config)
		if only, is := w.only[name]; is && only != nil {
			config["tools"] = only
		}
		out[one.name] = config
	}
	return out
}

// text returns the worker's file. Each value of its front matter is JSON on one line.
func (w *worker) text(id func(called string) string) string {
	var b strings.Builder
	b.WriteString("---\n")
	put := func(key string, value any) {
		fmt.Fprintf(&b, "%s: %s\n", key, oneLine(value))
	}
	if w.description != "" {
		put("description", w.description)
	}
	if w.model != nil {
		put("model", w.model)
	}
	if len(w.settings) > 0 {
		put("model_settings", w.settings)
	}
	sets, sandbox := w.toolsets()
	if len(sets) > 0 {
		put("toolsets", sets)
	}
	if len(sandbox) > 0 {
		put("sandbox", sandbox)
	}
	var calls []string
	for _, called := range w.calls {
		if to := id(called); to != "" {
			calls = append(calls, to)
		}
	}
	if len(calls) > 0 {
		put("allow_workers", calls)
	}
	if w.input != nil {
		put("input_schema", w.input)
	}
	if w.output != nil {
		put("output_schema", w.output)
	}
	if len(w.vars) > 0 {
		put("vars", w.vars)
	}
	if w.turns > 0 {
		put("limits", map[string]any{"turns": w.turns})
	}
	if !w.template && braces(w.body) {
		put("template", false)
	}
	b.WriteString("---\n")
	b.WriteString(strings.TrimLeft(w.body, "\n"))
	if !strings.HasSuffix(w.body, "\n") {
		b.WriteString("\n")
	}
	return b.String()
}

// braces reports whether a text has what golem takes for a template.
func braces(text string) bool {
	return strings.Contains(text, "{{") || strings.Contains(text, "{%") || strings.Contains(text, "{#")
}

// oneLine returns a value as JSON, which is YAML, too.
func oneLine(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return "null" // unreachable: all values encode
	}
	return strings.TrimSpace(b.String())
}

// newWorker adds a worker with a name of its own.
func (m *maker) newWorker(from, called string) *worker {
	w := &worker{from: from, called: called, servers: map[string]*server{}, only: map[string][]string{}}
	w.id = m.freeID(plainName(called))
	m.workers = append(m.workers, w)
	why := ""
	if w.id != called {
		why = "the name is another one: IDs of workers are unique, in small letters, digits and _"
	}
	m.mapped(from, "name "+inNote(called), "worker "+w.id, why)
	return w
}

// inNote returns a name for a note.
func inNote(name string) string {
	if r := []rune(name); len(r) > 60 {
		name = string(r[:60]) + "…"
	}
	return name
}

// maxID is the longest ID that is made.
const maxID = 60

// reserved are names that a file cannot have on every system, or that golem has.
var reserved = []string{"con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "lpt1", "lpt2", "lpt3", "lpt4"}

// plainName returns a name as an ID, in snake_case.
func plainName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'A' && r <= 'Z':
			b.WriteRune(r - 'A' + 'a')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	out := b.String()
	out = strings.Trim(out[:min(len(out), maxID)], "_")
	if out == "" || slices.Contains(reserved, out) || out[0] >= '0' && out[0] <= '9' {
		out = "worker_" + out
	}
	return strings.TrimSuffix(out, "_")
}

// freeID returns an ID that no other worker has.
func (m *maker) freeID(id string) string {
	out := id
	for n := max(m.ids[id], 1) + 1; m.ids[out] > 0; n++ {
		out = fmt.Sprintf("%s_%d", id, n)
		m.ids[id] = n
	}
	m.ids[out] = 1
	return out
}
