package migrate

import (
	"path"
	"slices"
	"strings"

	"golem/core/yamltree"
)

// sandboxes rewrites the sandbox of the first llm-do: names of directories, at the top
// of the file, whose files its workers could read and write. In llm-do a directory
// without a mode is read-only; in golem it is not.
func (d *doc) sandboxes() {
	f, ok := field(d.tree, "sandboxes")
	if !ok || d.manifest {
		return
	}
	if f.Value.Empty() {
		d.remove(f, "sandboxes names no directory")
		return
	}
	_, both := field(d.tree, "sandbox")
	first, beyond, indent, ok := d.lines(f)
	from, to, found := d.span(f.Pos, f.Name)
	if both || !ok || !found || f.Value.Kind != yamltree.Mapping || !d.block(f.Value) || !d.mountsFit(f.Value) {
		d.leave(f.Pos, "sandboxes is called sandbox: {paths: {NAME: {root: DIR, mode: ro}}} in golem")
		return
	}
	edits := []edit{{from, to, "sandbox:" + d.newline() + strings.Repeat(" ", indent+2) + "paths"}}
	for line := first + 1; line < beyond; line++ {
		if strings.TrimSpace(d.lineOf(line)) != "" {
			edits = append(edits, edit{d.starts[line-1], d.starts[line-1], "  "})
		}
	}
	if toolsets := d.tree.Get("toolsets"); toolsets == nil {
		after := d.bytesOf(first, beyond, "")
		edits = append(edits, edit{after.to, after.to, d.line(indent, "toolsets:") + d.line(indent+2, "filesystem: {}")})
	}
	d.change(f.Pos, "sandboxes is called sandbox.paths, and the tools for files are the toolset filesystem", edits...)
}

// mountsFit reports whether the directories of a sandbox of llm-do are mappings in
// block style, which the later edits need.
func (d *doc) mountsFit(dirs *yamltree.Node) bool {
	return !slices.ContainsFunc(dirs.Fields, func(dir yamltree.Field) bool { return dir.Value.Kind != yamltree.Mapping || !d.block(dir.Value) })
}

// mounts renames the keys of directories, after sandboxes became sandbox.paths or
// toolsets.sandbox was moved.
func (d *doc) mounts(dirs *yamltree.Node) {
	for _, dir := range fieldsOf(dirs) {
		_, keyed := field(dir.Value, "root")
		for _, f := range dir.Value.Fields {
			switch f.Name {
			case "path":
				if !keyed {
					d.mountRoot(dir.Value, f)
				}
			case "allowed_suffixes":
				d.rename(f, "suffixes", "allowed_suffixes is called suffixes")
			case "max_bytes":
				d.rename(f, "max_file_bytes", "max_bytes is called max_file_bytes")
			}
		}
		d.mountApprovals(dir.Value)
	}
}

// mountRoot renames path to root and writes the mode that the mount had: without mode:,
// it was read-only.
func (d *doc) mountRoot(dir *yamltree.Node, f yamltree.Field) {
	from, to, ok := d.span(f.Pos, f.Name)
	with := "root"
	if _, has := field(dir, "mode"); !has {
		if _, _, indent, whole := d.lines(f); whole {
			with = "mode: ro" + d.newline() + strings.Repeat(" ", indent) + with
		} else {
			with = "mode: ro, " + with
		}
	}
	if ok {
		d.change(f.Pos, "the directory of a mount is its root; without mode: it was read-only", edit{from, to, with})
	}
}

// mountApprovals turns read_approval and write_approval of one directory into approval,
// with one change: one key without the other could take a question away. What asked
// still asks; writing that did not ask asks now, and a note tells the person.
func (d *doc) mountApprovals(dir *yamltree.Node) {
	if _, both := field(dir, "approval"); both {
		return
	}
	var names, asks []string
	var edits []edit
	var at, silent yamltree.Pos
	for _, name := range []string{"read_approval", "write_approval"} {
		f, ok := field(dir, name)
		if !ok {
			continue
		}
		first, beyond, indent, whole := d.lines(f)
		if !whole || f.Value.Tag != yamltree.TagBool {
			return
		}
		switch {
		case f.Value.Flag():
			asks = append(asks, strings.TrimSuffix(name, "_approval")+": ask")
		case name == "write_approval":
			silent = f.Pos
		}
		with := ""
		if len(asks) > 0 && (name == "write_approval" || !has(dir, "write_approval")) {
			with = d.line(indent, "approval: {"+strings.Join(asks, ", ")+"}")
		}
		names, at = append(names, name), f.Pos
		edits = append(edits, d.bytesOf(first, beyond, with))
	}
	note := strings.Join(names, " and ") + ": false is removed: golem decides by the risk"
	if len(asks) > 0 {
		note = strings.Join(names, " and ") + " is approval: {" + strings.Join(asks, ", ") + "}"
	}
	if len(edits) > 0 && d.change(at, note, edits...) && silent.Line > 0 {
		d.nowAsks(silent, "writing to this directory")
	}
}

