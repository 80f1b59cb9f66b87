package migrate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/yamltree"
)

// rules are applied in this order. A rule that finds nothing to do changes nothing.
var rules = []func(*doc){
	(*doc).sandboxes, (*doc).toolsetSandbox, (*doc).delegation, (*doc).customNames, (*doc).workersAsToolsets,
	(*doc).filesystemNames, (*doc).approvals, (*doc).removeMeaningless, (*doc).renamed, (*doc).spelling, (*doc).models, (*doc).patterns, (*doc).workerName,
	(*doc).references, (*doc).modules, (*doc).schemas, (*doc).directories,
}

// spelling corrects keys in camelCase, values with missing or needless quotes, and a
// name in the place of a list.
func (d *doc) spelling() {
	config.Misspelt(d.tree, d.manifest, func(at yamltree.Pos, has, write string) {
		if from, to, ok := d.span(at, has); ok {
			d.change(at, fmt.Sprintf("%s is written %s", has, write), edit{from, to, write})
		}
	})
}

// models writes model: as provider:name. It removes a model: without a value, which
// means the same as no key.
func (d *doc) models() {
	f, ok := field(d.tree, "model")
	if !ok {
		return
	}
	if f.Value.Kind == yamltree.Scalar && f.Value.Tag == yamltree.TagNull {
		d.remove(f, "model has no value: without the key the project's model counts")
		return
	}
	names := f.Value.Items
	if f.Value.Kind == yamltree.Scalar {
		names = []*yamltree.Node{f.Value}
	}
	for _, n := range names {
		if _, ours := d.m.p.Manifest.Providers[strings.SplitN(n.Text, ":", 2)[0]]; ours {
			continue
		}
		if write := config.ModelName(n.Text); write != "" && n.Kind == yamltree.Scalar {
			d.replace(n, write, "a model is written provider:name: "+write)
		}
	}
}

// patterns writes compatible_models with golem's names of providers, if the provider of
// a pattern is another tool's name for one.
func (d *doc) patterns() {
	list := d.tree.Get("compatible_models")
	if d.manifest || list == nil {
		return
	}
	for _, n := range list.Items {
		provider, _, ok := strings.Cut(n.Text, ":")
		if _, ours := d.m.p.Manifest.Providers[provider]; ours || !ok || n.Kind != yamltree.Scalar {
			continue
		}
		if write := config.ModelName(n.Text); write != "" {
			d.replace(n, write, "compatible_models are patterns of provider:name: "+write)
		}
	}
}

// workerName writes the worker's ID as its name:, below a workers root (S2-32).
func (d *doc) workerName() {
	name := d.tree.Get("name")
	if id := d.m.rooted(d.name); !d.manifest && name != nil && id != "" && name.Text != id && d.m.faults[name.Pos] == fault.NameMismatch {
		d.replace(name, id, "the file's place gives the worker the ID "+id)
	}
}

// removeMeaningless removes keys of llm-do and golem-forge that mean nothing in golem.
func (d *doc) removeMeaningless() {
	if d.manifest {
		return
	}
	for _, f := range d.tree.Fields {
		switch {
		case f.Name == "locked":
			d.remove(f, "golem never writes workers, so none is locked")
		case f.Name == "server_side_tools" && f.Value.Empty():
			d.remove(f, "there are no tools at the provider in golem, and none is named")
		case f.Name == "server_side_tools":
			d.leave(f.Pos, "server_side_tools: write server_tools: [web_search, code_execution] with sandbox: {network_enabled: true}, toolsets: {web: {}} for web_fetch, use a tool module with allowed_hosts for the rest, and remove the key")
		case f.Name == "custom_tools" && f.Value.Empty():
			d.remove(f, "custom_tools names no tool")
		case f.Name == "entry" && f.Value.Tag == yamltree.TagBool && (d.name == "main.worker" || !f.Value.Flag()):
			d.remove(f, "main.worker is the entry without saying so")
		case f.Name == "entry":
			d.leave(f.Pos, "entry: name the worker that a run starts with in project.yaml (entry: "+strings.TrimSuffix(d.name, path.Ext(d.name))+"), and remove the key here")
		}
	}
	if rules := d.tree.Get("tool_rules"); rules != nil && rules.Kind == yamltree.Mapping {
		for _, rule := range rules.Fields {
			for _, f := range rule.Value.Fields {
				if (f.Name == "name" || f.Name == "description") && len(rule.Value.Fields) > 1 {
					d.remove(f, "a rule has no "+f.Name+" in golem; its key names the tool")
				}
			}
		}
	}
}

