package project

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/tool"
	"golem/core/yamltree"
)

const (
	maxSchemaFiles = 64
	maxDefinitions = 1000
	maxSchema      = 1 << 20 // bytes of a bundled schema
)

// target is a schema inside a document: a JSON pointer or an anchor.
type target struct{ file, fragment string }

// bundler copies what a schema refers to into its own $defs, so that the result needs
// no other file. Each target is copied once, which also ends recursion.
type bundler struct {
	b         *built
	root      target
	documents map[string]*yamltree.Node
	names     map[target]string // the key of a target in $defs
	taken     map[string]bool
	waiting   []target
	left      int // values that may still be copied
}

// bundle returns the schema at root with everything that it refers to; used is the
// position of the reference to it, for faults.
func (k *bundler) bundle(root target, used yamltree.Pos) (json.RawMessage, *fault.Fault) {
	k.root, k.left = root, 4*yamltree.MaxValues
	n, f := k.find(root, used)
	if f != nil {
		return nil, f
	}
	if root.fragment == "" {
		for _, key := range config.FieldsOf(n.Get("$defs")) {
			k.taken[key.Name] = true
		}
	}
	out, f := k.copySchema(n, root.file, true)
	if f != nil {
		return nil, f
	}
	defs := out.Get("$defs")
	if defs == nil || root.fragment != "" {
		defs = &yamltree.Node{Pos: out.Pos, Kind: yamltree.Mapping}
	}
	for i := 0; i < len(k.waiting); i++ {
		t := k.waiting[i]
		n, f := k.find(t, used)
		if f != nil {
			return nil, f
		}
		c, f := k.copySchema(n, t.file, true)
		if f != nil {
			return nil, f
		}
		defs = defs.With(k.names[t], c)
	}
	if len(defs.Fields) > 0 {
		out = out.With("$defs", defs)
	}
	raw, err := out.JSON()
	if err != nil {
		f := fault.Of(err, fault.Schema)
		f.Code = fault.Schema
		return nil, f
	}
	if len(raw) > maxSchema {
		return nil, used.Fault(fault.Schema, "the schema and everything it refers to have more than %d KB", maxSchema>>10)
	}
	return raw, nil
}

// find returns the schema of a target; used is the position of the reference to it.
func (k *bundler) find(t target, used yamltree.Pos) (*yamltree.Node, *fault.Fault) {
	n, f := k.document(t.file)
	if f != nil {
		if f.Where == nil {
			f = f.At(used.File, used.Line, used.Column)
		}
		return nil, f
	}
	switch {
	case t.fragment == "":
		return n, nil
	case t.fragment[0] != '/':
		if found := anchored(n, t.fragment, 0); found != nil {
			return found, nil
		}
		return nil, used.Fault(fault.Schema, "%s has no anchor %s", t.file, fault.Quoted(t.fragment))
	}
	for _, step := range strings.Split(t.fragment[1:], "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(unescape(step))
		next := n.Get(step)
		if i, err := strconv.Atoi(step); next == nil && err == nil && n.Kind == yamltree.List && i >= 0 && i < len(n.Items) {
			next = n.Items[i]
		}
		if next == nil {
			hint := ""
			if n.Kind == yamltree.Mapping {
				names := make([]string, 0, len(n.Fields))
				for _, f := range n.Fields[:min(len(n.Fields), 50)] {
					names = append(names, fault.Brief(f.Name))
				}
				hint = fault.DidYouMean(step, names)
			}
			return nil, used.Fault(fault.Schema, "%s has no schema at #%s", t.file, fault.Brief(t.fragment)).Hinting("%s", hint)
		}
		n = next
	}
	if n.Kind != yamltree.Mapping && (n.Kind != yamltree.Scalar || n.Tag != yamltree.TagBool) {
		return nil, used.Fault(fault.Schema, "%s#%s is not a schema", t.file, fault.Brief(t.fragment))
	}
	return n, nil
}

// unescape undoes the percent-encoding of a URI fragment.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				out.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

func anchored(n *yamltree.Node, name string, depth int) *yamltree.Node {
	if depth > yamltree.MaxDepth {
		return nil
	}
	if a := n.Get("$anchor"); a != nil && a.Text == name {
		return n
	}
	for _, f := range n.Fields {
		if found := anchored(f.Value, name, depth+1); found != nil {
			return found
		}
	}
	for _, item := range n.Items {
		if found := anchored(item, name, depth+1); found != nil {
			return found
		}
	}
	return nil
}

// reference returns a $ref to the place that the target will have in the bundle.
func (k *bundler) reference(ref *yamltree.Node, file string) (*yamltree.Node, *fault.Fault) {
	name, fragment, _ := strings.Cut(ref.Text, "#")
	t := target{file, fragment}
	if name != "" {
		if strings.Contains(name, ":") {
			return nil, ref.Pos.Fault(fault.Schema, "%s is a remote schema, and golem does not load schemas from the network", fault.Quoted(ref.Text)).
				Hinting("save it in the project and refer to the file")
		}
		dir := path.Dir(k.b.d.Parse(file).Name)
		if path.IsAbs(name) || strings.Contains(name, "\\") || yamltree.Invisible(name) {
			return nil, ref.Pos.Fault(fault.Path, "the schema file %s is not inside the project", fault.Quoted(name))
		}
		found, f := k.b.lookSchema(name, dir, "schemas")
		if f != nil {
			return nil, f.At(ref.File, ref.Line, ref.Column)
		}
		t.file = found
	}
	if _, f := k.find(t, ref.Pos); f != nil {
		return nil, f
	}
	out := *ref
	switch {
	case t == k.root:
		out.Text = "#"
	case t.file == k.root.file && k.root.fragment == "" && strings.HasPrefix(t.fragment, "/"):
		out.Text = "#" + t.fragment // the whole document is the bundle's root
	default:
		out.Text = "#/$defs/" + k.name(t)
		if len(k.names) > maxDefinitions {
			return nil, ref.Pos.Fault(fault.Schema, "the schema refers to more than %d other schemas", maxDefinitions)
		}
	}
	return &out, nil
}

// name chooses the target's key in $defs.
func (k *bundler) name(t target) string {
	if name, ok := k.names[t]; ok {
		return name
	}
	base := path.Base(t.fragment)
	if t.fragment == "" {
		base = strings.TrimSuffix(path.Base(t.file), ".json")
	}
	base = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, base)
	name := base
	for i := 2; k.taken[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	k.taken[name] = true
	k.names[t] = name
	k.waiting = append(k.waiting, t)
	return name
}

// compile returns what is wrong with a bundled schema, by the rules of the package that
// will validate with it.
func compile(raw json.RawMessage) *fault.Fault {
	_, err := tool.Compile(raw)
	return fault.Of(err, fault.Schema)
}