func has(n *yamltree.Node, name string) bool {
	_, ok := field(n, name)
	return ok
}

// toolsetSandbox moves toolsets.sandbox of the second llm-do to sandbox.
func (d *doc) toolsetSandbox() {
	if paths := d.tree.Path("sandbox", "paths"); paths != nil {
		d.mounts(paths)
	}
	if d.manifest {
		return
	}
	toolsets, ok := field(d.tree, "toolsets")
	f, found := field(toolsets.Value, "sandbox")
	if !ok || !found {
		return
	}
	_, files := field(toolsets.Value, "filesystem")
	_, own := field(d.tree, "sandbox")
	first, beyond, indent, ok1 := d.lines(f)
	_, after, outer, ok2 := d.lines(toolsets)
	if !ok1 || !ok2 || own || f.Value.Kind == yamltree.List {
		d.leave(f.Pos, "write sandbox: {paths: …} at the top of the file, and toolsets: {filesystem: {}}")
		return
	}
	instead := ""
	if !files {
		instead = d.line(indent, "filesystem: {}")
	}
	edits := []edit{d.bytesOf(first, beyond, instead)}
	if !f.Value.Empty() {
		moved, fits := d.shifted(first, beyond, outer-indent)
		if !fits {
			return
		}
		if after == beyond {
			edits[0].with += moved
		} else {
			at := d.bytesOf(first, after, "").to
			edits = append(edits, edit{at, at, moved})
		}
	}
	d.change(f.Pos, "the toolset sandbox is called filesystem, and its directories stand in sandbox:", edits...)
}

// delegation rewrites toolsets.delegation, which has a list allow_workers, or the names
// of workers as keys.
func (d *doc) delegation() {
	toolsets := d.tree.Get("toolsets")
	f, ok := field(toolsets, "delegation")
	_, both := field(toolsets, "workers")
	if !ok || both || f.Value.Kind != yamltree.Mapping && f.Value.Tag != yamltree.TagNull {
		return
	}
	if list, ok := field(f.Value, "allow_workers"); ok && len(f.Value.Fields) == 1 {
		from, to, found := d.span(f.Pos, f.Name)
		from2, to2, found2 := d.span(list.Pos, list.Name)
		if found && found2 {
			d.change(f.Pos, "delegation is the toolset workers, with allowed_workers", edit{from, to, "workers"}, edit{from2, to2, "allowed_workers"})
		}
		return
	}
	if f.Value.Empty() {
		d.rename(f, "workers", "delegation is the toolset workers")
		return
	}
	d.nameList(f, "workers", "allowed_workers", "delegation is the toolset workers, with a list of allowed_workers")
}

// customNames rewrites toolsets.custom with a key for each tool as a list of tools.
func (d *doc) customNames() {
	f, ok := field(d.tree.Get("toolsets"), "custom")
	if !ok || len(f.Value.Fields) == 0 {
		return
	}
	for _, one := range f.Value.Fields {
		if slices.Contains([]string{"module", "tools", "approval", "modules"}, one.Name) || !one.Value.Empty() {
			return
		}
	}
	d.nameList(f, "custom", "tools", "the tools of custom are a list")
}

// nameList turns a mapping of names without options into a list below a key.
func (d *doc) nameList(f yamltree.Field, name, key, note string) {
	from, to, ok := d.span(f.Pos, f.Name)
	_, _, indent, whole := d.lines(f)
	if !ok || !whole || !d.block(f.Value) {
		return
	}
	edits := []edit{{from, to, name + ":" + d.newline() + strings.Repeat(" ", indent+2) + key}}
	for _, one := range f.Value.Fields {
		first, beyond, _, ok := d.lines(one)
		if !ok || beyond != first+1 || !one.Value.Empty() {
			d.leave(one.Pos, one.Name+" has options that golem does not have here: write "+name+": {"+key+": […]} yourself")
			return
		}
		start, end, ok := d.span(one.Pos, one.Name)
		if !ok {
			return
		}
		rest := d.lineOf(first)[end-d.starts[first-1]:]
		comment := ""
		if i := strings.Index(rest, " #"); i >= 0 {
			comment = rest[i:]
		}
		edits = append(edits, edit{d.starts[first-1], d.starts[first-1] + len(d.lineOf(first)), strings.Repeat(" ", indent+4) + "- " + string(d.data[start:end]) + comment})
	}
	d.change(f.Pos, note, edits...)
}