// renamed renames keys that have another name in golem and take the same value.
func (d *doc) renamed() {
	if d.manifest {
		return
	}
	for _, names := range [][2]string{{"input_model_ref", "input_schema"}, {"output_model_ref", "output_schema"}, {"system_prompt", "instructions"}} {
		from, to := names[0], names[1]
		f, ok := field(d.tree, from)
		_, both := field(d.tree, to)
		if !ok || both || to == "instructions" && d.body >= 0 {
			continue
		}
		d.rename(f, to, from+" is called "+to)
	}
}

// references rewrites references to workers in the form of another tool.
func (d *doc) references() {
	if d.manifest {
		return
	}
	for _, list := range []*yamltree.Node{d.tree.Get("allow_workers"), d.tree.Path("toolsets", "workers", "allowed_workers"), d.tree.Path("imports", "workers")} {
		if list == nil {
			continue
		}
		for _, item := range list.Items {
			if code := d.m.faults[item.Pos]; code != fault.WorkerNotFound && code != fault.Path {
				continue
			}
			if ref := d.m.worker(d.name, item.Text); ref != "" && ref != item.Text {
				d.replace(item, quoteIf(ref), item.Text+" is "+ref+", from the project's root")
			}
		}
	}
}

// worker finds the one worker that a reference of another tool means: by its
// ID, beside the file that names it, beside main.worker, or by its name:. "" if
// there is none, or more than one.
func (m *pass) worker(from, ref string) string {
	id := strings.TrimSuffix(strings.TrimPrefix(ref, "./"), ".worker")
	for _, id := range []string{id, strings.TrimPrefix(id, "workers/")} {
		if project.CheckReference(id) == nil && m.hasID(id) {
			return id
		}
	}
	for _, dir := range []string{path.Dir(from), "."} {
		name := path.Join(dir, ref)
		for _, file := range []string{name, name + ".worker", name + ".yaml", name + ".yml", path.Join(name, "worker.worker")} {
			if m.exists(file) && !strings.HasPrefix(file, "../") && slices.Contains([]string{".worker", ".yaml", ".yml"}, path.Ext(file)) && file != from {
				return "./" + file
			}
		}
	}
	found := slices.DeleteFunc(slices.Clone(m.called(ref)), func(file string) bool { return file == from })
	if len(found) != 1 {
		return ""
	}
	if id := m.rooted(found[0]); id != "" {
		return id
	}
	return "./" + found[0]
}

// called returns the worker files whose name: is name.
func (m *pass) called(name string) []string {
	if m.names == nil {
		m.names = map[string][]string{}
		for _, file := range m.definitions() {
			if d := m.open(file); d != nil && d.tree != nil && !d.manifest {
				called := d.tree.Get("name").String()
				m.names[called] = append(m.names[called], file)
			}
		}
	}
	return m.names[name]
}

func (m *pass) hasID(id string) bool {
	return slices.ContainsFunc(m.rows, func(r project.Listing) bool { return r.ID == id && r.Source == "project" && m.rooted(r.Path) == id })
}

