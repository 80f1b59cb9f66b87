package config

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/yamltree"
)

// AddRule returns the text of a person's configuration with one more rule at the end
// of those for the project at root. Comments and everything else stay as they are. If
// the text is written in a way that does not allow this, it fails with the lines that
// a person can add.
func AddRule(data []byte, root, home string, r approval.Rule) ([]byte, error) {
	return editRules(data, root, home, func(t *configText, path []string) ([]byte, *yamltree.Node) {
		item, _ := yamltree.Parse("rule", []byte(r.YAML()))
		old := t.tree.Path(path...)
		rules := &yamltree.Node{Kind: yamltree.List, Items: []*yamltree.Node{item}}
		if old != nil {
			rules.Items = slices.Concat(old.Items, rules.Items)
		}
		return t.add(path, r.YAML()), set(t.tree, path, rules)
	}, "add this rule to it by hand, under projects: "+root+": approval: rules:   - "+r.YAML())
}

// RemoveRule returns the text of a person's configuration without rule number n, from
// 1, of those for the project at root.
func RemoveRule(data []byte, root, home string, n int) ([]byte, error) {
	return editRules(data, root, home, func(t *configText, path []string) ([]byte, *yamltree.Node) {
		old := t.tree.Path(path...)
		if old == nil || n < 1 || n > len(old.Items) {
			return nil, nil
		}
		rules := &yamltree.Node{Kind: yamltree.List, Items: slices.Delete(slices.Clone(old.Items), n-1, n)}
		return t.remove(path, n-1), set(t.tree, path, rules)
	}, "remove the rule by hand, under projects: "+root+": approval: rules:")
}

