package project

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// The directories of workers, tools and prompts if the manifest names no others.
const (
	defaultWorkers = "workers"
	defaultTools   = "toolsets" // beside tools/
	defaultPrompts = "prompts"
)

// manifestNames are the accepted names; a project has at most one (SPEC §3).
var manifestNames = []string{
	"project.yaml", "project.yml", "llm-do.yaml", "llm-do.yml", "golem-forge.config.yaml", "golem-forge.config.yml",
}

// HasManifest reports whether a directory has a project file in its root.
func HasManifest(fsys fs.FS) bool {
	return slices.ContainsFunc(manifestNames, func(name string) bool {
		_, err := fs.Lstat(fsys, name)
		return err == nil
	})
}

// readManifest finds and reads the project file. Only the root is looked at,
// never a parent.
func (p *Project) readManifest() fault.List {
	p.manifest = *newManifest(p.src.WorkersRoot)
	if p.src.NoManifest {
		return nil
	}
	s := &source{fs: p.src.FS, manifest: &p.manifest}
	found, shape := p.manifests(""), manifestShape
	if len(found) == 0 && p.exists(location{name: libraryFile}) {
		found, shape = []string{libraryFile}, libraryShape // a library that is looked at by itself
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
	default:
		faults := fault.List{yamltree.At(found[1], 1, 1).Fault(fault.MultipleManifests, "more than one project file: %s", strings.Join(found, ", ")).
			Hinting("keep one of them")}
		for _, other := range found[1:] { // a check goes on with the first
			faults = append(faults, p.manifestOf(&source{fs: p.src.FS, manifest: newManifest("")}, other, shape)...)
		}
		return append(faults, p.firstManifest(s, found[0], shape)...)
	}
	return p.firstManifest(s, found[0], shape)
}

// firstManifest reads the project file whose settings count.
func (p *Project) firstManifest(s *source, file string, shape *yamltree.Shape) fault.List {
	faults := p.manifestOf(s, file, shape)
	p.settings, p.defaults, p.sources[0].said, p.sources[0].raw = s.settings, s.defaults, s.said, s.raw
	if s.raw == nil && faults.Err() != nil {
		p.blind = file
	}
	return faults
}

// newManifest returns the settings without a project file; workers is the directory of
// the workers, "" for the default.
func newManifest(workers string) *Manifest {
	return &Manifest{
		WorkersRoots: []string{cmp.Or(workers, defaultWorkers)}, PromptsRoot: defaultPrompts, ToolRoots: []string{defaultTools},
		Include: []string{"**/*.worker", "**/*.yaml", "**/*.yml"}, Providers: map[string]Provider{},
	}
}

// manifests returns the names of the project files in the root of a source.
func (p *Project) manifests(source string) []string {
	var found []string
	for _, name := range manifestNames {
		if p.exists(location{source, name}) {
			found = append(found, name)
		}
	}
	return found
}

// manifestOf reads the project file or lib.yaml of a source into it.
func (p *Project) manifestOf(s *source, file string, shape *yamltree.Shape) fault.List {
	l := location{s.name, file}
	data, f := p.read(l, maxFile)
	if f != nil {
		return fault.List{f}
	}
	s.manifest.File = file
	tree, faults := yamltree.ParsePart(l.String(), data)
	if tree == nil {
		return faults
	}
	if tree.Kind != yamltree.Mapping {
		if len(faults) > 0 {
			return faults
		}
		return fault.List{tree.Pos.Fault(fault.Config, "expected a mapping, found %s", tree.Found())}
	}
	s.raw = tree
	c := &yamltree.Conformer{Faults: faults}
	if shape == manifestShape {
		tree = s.words(c, tree)
	}
	s.settings = c.Conform(tree, shape, "")
	s.fill(c)
	p.clearanceTargets(s, c)
	return c.Faults
}

// clearanceTargets reads the places that staged changes can be pushed to. As with
// mounts, only a person's --allow-outside lets a target lie outside the project.
func (p *Project) clearanceTargets(s *source, c *yamltree.Conformer) {
	all := s.settings.Path("clearance", "targets")
	if all == nil {
		return
	}
	s.manifest.Targets = map[string]Target{}
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
		cleaned, ok := inside(dir)
		if !ok && p.src.Flags.AllowOutside && s.library == "" && !strings.ContainsAny(dir, "~\\") && !yamltree.Invisible(dir) {
			cleaned, ok = path.Clean(dir), true
		}
		if !ok {
			c.Fail(at.Pos, "name a directory of the project with /, or run with --allow-outside", "the clearance target %s is outside the project", fault.Brief(dir))
			continue
		}
		if git != nil {
			s.manifest.Targets[f.Name] = Target{Git: cleaned, Branch: branch}
		} else {
			s.manifest.Targets[f.Name] = Target{Dir: cleaned}
		}
	}
}

// fill sets the fields of the manifest; settings for workers stay nodes, in s.defaults.
func (s *source) fill(c *yamltree.Conformer) {
	m, n := s.manifest, s.settings
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
		m.PromptsRoot, _ = inside(root.Text)
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
	s.defaults = &yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping}
	for _, key := range inherited {
		if v := n.Get(key); v != nil {
			s.defaults = s.defaults.With(key, v)
		}
	}
}

// engines are the platforms that have each tool engine (SPEC §6).
var engines = map[string][]string{"auto": {"native", "browser"}, "wazero": {"native", "browser"}, "browser": {"browser"}}

// engineFault returns a fault if a platform does not have the engine that the manifest
// names.
func (p *Project) engineFault(platform string) *fault.Fault {
	n := p.settings.Path("tools", "engine")
	if n == nil || platform == "" || slices.Contains(engines[n.Text], platform) {
		return nil
	}
	return n.Pos.Fault(fault.Platform, "the tool engine %s does not exist on platform %s, only on %s", n.Text, fault.Quoted(platform), strings.Join(engines[n.Text], ", ")).
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

func provider(n *yamltree.Node) Provider {
	p := Provider{
		BaseURL: n.Get("base_url").String(), APIKeyEnv: n.Get("api_key_env").String(),
		Image: n.Get("image").Flag(), PDF: n.Get("pdf").Flag(), JSON: n.Get("json").String(), API: n.Get("api").String(),
		Headers: n.Get("headers").TextMap(), Query: n.Get("query").TextMap(),
		Models: facts(n.Get("models")),
	}
	q := n.Get("quirks")
	p.Quirks = ProviderQuirks{
		NoUsage: q.Get("no_usage").Flag(), JSONAlone: q.Get("json_alone").Flag(), KeyHeader: q.Get("key_header").String(),
		Carry: q.Get("carry").Texts(), Settings: q.Get("settings").TextMap(),
		NoUserAfterTool: q.Get("no_user_after_tool").Flag(), Fill: q.Get("fill").TextMap(),
	}
	return p
}
