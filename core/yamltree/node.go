// Package yamltree reads the YAML and JSON files that people write into trees
// of nodes. A node knows its position, so that every fault can name a line. The
// package also checks a tree against a Shape (which keys exist, what each may
// hold), merges trees, turns them into JSON, and explains what is wrong with a
// file that the YAML library refuses. It opens no file and knows no key of
// golem's: the tables of keys are core/project's.
package yamltree

import (
	"strconv"

	"golem/core/fault"
)

// Pos is a position in a file. File is the name that messages show. Lines and
// columns count from 1; a column counts characters in YAML and bytes in JSON. Line
// 0 means that there is no line: the value is from the command line, or the fault
// is of the whole file.
type Pos struct {
	File         string
	Line, Column int
}

// At returns a position.
func At(file string, line, column int) Pos { return Pos{file, line, column} }

// String returns the position as the origin of a setting shows it: "project.yaml:8".
func (a Pos) String() string {
	if a.Line == 0 {
		return a.File
	}
	return a.File + ":" + strconv.Itoa(a.Line)
}

// Fault returns a fault at this position.
func (a Pos) Fault(code fault.Code, format string, args ...any) *fault.Fault {
	return fault.New(code, format, args...).At(a.File, a.Line, a.Column)
}

// Kind is what a node is: a single value, a list, a mapping of keys, or none of these.
type Kind int

// The kinds of nodes.
const (
	Scalar Kind = iota
	List
	Mapping
	Unread // the value of a key that could not be read; only ParsePart returns it
)

// The tags of scalars. A date has TagText: no setting of golem's is a date.
const (
	TagText  = "text"
	TagInt   = "int"
	TagFloat = "float"
	TagBool  = "bool"
	TagNull  = "null"
)

// Bounds of one document (SECURITY 11).
const (
	MaxDepth  = 64     // levels of nesting
	MaxValues = 50_000 // values; an alias counts as often as it is used
	maxKey    = 256    // bytes of one key or name
)

// Node is one value of YAML or JSON. The following holds for the nodes that Parse and
// ParseJSON return, and every function of this package keeps it so:
//
//   - Pos is where the value begins. An alias that is the value of a key has the
//     position of the alias; the values inside it have those of the anchor.
//   - Kind decides which fields count: Tag, Text and Block those of a Scalar,
//     Items those of a List, Fields those of a Mapping. The others are zero.
//   - Text is the scalar without quotes and escapes. If Tag is not TagText, it
//     is as it stands in the file ("0x10", "yes" is text), and TagInt may be too
//     large for an int64.
//   - Keys of a mapping are unique and in the order of the file. Those of YAML
//     are visible text of at most 256 bytes.
//   - No Item and no Value is nil. An empty value (`key:`) is a Scalar with
//     TagNull.
//   - Depth and number of values are within MaxDepth and MaxValues.
//   - A node is never changed once another can see it. Trees share nodes after
//     Merge and With; to change one, copy it (see With).
//
// The nil *Node stands for a missing value: Get, Path, String, Flag, Count,
// Texts, TextMap and StandsIn accept it.
type Node struct {
	Pos
	Kind   Kind
	Tag    string
	Text   string
	Block  bool // written with | or >: the text begins on the next line
	Whole  bool // a Mapping that Merge replaces as a whole
	Fields []Field
	Items  []*Node
}

// Field is one key of a mapping. Pos is the position of the key.
type Field struct {
	Name  string
	Pos   Pos
	Value *Node
}

// Get returns the value of a key; nil if n is not a mapping or has no such key.
func (n *Node) Get(name string) *Node {
	if n == nil || n.Kind != Mapping {
		return nil
	}
	for i := range n.Fields {
		if n.Fields[i].Name == name {
			return n.Fields[i].Value
		}
	}
	return nil
}

// Path calls Get for each name in turn: n.Path("a", "b") returns the value of a.b.
func (n *Node) Path(names ...string) *Node {
	for _, name := range names {
		n = n.Get(name)
	}
	return n
}

// With returns a copy of the mapping in which the key has the given value; a nil
// value removes the key. n stays as it is.
func (n *Node) With(name string, value *Node) *Node {
	c := *n
	c.Fields = make([]Field, 0, len(n.Fields)+1)
	found := false
	for _, f := range n.Fields {
		if f.Name == name {
			found = true
			if value == nil {
				continue
			}
			f.Value = value
		}
		c.Fields = append(c.Fields, f)
	}
	if !found && value != nil {
		c.Fields = append(c.Fields, Field{name, value.Pos, value})
	}
	return &c
}

