package config

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// inherited are the manifest's keys that are merged into each worker.
var inherited = []string{"toolsets", "sandbox", "limits", "retry", "delegation", "model_settings", "vars"}

// words removes the keys lib:NAME from the tree of a project file and keeps them in
// s.said.
func (s *ProjectFile) words(c *yamltree.Conformer, tree *yamltree.Node) *yamltree.Node {
	rest := *tree
	rest.Fields = nil
	for _, f := range tree.Fields {
		if !strings.HasPrefix(f.Name, WordPrefix) {
			rest.Fields = append(rest.Fields, f)
		} else if n := c.Conform(f.Value, wordShape, f.Name); n != nil {
			s.Words = append(s.Words, yamltree.Field{Name: strings.TrimPrefix(f.Name, WordPrefix), Pos: f.Pos, Value: n})
		}
	}
	return &rest
}

// The directories of workers, tools and prompts if the manifest names no others.
const (
	defaultWorkers = "workers"
	defaultTools   = "toolsets" // beside tools/
	DefaultPrompts = "prompts"
)

// ManifestNames are the accepted names; a project has at most one (SPEC §3).
var ManifestNames = []string{
	"project.yaml", "project.yml", "llm-do.yaml", "llm-do.yml", "golem-forge.config.yaml", "golem-forge.config.yml",
}

// NewManifest returns the settings without a project file; workers is the directory of
// the workers, "" for the default.
func NewManifest(workers string) *Manifest {
	return &Manifest{
		WorkersRoots: []string{cmp.Or(workers, defaultWorkers)}, PromptsRoot: DefaultPrompts, ToolRoots: []string{defaultTools},
		Include: []string{"**/*.worker", "**/*.yaml", "**/*.yml"}, Providers: map[string]Provider{},
	}
}

// ProjectFile is a project file or a lib.yaml as it was read.
type ProjectFile struct {
	Manifest *Manifest
	Raw      *yamltree.Node   // as it stands there, for the places of faults; nil if it cannot be read at all
	Keys     *yamltree.Node   // its keys, checked
	Defaults *yamltree.Node   // those that its workers inherit
	Words    []yamltree.Field // what it says under lib:NAME, by NAME
}

// Read reads the text of the file. outside allows targets of clearance outside the
// project.
func (s *ProjectFile) Read(file string, data []byte, shape *yamltree.Shape, outside bool) fault.List {
	tree, faults := yamltree.ParsePart(file, data)
	if tree == nil {
		return faults
	}
	if tree.Kind != yamltree.Mapping {
		if len(faults) > 0 {
			return faults
		}
		return fault.List{tree.Pos.Fault(fault.Config, "expected a mapping, found %s", tree.Found())}
	}
	s.Raw = tree
	c := &yamltree.Conformer{Faults: faults}
	if shape == ManifestShape {
		tree = s.words(c, tree)
	}
	s.Keys = c.Conform(tree, shape, "")
	s.fill(c)
	s.clearanceTargets(c, outside)
	return c.Faults
}

// clearanceTargets reads the places that staged changes can be pushed to. As with
// mounts, only a person's --allow-outside lets a target lie outside the project.
func (s *ProjectFile) clearanceTargets(c *yamltree.Conformer, outside bool) {
	all := s.Keys.Path("clearance", "targets")
	if all == nil {
		return
	}
	s.Manifest.Targets = map[string]Target{}
	for _, f := range all.Fields {
		at, git, branch := f.Value.Get("dir"), f.Value.Get("git"), f.Value.Get("branch").String()
		if (at == nil) == (git == nil) || (branch == "") != (git == nil) {
			c.Fail(f.Value.Pos, "write {dir: PATH} or {git: PATH, branch: NAME}", "the clearance target %s must name a directory, or a git repository with its branch", fault.Brief(f.Name))
			continue
		}
		if git != nil {
			at = git
		}
		dir := at.String()
		cleaned, ok := Inside(dir)
		if !ok && outside && !strings.ContainsAny(dir, "~\\") && !yamltree.Invisible(dir) {
			cleaned, ok = path.Clean(dir), true
		}
		if !ok {
			c.Fail(at.Pos, "name a directory of the project with /, or run with --allow-outside", "the clearance target %s is outside the project", fault.Brief(dir))
			continue
		}
		remote := f.Value.Get("remote")
		if problem := RemoteProblem(remote.String()); remote != nil && (problem != "" || git == nil) {
			c.Fail(remote.Pos, "write https://HOST/PATH or ssh://USER@HOST/PATH, without a key; only a target with git: has one", "the remote of the clearance target %s %s", fault.Brief(f.Name), cmp.Or(problem, "belongs to no branch"))
			continue
		}
		if git != nil {
			s.Manifest.Targets[f.Name] = Target{Git: cleaned, Branch: branch, Remote: remote.String()}
		} else {
			s.Manifest.Targets[f.Name] = Target{Dir: cleaned}
		}
	}
}

