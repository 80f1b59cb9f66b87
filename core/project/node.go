package project

import (
	"fmt"
	"strconv"
	"strings"

	"golem/core/fault"
)

// at is a place in a file of the project; lines and columns count from 1.
type at struct {
	file         string
	line, column int
}

// String is how origins name a place: "project.yaml:8".
func (a at) String() string {
	if a.line == 0 {
		return a.file
	}
	return a.file + ":" + strconv.Itoa(a.line)
}

func (a at) fault(code fault.Code, format string, args ...any) *fault.Fault {
	return fault.New(code, format, args...).At(a.file, a.line, a.column)
}

type kind int

const (
	scalar kind = iota
	list
	dict
)

// The tags of scalars. A date is text: nothing golem reads is a date.
const (
	tagText   = "text"
	tagInt    = "int"
	tagFloat  = "float"
	tagBool   = "bool"
	tagNull   = "null"
	maxDepth  = 64     // nesting of YAML and JSON
	maxValues = 50_000 // values in one document, aliases expanded
	maxKey    = 256    // bytes of one key
)

// node is one value of YAML or JSON with the place it stands at. Nodes are
// immutable once read, so that merged trees may share them.
type node struct {
	at
	kind   kind
	tag    string // of a scalar
	text   string // of a scalar
	block  bool   // a scalar written with | or >: its text starts on the next line
	fields []field
	items  []*node
}

type field struct {
	name  string
	at    at
	value *node
}

// get returns the value of a key; nil if n is no dict or has no such key.
func (n *node) get(name string) *node {
	if n == nil || n.kind != dict {
		return nil
	}
	for i := range n.fields {
		if n.fields[i].name == name {
			return n.fields[i].value
		}
	}
	return nil
}

// path follows keys downwards.
func (n *node) path(names ...string) *node {
	for _, name := range names {
		n = n.get(name)
	}
	return n
}

// with returns a copy of the dict in which name has the given value; nil removes it.
func (n *node) with(name string, value *node) *node {
	c := *n
	c.fields = make([]field, 0, len(n.fields)+1)
	found := false
	for _, f := range n.fields {
		if f.name == name {
			found = true
			if value == nil {
				continue
			}
			f.value = value
		}
		c.fields = append(c.fields, f)
	}
	if !found && value != nil {
		c.fields = append(c.fields, field{name, value.at, value})
	}
	return &c
}

// empty tells whether a value asks for nothing: null, false, "", [] or {}.
func (n *node) empty() bool {
	switch n.kind {
	case list:
		return len(n.items) == 0
	case dict:
		return len(n.fields) == 0
	}
	return n.tag == tagNull || n.text == "" || n.tag == tagBool && n.text == "false"
}

// found says what a value is, for "expected …, found …".
func (n *node) found() string {
	switch n.kind {
	case list:
		return "a list"
	case dict:
		return "a mapping"
	}
	switch n.tag {
	case tagNull:
		return "nothing"
	case tagText:
		return "text"
	case tagBool:
		return "the boolean " + n.text
	}
	return "the number " + brief(n.text)
}

// brief shortens and escapes a foreign text for a message.
func brief(s string) string {
	const most = 80
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}

func quoted(s string) string { return fmt.Sprintf("\"%s\"", brief(s)) }

// merge lays over on base (S1-27..31): dicts recursively, anything else
// replaces. A nil side is absent.
func merge(base, over *node) *node {
	if base == nil {
		return over
	}
	if over == nil {
		return base
	}
	if base.kind != dict || over.kind != dict {
		return over
	}
	out := &node{at: over.at, kind: dict, fields: make([]field, 0, len(base.fields)+len(over.fields))}
	index := make(map[string]int, len(base.fields))
	for i, f := range base.fields {
		index[f.name] = i
		out.fields = append(out.fields, f)
	}
	for _, f := range over.fields {
		i, ok := index[f.name]
		if !ok {
			out.fields = append(out.fields, f)
			continue
		}
		out.fields[i] = field{f.name, f.at, merge(out.fields[i].value, f.value)}
	}
	return out
}

// stands tells whether any part of the value stands in the file.
func (n *node) stands(file string) bool {
	if n == nil {
		return false
	}
	if n.kind == dict {
		for _, f := range n.fields {
			if f.at.file == file || f.value.stands(file) {
				return true
			}
		}
		return len(n.fields) == 0 && n.at.file == file
	}
	return n.at.file == file
}