// modules rewrites two kinds of references: to the source code of a tool whose module
// exists, and to a module or a JavaScript or TypeScript source beside the worker that names it.
func (d *doc) modules() {
	var refs []*yamltree.Node
	for _, list := range []*yamltree.Node{d.tree.Path("tools", "modules"), d.tree.Path("imports", "tools")} {
		if list != nil {
			refs = append(refs, list.Items...)
		}
	}
	if n := d.tree.Path("toolsets", "custom", "module"); n != nil {
		refs = append(refs, n)
	}
	for _, n := range refs {
		ext := path.Ext(n.Text)
		if n.Kind != yamltree.Scalar || strings.Contains(n.Text, ":") || ext != "" && !slices.Contains(project.ToolSources, ext) && ext != ".wasm" {
			continue
		}
		stem := strings.TrimSuffix(n.Text, ext)
		beside := path.Join(path.Dir(d.name), stem)
		switch {
		case d.m.built(path.Clean(stem)) && ext != "" && ext != ".wasm":
			d.replace(n, stem+".wasm", "golem runs "+path.Base(stem)+".wasm, which was built of it")
		case d.m.built(path.Clean(stem)) || d.m.faults[n.Pos] == "":
		case d.m.built(beside):
			d.replace(n, "./"+beside+".wasm", "paths are relative to the project's root")
		case slices.Contains(config.SourceExtensions, ext) && d.m.exists(beside+ext): // golem runs it as it is
			d.replace(n, "./"+beside+ext, "paths are relative to the project's root")
		}
	}
}

func (m *pass) built(stem string) bool { return m.exists(stem + ".wasm") }

// schemas rewrites references to Python classes whose JSON Schema exists.
func (d *doc) schemas() {
	for _, key := range []string{"input_schema", "output_schema", "schema_in_ref", "output_schema_ref"} {
		n := d.tree.Get(key)
		file, class, ok := strings.Cut(n.String(), ".py:")
		if n == nil || d.manifest || n.Kind != yamltree.Scalar || !ok || class == "" || strings.Contains(file, "..") {
			continue
		}
		if d.m.exists(path.Join(path.Dir(d.name), file+".json")) || d.m.exists(path.Join("schemas", file+".json")) {
			d.replace(n, fmt.Sprintf("%q", file+".json#/$defs/"+class), "golem reads "+file+".json, the JSON Schema of it")
		}
	}
}

// directories makes directories relative to the project's root.
func (d *doc) directories() {
	var roots []*yamltree.Node
	box := d.tree.Get("sandbox")
	add := func(n *yamltree.Node) {
		if n != nil && n.Kind == yamltree.Scalar && n.Tag == yamltree.TagText {
			roots = append(roots, n)
		}
	}
	add(box.Get("root"))
	for _, f := range fieldsOf(box.Get("paths")) {
		add(f.Value.Get("root"))
	}
	if mounts := box.Get("mounts"); mounts != nil {
		for _, item := range mounts.Items {
			add(item.Get("source"))
		}
	}
	if d.manifest {
		add(d.tree.Path("workers", "root"))
		add(d.tree.Path("prompts", "root"))
		for _, list := range []*yamltree.Node{d.tree.Path("workers", "paths"), d.tree.Get("workerPaths"), d.tree.Path("tools", "roots")} {
			if list != nil {
				for _, item := range list.Items {
					add(item)
				}
			}
		}
	}
	for _, n := range roots {
		if d.m.faults[n.Pos] == "" {
			continue
		}
		slashed := strings.ReplaceAll(n.Text, `\`, "/")
		rest, inside := strings.CutPrefix(path.Clean(slashed), strings.TrimSuffix(d.m.src.Root, "/")+"/")
		beside := path.Join(path.Dir(d.name), slashed)
		switch {
		case inside && d.m.src.Root != "":
			d.replace(n, quoteIf("./"+rest), "directories are relative to the project's root")
		case path.IsAbs(slashed) || strings.HasPrefix(slashed, "~"):
		case d.m.dir(beside) && slashed != n.Text || d.m.dir(beside) && strings.Contains(slashed, ".."):
			d.replace(n, quoteIf("./"+strings.TrimPrefix(beside, "./")), "directories are relative to the project's root")
		}
	}
}

func fieldsOf(n *yamltree.Node) []yamltree.Field {
	if n == nil {
		return nil
	}
	return n.Fields
}

// quoteIf puts a text in quotes unless it is plain YAML as it stands.
func quoteIf(s string) string {
	if strings.ContainsAny(s, " :#'\"{}[],&*!|>%@`\\") {
		return fmt.Sprintf("%q", s)
	}
	return s
}