// fill sets the fields of the manifest; settings for workers stay nodes, in s.defaults.
func (s *ProjectFile) fill(c *yamltree.Conformer) {
	m, n := s.Manifest, s.Keys
	m.Name, m.Description, m.Entry = n.Get("name").String(), n.Get("description").String(), n.Get("entry").String()
	if v := n.Get("version"); v != nil && v.Tag == yamltree.TagText {
		m.Version = v.Text
	}
	m.Exports, m.Dependencies = n.Get("exports").Texts(), n.Get("dependencies").Texts()
	if n.Get("exports") != nil && m.Exports == nil {
		m.Exports = []string{} // an empty list exports nothing
	}
	workers := n.Get("workers")
	paths, older := workers.Get("paths"), n.Get("worker_paths")
	if paths != nil && older != nil {
		c.Fail(older.Pos, "remove one of them", "workerPaths and workers.paths are the same setting, and both are given")
	}
	if paths == nil {
		paths = older
	}
	if roots := cleanDirs(paths.Texts()); len(roots) > 0 {
		m.WorkersRoots = roots
	}
	if include := workers.Get("include"); include != nil {
		m.Include = include.Texts()
	}
	m.Exclude = workers.Get("exclude").Texts()
	if roots := n.Path("tools", "roots"); roots != nil {
		m.ToolRoots = nil
		for _, root := range cleanDirs(roots.Texts()) {
			if root != "tools" { // golem always looks there
				m.ToolRoots = append(m.ToolRoots, root)
			}
		}
	}
	m.ToolsListed = n.Path("tools", "offer").String() == "listed"
	m.ToolEngine = "auto"
	if engine := n.Path("tools", "engine"); engine != nil {
		m.ToolEngine = engine.Text
	}
	if root := n.Path("prompts", "root"); root != nil {
		m.PromptsRoot, _ = Inside(root.Text)
	}
	if mode := n.Path("approval", "mode"); mode != nil {
		parsed, _ := ParseMode(mode.Text)
		m.ApprovalMode = string(parsed)
	}
	if all := n.Get("providers"); all != nil {
		for _, f := range all.Fields {
			m.Providers[f.Name] = provider(f.Value)
		}
	}
	if n == nil { // all of it is wrong
		return
	}
	s.Defaults = &yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping}
	for _, key := range inherited {
		if v := n.Get(key); v != nil {
			s.Defaults = s.Defaults.With(key, v)
		}
	}
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

func provider(n *yamltree.Node) Provider {
	p := Provider{
		BaseURL: n.Get("base_url").String(), APIKeyEnv: n.Get("api_key_env").String(),
		Image: n.Get("image").Flag(), PDF: n.Get("pdf").Flag(), JSON: n.Get("json").String(), API: n.Get("api").String(),
		Headers: n.Get("headers").TextMap(), Query: n.Get("query").TextMap(),
		Models: facts(n.Get("models")),
	}
	q := n.Get("quirks")
	p.Quirks = ProviderQuirks{
		NoUsage: q.Get("no_usage").Flag(), NoStream: q.Get("no_stream").Flag(), JSONAlone: q.Get("json_alone").Flag(), KeyHeader: q.Get("key_header").String(),
		Carry: q.Get("carry").Texts(), Settings: q.Get("settings").TextMap(),
		NoUserAfterTool: q.Get("no_user_after_tool").Flag(), Fill: q.Get("fill").TextMap(),
	}
	return p
}

// ProviderKeys returns the settings that the manifest has for a provider, one Said
// for each key; of headers and other mappings, one for each field. nil if the
// manifest does not mention the provider.
func (s *ProjectFile) ProviderKeys(name string) []Said {
	row := s.Keys.Path("providers", name)
	if row == nil {
		return nil
	}
	var out []Said
	for _, f := range row.Fields {
		at := "providers." + name + "." + f.Name
		if f.Value.Kind != yamltree.Mapping {
			out = append(out, NewSaid(f.Value, at, f.Name))
			continue
		}
		for _, inner := range f.Value.Fields {
			out = append(out, NewSaid(inner.Value, at+"."+inner.Name, f.Name))
		}
	}
	return out
}

// Remotes returns the addresses to which a push to a clearance target also sends the branch;
// Key is the name of the target.
func (s *ProjectFile) Remotes() (out []Said) {
	targets := s.Keys.Path("clearance", "targets")
	if targets == nil {
		return nil
	}
	for _, f := range targets.Fields {
		if remote := f.Value.Get("remote"); remote != nil {
			out = append(out, NewSaid(remote, "clearance.targets."+f.Name+".remote", f.Name))
		}
	}
	return out
}

// ModuleImports returns the manifest's tools.allow_module_imports, which lets
// workers name modules outside the project; ok is false if it is not true.
func (s *ProjectFile) ModuleImports() (said Said, ok bool) {
	n := s.Keys.Path("tools", "allow_module_imports")
	if n == nil || !n.Flag() {
		return Said{}, false
	}
	return NewSaid(n, "tools.allow_module_imports", "allow_module_imports"), true
}
