package yamltree

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
)

// Shape is a description of valid values. A table of keys is made of shapes, so that
// every key is checked in one way: it is known, has the right type, and is given once.
// A Shape is not changed after it was built; goroutines may share it.
type Shape struct {
	Kind Kind
	Want string // the type in words ("a number"), for "expected …, found …"; "" for the kind's name
	Any  bool   // every value is right; Kind and what follows do not count

	// Rewrite turns another spelling of the value into the usual one before it is
	// checked. It may add faults to c. nil drops the value.
	Rewrite func(c *Conformer, n *Node, path string) *Node

	// Check returns what is wrong with a scalar, and what to write; "" if nothing is.
	Check func(n *Node) (problem, hint string)

	Keys    map[string]*Shape                  // the known keys of a mapping
	Aliases map[string]string                  // other spellings of keys: from spelling to key
	Each    *Shape                             // the items of a list, or the values of a mapping's keys that are not in Keys
	Key     func(name string) (problem string) // checks a key that is not in Keys
	Musts   []string                           // keys that a mapping must have
	Needed  bool                               // a list must have an item

	Doc    string            // what a key of this shape is for, as a sentence
	Name   string            // a name for the shape in JSON Schemas, if several keys have it; "" for none
	JSON   string            // the JSON Schema of a value, if it does not follow from the rest
	Or     []string          // the JSON Schemas of other spellings, which Rewrite knows
	Of     *Shape            // what Rewrite checks a value against, where Any is set
	Offers map[string]*Shape // keys that somebody else decodes, for the schema only; one with ^ is a regular expression

	// Foreign is asked about an unknown key, in snake_case: what to write instead,
	// "" if that is not known. nil: nothing is known.
	Foreign func(key string) (hint string)
	// Later has keys of a later version, in snake_case: a key is refused as such, with
	// what there is in its place as the hint, which may be "".
	Later map[string]string
	Short string // for a hint: a text in the place of the mapping is probably the value of this key
}

// Conformer checks trees against shapes and collects every fault. The zero value
// is ready. It is for one goroutine.
type Conformer struct {
	Faults fault.List
	// Respell, if set, gets each key or value that is wrong only in its
	// spelling: what the file has, without quotes, and what to write there.
	Respell func(at Pos, has, write string)
}

func (c *Conformer) respell(at Pos, has, write string) {
	if c.Respell != nil && write != "" {
		c.Respell(at, has, write)
	}
}

// Fail adds a fault of code E_CONFIG; hint may be "".
func (c *Conformer) Fail(w Pos, hint, format string, args ...any) {
	f := w.Fault(fault.Config, format, args...)
	if hint != "" {
		f = f.Hinting("%s", hint)
	}
	c.Faults = append(c.Faults, f)
}

// Conform checks a value. It returns the value in its usual spelling, without
// the parts that are wrong, and adds a fault for each of these; nil if nothing is
// left. path is the dotted path of the value, for messages. null counts as an
// empty mapping or list.
func (c *Conformer) Conform(n *Node, s *Shape, path string) *Node {
	if n.Kind == Unread {
		return nil
	}
	if s.Rewrite != nil {
		if n = s.Rewrite(c, n, path); n == nil {
			return nil
		}
	}
	if s.Any {
		return n
	}
	if n.Kind == Scalar && n.Tag == TagNull && s.Kind != Scalar {
		n = &Node{Pos: n.Pos, Kind: s.Kind}
	}
	if n.Kind != s.Kind {
		hint := s.instead(n)
		c.respell(n.Pos, n.Text, hint)
		if hint != "" {
			hint = "write " + hint
		}
		c.Fail(n.Pos, hint, "%s: expected %s, found %s", label(path), s.wanted(), n.Found())
		return nil
	}
	switch s.Kind {
	case Mapping:
		return c.mapping(n, s, path)
	case List:
		return c.list(n, s, path)
	}
	if n.Tag == TagNull {
		c.Fail(n.Pos, "give it a value or remove the key", "%s has no value", label(path))
		return nil
	}
	if problem, hint := s.Check(n); problem != "" {
		c.respell(n.Pos, n.Text, s.quotes(n))
		c.Fail(n.Pos, hint, "%s: %s", label(path), problem)
		return nil
	}
	return n
}