// Empty reports whether the value is null, false, "", [] or {}.
func (n *Node) Empty() bool {
	switch n.Kind {
	case List:
		return len(n.Items) == 0
	case Mapping:
		return len(n.Fields) == 0
	}
	return n.Tag == TagNull || n.Text == "" || n.Tag == TagBool && !n.Flag()
}

// Found names the value's type, for a message "expected …, found …".
func (n *Node) Found() string {
	switch n.Kind {
	case List:
		return "a list"
	case Mapping:
		return "a mapping"
	}
	switch n.Tag {
	case TagNull:
		return "nothing"
	case TagText:
		return "text"
	case TagBool:
		return "the boolean " + n.Text
	}
	return "the number " + fault.Brief(n.Text)
}

// Merge returns base with the settings of over (S1-27..31). Two mappings are
// merged key by key, at every level, unless one is Whole; any other value of over
// replaces that of base. nil is a missing tree. Neither tree is changed.
func Merge(base, over *Node) *Node {
	if base == nil {
		return over
	}
	if over == nil {
		return base
	}
	if base.Kind != Mapping || over.Kind != Mapping || base.Whole || over.Whole {
		return over
	}
	out := &Node{Pos: over.Pos, Kind: Mapping, Fields: make([]Field, 0, len(base.Fields)+len(over.Fields))}
	index := make(map[string]int, len(base.Fields))
	for i, f := range base.Fields {
		index[f.Name] = i
		out.Fields = append(out.Fields, f)
	}
	for _, f := range over.Fields {
		i, ok := index[f.Name]
		if !ok {
			out.Fields = append(out.Fields, f)
			continue
		}
		out.Fields[i] = Field{f.Name, f.Pos, Merge(out.Fields[i].Value, f.Value)}
	}
	return out
}

// StandsIn reports whether any part of the value is from the file: after Merge,
// parts of one mapping can be from several files.
func (n *Node) StandsIn(file string) bool {
	if n == nil {
		return false
	}
	if n.Kind == Mapping {
		for _, f := range n.Fields {
			if f.Pos.File == file || f.Value.StandsIn(file) {
				return true
			}
		}
		return len(n.Fields) == 0 && n.Pos.File == file
	}
	return n.Pos.File == file
}

// Walk calls visit for each value below n with its dotted path, path being that
// of n. A scalar, a list and an empty mapping are one value.
func (n *Node) Walk(path string, visit func(path string, n *Node)) {
	if n.Kind == Mapping && len(n.Fields) > 0 {
		for _, f := range n.Fields {
			f.Value.Walk(join(path, f.Name), visit)
		}
		return
	}
	if path != "" {
		visit(path, n)
	}
}

// KeyNamed returns the position of a key at any level of the value, the upper levels
// first; the zero Pos if there is none. depth is the level of n; callers pass 0.
func (n *Node) KeyNamed(name string, depth int) Pos {
	if depth > MaxDepth {
		return Pos{}
	}
	for _, f := range n.Fields {
		if f.Name == name {
			return f.Pos
		}
	}
	for _, f := range n.Fields {
		if found := f.Value.KeyNamed(name, depth+1); found.Line > 0 {
			return found
		}
	}
	for _, item := range n.Items {
		if found := item.KeyNamed(name, depth+1); found.Line > 0 {
			return found
		}
	}
	return Pos{}
}

// MoveTo gives a value, and all values in it, one position. It changes the nodes:
// only for a tree that was just read and that nothing else holds.
func (n *Node) MoveTo(where Pos) {
	n.Pos = where
	for i := range n.Fields {
		n.Fields[i].Pos = where
		n.Fields[i].Value.MoveTo(where)
	}
	for _, item := range n.Items {
		item.MoveTo(where)
	}
}

// KeysAt returns the keys of the mapping, outermost first, in whose values a position is:
// of each mapping the last key that is not behind the position. Items of lists have none.
func (n *Node) KeysAt(at Pos) (keys []string) {
	for n != nil {
		var next *Node
		for _, item := range n.Items {
			if !at.before(item.Pos) {
				next = item
			}
		}
		name := ""
		for _, f := range n.Fields {
			if !at.before(f.Pos) {
				next, name = f.Value, f.Name
			}
		}
		if name != "" {
			keys = append(keys, name)
		}
		n = next
	}
	return keys
}

// before reports whether a position is in front of another one of the same file. A
// position without a column is the end of its line.
func (a Pos) before(b Pos) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column > 0 && a.Column < b.Column
}
