package migrate

import (
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/yamltree"
)

// reads are the tools that run without asking anyway: their risk is read.
var reads = []string{"read_file", "list_files", "search_files", "file_info", "file_exists"}

// approvals rewrites the approval of a toolset that has the key of another tool. It
// skips a toolset that also has golem's own key.
func (d *doc) approvals() {
	for _, toolset := range fieldsOf(d.tree.Get("toolsets")) {
		if _, both := field(toolset.Value, "approval"); both {
			continue
		}
		for _, f := range toolset.Value.Fields {
			switch f.Name {
			case "approvalConfig", "approval_config":
				d.approvalConfig(f)
			case "_approval_config":
				d.approvalList(f)
			}
		}
	}
}

// approvalConfig renames the key to approval, which has the same form. Settings that
// would let a tool run without asking become ask.
func (d *doc) approvalConfig(f yamltree.Field) {
	from, to, ok := d.span(f.Pos, f.Name)
	if !ok {
		return
	}
	edits := []edit{{from, to, "approval"}}
	var asks []yamltree.Field
	stricter := func(tool string, n *yamltree.Node) bool {
		if n == nil || n.Kind != yamltree.Scalar || slices.Contains(reads, tool) || !strings.EqualFold(strings.ReplaceAll(n.Text, "_", ""), "preapproved") {
			return true
		}
		from, to, ok := d.span(n.Pos, n.Text)
		edits, asks = append(edits, edit{from, to, "ask"}), append(asks, yamltree.Field{Name: tool, Pos: n.Pos})
		return ok
	}
	fits := stricter("every other tool", f.Value.Get("default"))
	for _, one := range fieldsOf(f.Value.Get("tools")) {
		fits = stricter(one.Name, one.Value) && fits
	}
	if !fits || f.Value.Kind != yamltree.Mapping {
		d.leave(f.Pos, f.Name+" is called approval")
		return
	}
	if d.change(f.Pos, f.Name+" is called approval", edits...) {
		for _, one := range asks {
			d.nowAsks(one.Pos, one.Name)
		}
	}
}

func (d *doc) nowAsks(at yamltree.Pos, what string) {
	last := &d.changes[len(d.changes)-1]
	last.tighter = append(last.tighter, Note{d.name, at.Line, what + " was approved without asking; now it asks. If it is to run without asking, write preApproved"})
}

// approvalList rewrites _approval_config, which has {pre_approved: true} for each tool
// that runs without asking.
func (d *doc) approvalList(f yamltree.Field) {
	from, to, ok := d.span(f.Pos, f.Name)
	first, beyond, indent, whole := d.lines(f)
	if !ok || !whole || f.Value.Kind != yamltree.Mapping || !d.block(f.Value) {
		d.leave(f.Pos, "_approval_config is called approval: {tools: {TOOL: ask}}")
		return
	}
	edits := []edit{{from, to, "approval:" + d.newline() + strings.Repeat(" ", indent+2) + "tools"}}
	for line := first + 1; line < beyond; line++ {
		if strings.TrimSpace(d.lineOf(line)) != "" {
			edits = append(edits, edit{d.starts[line-1], d.starts[line-1], "  "})
		}
	}
	var asks []yamltree.Field
	for _, one := range f.Value.Fields {
		flag, _ := field(one.Value, "pre_approved")
		_, colon, ok1 := d.span(one.Pos, one.Name)
		if flag.Value == nil || len(one.Value.Fields) != 1 {
			d.leave(one.Pos, "write approval: {tools: {"+one.Name+": ask}} yourself")
			return
		}
		_, end, ok2 := d.span(flag.Value.Pos, flag.Value.Text)
		if one.Value.Line == one.Pos.Line { // in braces
			if i := strings.IndexByte(string(d.data[min(end, len(d.data)):]), '}'); i >= 0 && strings.TrimSpace(string(d.data[end:end+i])) == "" {
				end += i + 1
			}
		}
		if !ok1 || !ok2 || strings.Contains(string(d.data[colon:end]), "#") {
			d.leave(one.Pos, "write approval: {tools: {"+one.Name+": ask}} yourself")
			return
		}
		setting := ": ask"
		if flag.Value.Flag() && slices.Contains(reads, one.Name) {
			setting = ": preApproved"
		} else if flag.Value.Flag() {
			asks = append(asks, one)
		}
		edits = slices.DeleteFunc(edits, func(e edit) bool { return e.from > colon && e.from < end })
		edits = append(edits, edit{colon, end, setting})
	}
	if d.change(f.Pos, "_approval_config is called approval, with a setting for each of its tools", edits...) {
		for _, one := range asks {
			d.nowAsks(one.Pos, one.Name)
		}
	}
}

// rights counts the settings of a file, by path, that let something run without asking
// or reach further. Only settings that golem reads count.
func (d *doc) rights() map[string]int {
	out := map[string]int{}
	if d.tree == nil {
		return out
	}
	known := config.Known(d.tree, d.manifest)
	if known == nil {
		return out
	}
	known.Walk("", func(at string, n *yamltree.Node) {
		key := at[strings.LastIndexByte(at, '.')+1:]
		switch {
		case n.Kind == yamltree.List && key == "rules":
			for _, rule := range n.Items {
				if rule.Get("decide").String() == "preApproved" {
					out[at]++
				}
			}
		case n.Kind == yamltree.List && key == "allowed_hosts":
			out[at] += len(n.Items)
		case reaches(at) && !n.Empty():
			out[at] += max(1, len(n.Items))
		case n.Kind != yamltree.Scalar:
		case n.Text == "preApproved" && !slices.Contains(reads, key) && key != "read", key == "approval_required" && !n.Flag(),
			slices.Contains(widening, key) && n.Flag(), at == "approval.mode" && n.Text != "interactive":
			out[at]++
		}
	})
	return out
}

// reaches reports whether a setting of a toolset gives what it names: files, secrets
// and memory of modules, servers, directories and variables of commands.
func reaches(at string) bool {
	for _, toolset := range []string{"toolsets.custom.modules.", "toolsets.mcp.", "toolsets.shell."} {
		if strings.HasPrefix(at, toolset) {
			return !strings.Contains(at, ".approval") && !strings.Contains(at, ".rules")
		}
	}
	return false
}

// widening are flags that allow something.
var widening = []string{"network_enabled", "allow_module_imports", "allow_recursion"}

// hasMore reports whether after has a right that before does not have.
func hasMore(before, after map[string]int) bool {
	for at, n := range after {
		if n > before[at] {
			return true
		}
	}
	return false
}
