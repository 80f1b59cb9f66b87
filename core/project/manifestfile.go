package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// Where workers and prompts lie unless the manifest says otherwise.
const (
	defaultWorkers = "workers"
	defaultTools   = "toolsets" // beside tools/
	defaultPrompts = "prompts"
)

// manifestNames are the accepted names; a project has at most one (SPEC §3).
var manifestNames = []string{
	"project.yaml", "project.yml", "llm-do.yaml", "llm-do.yml", "golem-forge.config.yaml", "golem-forge.config.yml",
}

// HasManifest reports whether a directory holds a project file.
func HasManifest(fsys fs.FS) bool {
	return slices.ContainsFunc(manifestNames, func(name string) bool {
		_, err := fs.Lstat(fsys, name)
		return err == nil
	})
}

// readManifest finds and reads the project file. Only the root is looked at,
// never a parent.
func (p *Project) readManifest() fault.List {
	workers := defaultWorkers
	if p.src.WorkersRoot != "" {
		workers = p.src.WorkersRoot
	}
	p.manifest = Manifest{
		WorkersRoots: []string{workers}, PromptsRoot: defaultPrompts, ToolRoots: []string{defaultTools},
		Include: []string{"**/*.worker", "**/*.yaml", "**/*.yml"}, Providers: map[string]Provider{},
	}
	if p.src.NoManifest {
		return nil
	}
	var found []string
	for _, name := range manifestNames {
		if p.exists(location{name: name}) {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
	default:
		return fault.List{at{found[1], 1, 1}.fault(fault.MultipleManifests, "more than one project file: %s", strings.Join(found, ", ")).
			Hinting("keep one of them")}
	}
	file := found[0]
	data, f := p.read(location{name: file}, maxFile)
	if f != nil {
		return fault.List{f}
	}
	p.manifest.File = file
	tree, faults := parseYAML(file, data)
	if len(faults) > 0 {
		return faults
	}
	if tree == nil {
		return nil
	}
	if tree.kind != dict {
		return fault.List{tree.at.fault(fault.Config, "expected a mapping, found %s", tree.found())}
	}
	c := &conformer{}
	p.settings = c.conform(tree, manifestShape, "")
	p.fill(c)
	return c.faults
}

// fill takes the manifest's own values out; those for workers stay nodes.
func (p *Project) fill(c *conformer) {
	m, n := &p.manifest, p.settings
	m.Name, m.Description, m.Entry = n.get("name").string(), n.get("description").string(), n.get("entry").string()
	if v := n.get("version"); v != nil && v.tag == tagText {
		m.Version = v.text
	}
	m.Exports = n.get("exports").texts()
	workers := n.get("workers")
	paths, older := workers.get("paths"), n.get("worker_paths")
	if paths != nil && older != nil {
		c.fail(older.at, "remove one of them", "workerPaths and workers.paths are one setting, both are given")
	}
	if paths == nil {
		paths = older
	}
	if roots := cleanDirs(paths.texts()); len(roots) > 0 {
		m.WorkersRoots = roots
	}
	if include := workers.get("include"); include != nil {
		m.Include = include.texts()
	}
	m.Exclude = workers.get("exclude").texts()
	if roots := n.path("tools", "roots"); roots != nil {
		m.ToolRoots = nil
		for _, root := range cleanDirs(roots.texts()) {
			if root != "tools" { // which is one anyway
				m.ToolRoots = append(m.ToolRoots, root)
			}
		}
	}
	m.ToolsListed = n.path("tools", "offer").string() == "listed"
	m.ToolEngine = "auto"
	if engine := n.path("tools", "engine"); engine != nil {
		m.ToolEngine = engine.text
	}
	if root := n.path("prompts", "root"); root != nil {
		m.PromptsRoot, _ = inside(root.text)
	}
	if mode := n.path("approval", "mode"); mode != nil {
		parsed, _ := ParseMode(mode.text)
		m.ApprovalMode = string(parsed)
	}
	if all := n.get("providers"); all != nil {
		for _, f := range all.fields {
			m.Providers[f.name] = provider(f.value)
		}
	}
	p.defaults = &node{at: n.at, kind: dict}
	for _, key := range inherited {
		if v := n.get(key); v != nil {
			p.defaults = p.defaults.with(key, v)
		}
	}
}

// engines are the platforms that have each tool engine (SPEC §6).
var engines = map[string][]string{"auto": {"native", "browser"}, "wazero": {"native", "browser"}, "browser": {"browser"}}

// engineFault says that a platform has not the engine that the manifest names.
func (p *Project) engineFault(platform string) *fault.Fault {
	n := p.settings.path("tools", "engine")
	if n == nil || platform == "" || slices.Contains(engines[n.text], platform) {
		return nil
	}
	return n.at.fault(fault.Platform, "the tool engine %s is not on platform %s, only on %s", n.text, quoted(platform), strings.Join(engines[n.text], ", ")).
		Hinting("write tools.engine: auto")
}

func cleanDirs(dirs []string) []string {
	var out []string
	for _, d := range dirs {
		if clean := path.Clean(d); !slices.Contains(out, clean) {
			out = append(out, clean)
		}
	}
	return out
}

func provider(n *node) Provider {
	p := Provider{
		BaseURL: n.get("base_url").string(), APIKeyEnv: n.get("api_key_env").string(),
		Image: n.get("image").flag(), PDF: n.get("pdf").flag(), JSON: n.get("json").string(), API: n.get("api").string(),
		Headers: n.get("headers").textMap(), Query: n.get("query").textMap(),
	}
	q := n.get("quirks")
	p.Quirks = ProviderQuirks{
		NoUsage: q.get("no_usage").flag(), JSONAlone: q.get("json_alone").flag(), KeyHeader: q.get("key_header").string(),
		Carry: q.get("carry").texts(), Settings: q.get("settings").textMap(),
	}
	return p
}

// textMap is a mapping of texts; nil without one.
func (n *node) textMap() map[string]string {
	if n == nil {
		return nil
	}
	out := map[string]string{}
	for _, f := range n.fields {
		out[f.name] = f.value.text
	}
	return out
}