// RuleKeys returns the keys under projects: of a person's configuration that begin with
// a prefix, with home in the place of ~.
func RuleKeys(data []byte, prefix, home string) (keys []string) {
	tree, _ := yamltree.Parse("config.yaml", data)
	if projects := tree.Get("projects"); projects != nil {
		for _, f := range projects.Fields {
			if key := whole(f.Name, home); strings.HasPrefix(key, prefix) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// editRules edits the text and checks that the result has the intended change and no
// other.
func editRules(data []byte, root, home string, edit func(*configText, []string) ([]byte, *yamltree.Node), hint string) ([]byte, error) {
	if _, err := ReadPerson("config.yaml", data, root, home); err != nil {
		return nil, err
	}
	t := newConfigText(data)
	key := keyOf(t.tree.Get("projects"), root, home)
	if key == "" {
		key = root
	}
	next, want := edit(t, []string{"projects", key, "approval", "rules"})
	got, faults := yamltree.Parse("config.yaml", next)
	_, err := ReadPerson("config.yaml", next, root, home)
	if want == nil || len(faults) > 0 || err != nil || !sameTree(want, got) {
		return nil, fault.New(fault.Config, "config.yaml is written in a way that golem cannot change").Hinting("%s", hint)
	}
	return next, nil
}

// set returns a tree in which the path has a value; n may be nil.
func set(n *yamltree.Node, path []string, value *yamltree.Node) *yamltree.Node {
	if len(path) == 0 {
		return value
	}
	if n == nil || n.Kind != yamltree.Mapping {
		n = &yamltree.Node{Kind: yamltree.Mapping}
	}
	return n.With(path[0], set(n.Get(path[0]), path[1:], value))
}

// sameTree reports whether two trees are equal apart from their positions.
func sameTree(a, b *yamltree.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Text == b.Text && slices.EqualFunc(a.Items, b.Items, sameTree) &&
		slices.EqualFunc(a.Fields, b.Fields, func(x, y yamltree.Field) bool { return x.Name == y.Name && sameTree(x.Value, y.Value) })
}

// configText is a YAML file that is edited at the positions of its tree.
type configText struct {
	data    []byte
	tree    *yamltree.Node
	starts  []int // offsets of the lines
	newline string
}

func newConfigText(data []byte) *configText {
	t := &configText{data: data, starts: []int{0}, newline: "\n"}
	t.tree, _ = yamltree.Parse("config.yaml", data)
	for i, b := range data {
		if b == '\n' {
			t.starts = append(t.starts, i+1)
		}
	}
	if bytes.Contains(data, []byte("\r\n")) {
		t.newline = "\r\n"
	}
	return t
}

// add puts an item at the end of the list at path, which need not exist.
func (t *configText) add(path []string, item string) []byte {
	if t.tree == nil {
		return t.insert(len(t.data), t.nested(0, path, item))
	}
	n := t.tree
	for i, name := range path {
		value := n.Get(name)
		if value == nil {
			return t.append(n, path[i:], item)
		}
		if value.Kind == yamltree.Scalar { // the key is there, and has no value
			at := slices.IndexFunc(n.Fields, func(f yamltree.Field) bool { return f.Name == name })
			pos := n.Fields[at].Pos
			return t.insert(t.lineEnd(pos.Line), t.nested(pos.Column+1, path[i+1:], item))
		}
		n = value
	}
	return t.append(n, nil, item)
}

// append adds the rest of a path at the end of a mapping, or the item to a list.
func (t *configText) append(n *yamltree.Node, rest []string, item string) []byte {
	start := t.offset(n.Pos)
	if c := t.data[start]; c == '{' || c == '[' {
		commas, end := t.flow(start)
		text := item
		for i := len(rest) - 1; i >= 0; i-- {
			if i == len(rest)-1 {
				text = "[" + text + "]"
			} else {
				text = "{" + text + "}"
			}
			text = name(rest[i]) + ": " + text
		}
		if n.Empty() {
			return t.insert(end, text)
		}
		before := bytes.TrimRight(t.data[:end], " \t\r\n")
		if len(commas) > 0 && len(before)-1 == commas[len(commas)-1] {
			return t.insert(len(before), " "+text)
		}
		return t.insert(len(before), ", "+text)
	}
	return t.insert(t.lineEnd(t.blockEnd(n.Line, n.Column-1, n.Kind == yamltree.List)), t.nested(n.Column-1, rest, item))
}

// remove deletes item i of the list at path.
func (t *configText) remove(path []string, i int) []byte {
	list := t.tree.Path(path...)
	start := t.offset(list.Pos)
	if t.data[start] == '[' {
		commas, end := t.flow(start)
		marks := append(append([]int{start}, commas...), end)
		from, to := marks[i], marks[i+1]
		if i == 0 {
			from++
			if len(list.Items) > 1 {
				to++
			}
		}
		return slices.Concat(t.data[:from], t.data[to:])
	}
	if len(list.Items) == 1 {
		for _, f := range t.tree.Path(path[:len(path)-1]...).Fields {
			if colon := t.offset(f.Pos) + len(f.Name) + 1; f.Value == list {
				return slices.Concat(t.data[:colon], []byte(" []"), t.data[colon:t.starts[list.Line-1]], t.data[t.lineEnd(t.blockEnd(list.Line, list.Column-1, true)):])
			}
		}
	}
	first := list.Items[i].Line
	return slices.Concat(t.data[:t.starts[first-1]], t.data[t.lineEnd(t.blockEnd(first, list.Column, false)):])
}

// nested returns lines in block style: the keys of a path below each other, then an
// item.
func (t *configText) nested(indent int, path []string, item string) string {
	var b strings.Builder
	for _, key := range path {
		b.WriteString(strings.Repeat(" ", indent) + name(key) + ":" + t.newline)
		indent += 2
	}
	b.WriteString(strings.Repeat(" ", indent) + "- " + item + t.newline)
	return b.String()
}

// name returns a key as YAML.
func name(key string) string {
	if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") == "" {
		return key
	}
	return approval.Quoted(key)
}

// insert puts text at an offset. If the text is whole lines and the line before has no
// line end, it adds one.
func (t *configText) insert(at int, text string) []byte {
	if strings.HasSuffix(text, t.newline) && at > 0 && t.data[at-1] != '\n' {
		text = t.newline + text
	}
	return slices.Concat(t.data[:at], []byte(text), t.data[at:])
}

// offset returns the byte offset of a position.
func (t *configText) offset(at yamltree.Pos) int {
	i := t.starts[at.Line-1]
	if at.Line == 1 && bytes.HasPrefix(t.data, []byte("\ufeff")) {
		i += len("\ufeff")
	}
	for range at.Column - 1 {
		_, size := utf8.DecodeRune(t.data[i:])
		i += size
	}
	return min(i, len(t.data)-1)
}

// lineEnd returns the offset after a line and its line end; the first line is 1.
func (t *configText) lineEnd(line int) int {
	if line < len(t.starts) {
		return t.starts[line]
	}
	return len(t.data)
}

// blockEnd returns the last line of a block that begins at line and whose other lines
// have at least this indentation. In a list, a line with exactly this indentation
// belongs to the block only if it begins with a dash. Empty lines and comments after
// the block do not belong to it.
func (t *configText) blockEnd(line, indent int, list bool) int {
	last := line
	for line++; line <= len(t.starts); line++ {
		text := strings.TrimRight(string(t.data[t.starts[line-1]:t.lineEnd(line)]), "\r\n")
		trimmed := strings.TrimLeft(text, " ")
		switch {
		case trimmed == "" || trimmed[0] == '#':
			continue
		case len(text)-len(trimmed) < indent, list && len(text)-len(trimmed) == indent && trimmed[0] != '-':
			return last
		}
		last = line
	}
	return last
}

// flow returns the offsets of the commas of a list or mapping in brackets, and of its
// closing bracket.
func (t *configText) flow(start int) (commas []int, end int) {
	depth, quote := 0, byte(0)
	for i := start; i < len(t.data); i++ {
		switch c := t.data[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' && strings.IndexByte(" [{,:", t.data[i-1]) >= 0:
			quote = c
		case c == '#' && strings.IndexByte(" \t\n", t.data[i-1]) >= 0:
			for i < len(t.data) && t.data[i] != '\n' {
				i++
			}
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return commas, i
			}
		case c == ',' && depth == 1:
			commas = append(commas, i)
		}
	}
	return commas, len(t.data)
}