// workersAsToolsets moves workers that llm-do names among the toolsets to
// allow_workers.
func (d *doc) workersAsToolsets() {
	toolsets, ok := field(d.tree, "toolsets")
	if !ok || d.manifest || d.tree.Get("allow_workers") != nil || toolsets.Value.Get("workers") != nil || toolsets.Value.Get("delegation") != nil || !d.block(toolsets.Value) {
		return
	}
	_, beyond, indent, ok := d.lines(toolsets)
	if !ok {
		return
	}
	var edits []edit
	names, asks := "", ""
	for _, f := range toolsets.Value.Fields {
		ref := d.delegate(f.Name)
		if ref == "" {
			continue
		}
		options, free := d.delegateOptions(f)
		first, after, _, ok := d.lines(f)
		if !ok || !options {
			d.leave(f.Pos, f.Name+" is a worker: write allow_workers: ["+ref+"], and its approval in tool_rules")
			return
		}
		if !free {
			asks += d.line(indent+2, strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(ref, "./"), ".worker"), "/", "__")+": {approval_required: true}")
		}
		edits = append(edits, d.bytesOf(first, after, ""))
		names += d.line(indent+2, "- "+quoteIf(ref))
	}
	self := strings.TrimSuffix(path.Base(d.name), path.Ext(d.name))
	for _, item := range toolsets.Value.Items {
		if item.Text == self {
			d.leave(item.Pos, self+" calls itself: write it in allow_workers as ./"+d.name+", and delegation: {allow_recursion: true}")
		}
		if ref := d.delegate(item.Text); ref != "" {
			edits = append(edits, d.bytesOf(item.Line, item.Line+1, ""))
			names += d.line(indent+2, "- "+quoteIf(ref))
		}
	}
	if names == "" || asks != "" && d.tree.Get("tool_rules") != nil {
		return
	}
	if len(edits) == len(toolsets.Value.Fields)+len(toolsets.Value.Items) {
		edits = []edit{d.bytesOf(toolsets.Pos.Line, beyond, "")}
	}
	end := d.bytesOf(toolsets.Pos.Line, beyond, "").to
	text := d.line(indent, "allow_workers:") + names
	if asks != "" {
		text += d.line(indent, "tool_rules:") + asks
	}
	if last := &edits[len(edits)-1]; last.to == end {
		last.with = text
	} else {
		edits = append(edits, edit{end, end, text})
	}
	d.change(toolsets.Pos, "in golem, workers are not toolsets: allow_workers lists the workers that this one may call", edits...)
}

// delegate returns the reference of the worker that a toolset's name means; "" if it
// means none.
func (d *doc) delegate(name string) string {
	if name == "" || slices.Contains([]string{"filesystem", "custom", "shell", "workers", "sandbox", "delegation", "clearance", "filesystem_project"}, name) {
		return ""
	}
	return d.m.worker(d.name, name)
}

// delegateOptions reports whether a worker's options only say whether a call asks
// (known), and whether no call asks (free).
func (d *doc) delegateOptions(f yamltree.Field) (known, free bool) {
	if f.Value.Empty() {
		return true, true
	}
	if len(f.Value.Fields) != 1 || f.Value.Fields[0].Name != "_approval_config" {
		return false, false
	}
	free = true
	for _, one := range f.Value.Fields[0].Value.Fields {
		flag := one.Value.Get("pre_approved")
		if flag == nil || len(one.Value.Fields) != 1 {
			return false, false
		}
		free = free && flag.Flag()
	}
	return true, free
}

// filesystemNames renames filesystem_project, as llm-do calls the toolset filesystem.
func (d *doc) filesystemNames() {
	toolsets := d.tree.Get("toolsets")
	if toolsets == nil {
		return
	}
	for _, f := range toolsets.Fields {
		if f.Name == "filesystem_project" && toolsets.Get("filesystem") == nil {
			d.rename(f, "filesystem", "filesystem_project is the toolset filesystem")
		}
	}
	for _, item := range toolsets.Items {
		if item.Text == "filesystem_project" {
			d.replace(item, "filesystem", "filesystem_project is the toolset filesystem")
		}
	}
}
