package project

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

const (
	maxSchemaFiles = 64
	maxDefinitions = 1000
	maxSchema      = 1 << 20 // bytes of a bundled schema
)

// target is a schema inside a document: a JSON pointer or an anchor.
type target struct{ file, fragment string }

// bundler gathers what a schema refers to under its own $defs, so that the
// result stands alone. Each target is copied once, which also ends recursion.
type bundler struct {
	b         *built
	root      target
	documents map[string]*node
	names     map[target]string // where a target lies in $defs
	taken     map[string]bool
	waiting   []target
	left      int // values that may still be copied
}

// bundle returns the schema that stands at root; used is where it is named.
func (k *bundler) bundle(root target, used at) (json.RawMessage, *fault.Fault) {
	k.root, k.left = root, 4*maxValues
	n, f := k.find(root, used)
	if f != nil {
		return nil, f
	}
	if root.fragment == "" {
		for _, key := range fieldsOf(n.get("$defs")) {
			k.taken[key.name] = true
		}
	}
	out, f := k.copySchema(n, root.file, true)
	if f != nil {
		return nil, f
	}
	defs := out.get("$defs")
	if defs == nil || root.fragment != "" {
		defs = &node{at: out.at, kind: dict}
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
		defs = defs.with(k.names[t], c)
	}
	if len(defs.fields) > 0 {
		out = out.with("$defs", defs)
	}
	raw, err := out.json()
	if err != nil {
		f := fault.Of(err, fault.Schema)
		f.Code = fault.Schema
		return nil, f
	}
	if len(raw) > maxSchema {
		return nil, used.fault(fault.Schema, "the schema is larger than %d KB with all it refers to", maxSchema>>10)
	}
	return raw, nil
}

func fieldsOf(n *node) []field {
	if n == nil {
		return nil
	}
	return n.fields
}

// find follows a fragment into a document; used is where it is referred to.
func (k *bundler) find(t target, used at) (*node, *fault.Fault) {
	n, f := k.document(t.file)
	if f != nil {
		if f.Where == nil {
			f = f.At(used.file, used.line, used.column)
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
		return nil, used.fault(fault.Schema, "%s has no anchor %s", t.file, quoted(t.fragment))
	}
	for _, step := range strings.Split(t.fragment[1:], "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(unescape(step))
		next := n.get(step)
		if i, err := strconv.Atoi(step); next == nil && err == nil && n.kind == list && i >= 0 && i < len(n.items) {
			next = n.items[i]
		}
		if next == nil {
			hint := ""
			if n.kind == dict {
				names := make([]string, 0, len(n.fields))
				for _, f := range n.fields[:min(len(n.fields), 50)] {
					names = append(names, brief(f.name))
				}
				hint = fault.DidYouMean(step, names)
			}
			return nil, used.fault(fault.Schema, "%s has no schema at #%s", t.file, brief(t.fragment)).Hinting("%s", hint)
		}
		n = next
	}
	if n.kind != dict && (n.kind != scalar || n.tag != tagBool) {
		return nil, used.fault(fault.Schema, "%s#%s is no schema", t.file, brief(t.fragment))
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

func anchored(n *node, name string, depth int) *node {
	if depth > maxDepth {
		return nil
	}
	if a := n.get("$anchor"); a != nil && a.text == name {
		return n
	}
	for _, f := range n.fields {
		if found := anchored(f.value, name, depth+1); found != nil {
			return found
		}
	}
	for _, item := range n.items {
		if found := anchored(item, name, depth+1); found != nil {
			return found
		}
	}
	return nil
}

// reference rewrites one $ref to where its target will lie in the bundle.
func (k *bundler) reference(ref *node, file string) (*node, *fault.Fault) {
	name, fragment, _ := strings.Cut(ref.text, "#")
	t := target{file, fragment}
	if name != "" {
		if strings.Contains(name, ":") {
			return nil, ref.at.fault(fault.Schema, "%s is remote: schemas are not fetched", quoted(ref.text)).
				Hinting("save it in the project and refer to the file")
		}
		dir := path.Dir(strings.TrimPrefix(file, "builtin/"))
		if !k.b.d.builtin {
			dir = path.Dir(file)
		}
		if path.IsAbs(name) || strings.Contains(name, "\\") || invisible(name) {
			return nil, ref.at.fault(fault.Path, "the schema file %s is not inside the project", quoted(name))
		}
		found, f := k.b.lookSchema(name, dir, "schemas")
		if f != nil {
			return nil, f.At(ref.file, ref.line, ref.column)
		}
		t.file = found
	}
	if _, f := k.find(t, ref.at); f != nil {
		return nil, f
	}
	out := *ref
	switch {
	case t == k.root:
		out.text = "#"
	case t.file == k.root.file && k.root.fragment == "" && strings.HasPrefix(t.fragment, "/"):
		out.text = "#" + t.fragment // the whole document is the bundle's root
	default:
		out.text = "#/$defs/" + k.name(t)
		if len(k.names) > maxDefinitions {
			return nil, ref.at.fault(fault.Schema, "the schema refers to more than %d others", maxDefinitions)
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

// compile tells what is wrong with a schema that stands alone, by the rules
// that will validate with it.
func compile(raw json.RawMessage) *fault.Fault {
	_, err := tool.Compile(raw)
	return fault.Of(err, fault.Schema)
}
