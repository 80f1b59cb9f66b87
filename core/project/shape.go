package project

import (
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
)

// shape is what a key may hold. The tables in keys.go are made of shapes, so
// that every key is checked in one way: known, of the right type, once.
type shape struct {
	kind    kind
	want    string                                         // "a number", for "expected …, found …"
	check   func(n *node) (problem, hint string)           // of a scalar
	keys    map[string]*shape                              // a dict's known keys
	aliases map[string]string                              // other spellings of keys
	each    *shape                                         // a list's items, or the values of a dict whose keys are free
	key     func(name string) (problem string)             // the free keys of a dict
	rewrite func(c *conformer, n *node, path string) *node // other spellings of the value; nil drops it
	any     bool                                           // anything at all
	musts   []string                                       // keys a dict must have
	needed  bool                                           // a list that must not be empty
	others  map[string]string                              // keys of other tools, and what to write instead
	short   string                                         // the key that a text alone would be the value of
	later   bool                                           // known, but not in this version: must be empty
}

// conformer checks nodes against shapes and gathers every fault.
type conformer struct{ faults fault.List }

func (c *conformer) fail(w at, hint, format string, args ...any) {
	f := w.fault(fault.Config, format, args...)
	if hint != "" {
		f = f.Hinting("%s", hint)
	}
	c.faults = append(c.faults, f)
}

// conform returns the value in canonical spelling without what is wrong in
// it; nil if nothing is left. A null stands for an empty mapping or list.
func (c *conformer) conform(n *node, s *shape, path string) *node {
	if s.rewrite != nil {
		if n = s.rewrite(c, n, path); n == nil {
			return nil
		}
	}
	if s.later {
		if !n.empty() {
			c.fail(n.at, "remove it, or wait for the version that has it", "%s: not in this version", path)
		}
		return nil
	}
	if s.any {
		return n
	}
	if n.kind == scalar && n.tag == tagNull && s.kind != scalar {
		n = &node{at: n.at, kind: s.kind}
	}
	if n.kind != s.kind {
		c.fail(n.at, s.instead(n), "%s: expected %s, found %s", label(path), s.wanted(), n.found())
		return nil
	}
	switch s.kind {
	case dict:
		return c.dict(n, s, path)
	case list:
		return c.list(n, s, path)
	}
	if n.tag == tagNull {
		c.fail(n.at, "give it a value or remove the key", "%s has no value", label(path))
		return nil
	}
	if problem, hint := s.check(n); problem != "" {
		c.fail(n.at, hint, "%s: %s", label(path), problem)
		return nil
	}
	return n
}

// instead is what to write where a text stands in the place of a list, or of
// a mapping that has one main key; "" if that is not known.
func (s *shape) instead(n *node) string {
	if n.kind != scalar || n.tag != tagText || nameProblem(n.text) != "" {
		return ""
	}
	switch {
	case s.kind == list:
		return "write [" + brief(n.text) + "]"
	case s.short != "":
		return "write {" + s.short + ": " + brief(n.text) + "}"
	case s.each != nil && s.kind == dict && strings.Contains(s.want, "list"):
		return "write [" + brief(n.text) + "]"
	}
	return ""
}

func (s *shape) wanted() string {
	if s.want != "" {
		return s.want
	}
	switch s.kind {
	case dict:
		return "a mapping"
	case list:
		return "a list"
	}
	return "text"
}

func label(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

func (c *conformer) list(n *node, s *shape, path string) *node {
	if s.needed && len(n.items) == 0 {
		c.fail(n.at, "list at least one, or remove the key", "%s is an empty list", label(path))
		return nil
	}
	out := &node{at: n.at, kind: list}
	for _, item := range n.items {
		if v := c.conform(item, s.each, path); v != nil {
			out.items = append(out.items, v)
		}
	}
	return out
}

func (c *conformer) dict(n *node, s *shape, path string) *node {
	out := &node{at: n.at, kind: dict}
	seen := map[string]string{}
	for _, f := range n.fields {
		value, name := c.member(f, s, path)
		if name == "" {
			continue
		}
		if first, dup := seen[name]; dup {
			c.fail(f.at, "", "%s and %s are one key", quoted(first), quoted(f.name))
			continue
		}
		seen[name] = f.name
		if v := c.conform(f.value, value, join(path, f.name)); v != nil {
			out.fields = append(out.fields, field{name, f.at, v})
		}
	}
	for _, must := range s.musts {
		if seen[must] == "" {
			c.fail(n.at, "", "%s has no %s", label(path), must)
			return nil
		}
	}
	return out
}

// member finds the shape and the canonical name of a key; "" if it is wrong.
func (c *conformer) member(f field, s *shape, path string) (*shape, string) {
	name := f.name
	if canonical, ok := s.aliases[name]; ok {
		name = canonical
	}
	if value, ok := s.keys[name]; ok {
		return value, name
	}
	if s.each != nil {
		if s.key != nil {
			if problem := s.key(name); problem != "" {
				c.fail(f.at, "", "%s: %s %s", label(path), quoted(f.name), problem)
				return nil, ""
			}
		}
		return s.each, name
	}
	in := ""
	if path != "" {
		in = " in " + path
	}
	hint := s.foreign(f.name)
	if hint == "" || s.keys[snake(f.name)] != nil {
		hint = fault.DidYouMean(f.name, slices.Collect(maps.Keys(s.keys)))
	}
	c.fail(f.at, hint, "unknown key %s%s", quoted(f.name), in)
	return nil, ""
}

func join(path, name string) string {
	if path == "" {
		return brief(name)
	}
	return path + "." + brief(name)
}