// yaml11 are the booleans of YAML 1.1, which are text in YAML 1.2.
var yaml11 = map[string]string{"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}

// quotes returns what to write if only the quotes of a scalar are wrong; "" if that is
// not the reason.
func (s *Shape) quotes(n *Node) string {
	with := *n
	write := n.Text
	switch {
	case n.Tag != TagText:
		with.Tag, write = TagText, strconv.Quote(n.Text)
	case yaml11[strings.ToLower(n.Text)] != "":
		with.Tag, write = TagBool, yaml11[strings.ToLower(n.Text)]
	case numeric(n.Text):
		with.Tag = TagInt
		if strings.ContainsAny(n.Text, ".eE") {
			with.Tag = TagFloat
		}
	default:
		return ""
	}
	if problem, _ := s.Check(&with); problem != "" {
		return ""
	}
	return write
}

// instead returns what to write if a text stands in the place of a list, or of a
// mapping that has one main key; "" if that is not known.
func (s *Shape) instead(n *Node) string {
	if n.Kind != Scalar || n.Tag != TagText || NameProblem(n.Text) != "" {
		return ""
	}
	switch {
	case s.Kind == List:
		return "[" + fault.Brief(n.Text) + "]"
	case s.Short != "":
		return "{" + s.Short + ": " + fault.Brief(n.Text) + "}"
	case s.Each != nil && s.Kind == Mapping && strings.Contains(s.Want, "list"):
		return "[" + fault.Brief(n.Text) + "]"
	}
	return ""
}

func (s *Shape) wanted() string {
	if s.Want != "" {
		return s.Want
	}
	switch s.Kind {
	case Mapping:
		return "a mapping"
	case List:
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

func (c *Conformer) list(n *Node, s *Shape, path string) *Node {
	if s.Needed && len(n.Items) == 0 {
		c.Fail(n.Pos, "list at least one, or remove the key", "%s is an empty list", label(path))
		return nil
	}
	out := &Node{Pos: n.Pos, Kind: List}
	for _, item := range n.Items {
		if v := c.Conform(item, s.Each, path); v != nil {
			out.Items = append(out.Items, v)
		}
	}
	return out
}

func (c *Conformer) mapping(n *Node, s *Shape, path string) *Node {
	out := &Node{Pos: n.Pos, Kind: Mapping}
	seen := map[string]string{}
	for _, f := range n.Fields {
		value, name := c.member(n, f, s, path)
		if name == "" {
			continue
		}
		if first, dup := seen[name]; dup && f.Value.Kind == Unread {
			continue // given twice, which is a fault already
		} else if dup {
			c.Fail(f.Pos, "", "%s and %s are the same key", fault.Quoted(first), fault.Quoted(f.Name))
			continue
		}
		seen[name] = f.Name
		if v := c.Conform(f.Value, value, join(path, f.Name)); v != nil {
			out.Fields = append(out.Fields, Field{name, f.Pos, v})
		}
	}
	for _, must := range s.Musts {
		if seen[must] == "" {
			c.Fail(n.Pos, "", "%s has no %s", label(path), must)
			return nil
		}
	}
	return out
}

// member returns the shape and the canonical name of a key. If the key is wrong, it
// adds a fault and the name is "".
func (c *Conformer) member(in *Node, f Field, s *Shape, path string) (*Shape, string) {
	name := f.Name
	if canonical, ok := s.Aliases[name]; ok {
		name = canonical
	}
	if value, ok := s.Keys[name]; ok {
		return value, name
	}
	if s.Each != nil {
		if s.Key != nil {
			if problem := s.Key(name); problem != "" {
				if quoted := fault.Quoted(f.Name); !strings.HasPrefix(problem, quoted) {
					problem = quoted + " " + problem
				}
				c.Fail(f.Pos, "", "%s: %s", label(path), problem)
				return nil, ""
			}
		}
		return s.Each, name
	}
	where, hint := "", ""
	if path != "" {
		where = " in " + path
	}
	if snake := Snake(f.Name); s.Keys[snake] != nil && in.Get(snake) == nil {
		c.respell(f.Pos, f.Name, snake)
	}
	if instead, later := s.Later[Snake(f.Name)]; later {
		c.Fail(f.Pos, instead, "%s: not in this version", join(path, f.Name))
		return nil, ""
	}
	if s.Foreign != nil {
		hint = s.Foreign(Snake(f.Name))
	}
	if hint == "" || s.Keys[Snake(f.Name)] != nil {
		hint = fault.DidYouMean(f.Name, s.Names())
	}
	c.Fail(f.Pos, hint, "unknown key %s%s", fault.Quoted(f.Name), where)
	return nil, ""
}

// Names returns the known keys of a mapping, sorted.
func (s *Shape) Names() []string { return slices.Sorted(maps.Keys(s.Keys)) }

func join(path, name string) string {
	if path == "" {
		return fault.Brief(name)
	}
	return path + "." + fault.Brief(name)
}

// Snake returns a key in snake_case, as golem spells keys: maxTokens becomes
// max_tokens.
func Snake(key string) string {
	var b strings.Builder
	for i, r := range key {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		if r == '-' {
			r = '_'
		}
		b.WriteRune(r)
	}
	return b.String()
}
