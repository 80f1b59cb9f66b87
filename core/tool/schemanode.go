package tool

import (
	"encoding/json"
	"regexp"
	"regexp/syntax"
	"strings"

	"golem/core/fault"
)

// Limits of one schema. Schemas come with cloned projects, libraries and
// modules, so they may be hostile.
const (
	maxSchemaNodes = 20_000
	maxPattern     = 4096 // bytes
	maxSame        = 1000 // parts that apply to one value
)

// node is one subschema, prepared for measuring what a validation costs.
type node struct {
	kw     map[string]any              // keywords as parsed; nil for true and false
	ref    *node                       // target of $ref
	single map[string]*node            // by keyword
	lists  map[string][]*node          // by keyword
	maps   map[string]map[string]*node // by keyword and name
	same   []*node                     // the parts that apply to the same value: $ref, allOf, anyOf, …

	pattern  *pattern
	patterns []namedPattern // patternProperties, sorted

	own  int // bytes of its own keywords: an estimate of the cost of one visit
	size int // bytes with its parts: an estimate of the size of an error of the library
}

type pattern struct {
	re   *regexp.Regexp
	cost int // instructions: a match costs at most cost × bytes
}

type namedPattern struct {
	*pattern
	node *node
}

// compiler is the state while the nodes of one schema are built.
type compiler struct {
	nodes map[string]*node // by pointer
	order []*node
}

// compileNodes returns the root node of a schema, and how often multipleOf has each value. It refuses schemas that the library
// might read differently, or whose validation would not end.
func compileNodes(whole any) (*node, map[float64]int, error) {
	c := &compiler{nodes: map[string]*node{}}
	root, err := c.compile(whole, "")
	if err != nil {
		return nil, nil, err
	}
	units := map[float64]int{}
	for _, n := range c.order {
		if unit, ok := n.bound("multipleOf"); ok {
			units[unit]++
		}
		ref, ok := n.kw["$ref"].(string)
		if !ok {
			continue
		}
		pointer, err := refPointer(ref)
		if err != nil {
			return nil, nil, err
		}
		if n.ref = c.nodes[pointer]; n.ref == nil {
			return nil, nil, fault.New(fault.Schema, "the reference %.200q points to nothing", ref).Hinting("refer to a part that exists, like #/$defs/Name")
		}
		n.same = append(n.same, n.ref)
	}
	return root, units, c.refuseLoops()
}

func (c *compiler) compile(v any, at string) (*node, error) {
	n := &node{size: 8}
	c.nodes[at] = n
	if c.order = append(c.order, n); len(c.order) > maxSchemaNodes {
		return nil, fault.New(fault.Schema, "the schema has more than %d parts", maxSchemaNodes)
	}
	m, ok := v.(map[string]any)
	if !ok {
		if _, ok := v.(bool); !ok {
			return nil, fault.New(fault.Schema, "a JSON Schema must be an object, true or false, not %s, at #%s", typeName(v), at)
		}
		return n, nil
	}
	if err := checkKeywords(m, at); err != nil {
		return nil, err
	}
	n.kw = m
	n.single, n.lists, n.maps = map[string]*node{}, map[string][]*node{}, map[string]map[string]*node{}
	err := eachPart(m, func(part any, key string) error {
		sub, err := c.compile(part, at+key)
		if err != nil {
			return err
		}
		n.putPart(key, sub)
		n.size += sub.size + len(key)
		return nil
	})
	if err != nil {
		return nil, err
	}
	n.measure()
	return n, n.compilePatterns()
}

// putPart stores a part in single, lists or maps, by its relative pointer key.
func (n *node) putPart(key string, sub *node) {
	keyword, name, nested := strings.Cut(key[1:], "/")
	switch {
	case !nested:
		n.single[keyword] = sub
	case isList(n.kw[keyword]):
		n.lists[keyword] = append(n.lists[keyword], sub)
	default:
		if n.maps[keyword] == nil {
			n.maps[keyword] = map[string]*node{}
		}
		n.maps[keyword][unescapePointer(name)] = sub
	}
	switch keyword {
	case "not", "if", "then", "else", "allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies":
		n.same = append(n.same, sub)
	}
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

// measure sets own and completes size, from the length of the node's keywords.
func (n *node) measure() {
	for k, v := range n.kw {
		if _, parts := n.single[k]; parts || n.lists[k] != nil {
			continue
		}
		if parts, ok := n.maps[k]; ok {
			n.own += 8 * len(parts)
			continue
		}
		if text, err := json.Marshal(v); err == nil {
			n.own += len(text) + len(k)
		}
	}
	n.size += n.own
}

func (n *node) compilePatterns() error {
	if text, ok := n.kw["pattern"].(string); ok {
		p, err := compilePattern(text)
		if err != nil {
			return err
		}
		n.pattern = p
	}
	for _, name := range sortedKeys(n.maps["patternProperties"]) {
		p, err := compilePattern(name)
		if err != nil {
			return err
		}
		n.patterns = append(n.patterns, namedPattern{p, n.maps["patternProperties"][name]})
	}
	return nil
}

func compilePattern(text string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, fault.New(fault.Schema, "a pattern has %d bytes; at most %d are allowed", len(text), maxPattern)
	}
	if tree, err := syntax.Parse(text, syntax.Perl); err == nil && instructions(tree) > maxInstructions {
		return nil, fault.New(fault.Schema, "the pattern %.100q is too complex", text).Hinting("use smaller counts in {}")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fault.New(fault.Schema, "the pattern %.100q cannot be used: %w", text, err).
			Hinting("patterns are RE2: no look-around and no back-references")
	}
	cost := len(text)
	if tree, err := syntax.Parse(text, syntax.Perl); err == nil {
		if prog, err := syntax.Compile(tree.Simplify()); err == nil {
			cost = len(prog.Inst)
		}
	}
	return &pattern{re, cost}, nil
}

// maxInstructions is the largest size of a compiled pattern. One instruction takes about
// 40 bytes, and a schema can have hundreds of patterns.
const maxInstructions = 10_000

// instructions returns about how many instructions a pattern is compiled to, without
// compiling it.
func instructions(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n = min(n+instructions(sub), 1<<20)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, 1<<20)
}

// refuseLoops refuses schemas that refer to themselves for the same value, like
// {"$ref":"#"}, so that validation would never end, and schemas with more than maxSame
// parts that apply to one value.
func (c *compiler) refuseLoops() error {
	const open = -1
	counts := map[*node]int{}
	var count func(n *node) error
	count = func(n *node) error {
		switch {
		case counts[n] == open:
			return fault.New(fault.Schema, "the schema refers to itself without an end").
				Hinting("a $ref to an enclosing part must be inside properties or items")
		case counts[n] > 0:
			return nil
		}
		counts[n] = open
		total := 1
		for _, next := range n.same {
			if err := count(next); err != nil {
				return err
			}
			if total += counts[next]; total > maxSame {
				return fault.New(fault.Schema, "more than %d parts of the schema apply to one value", maxSame)
			}
		}
		counts[n] = total
		return nil
	}
	for _, n := range c.order {
		if err := count(n); err != nil {
			return err
		}
	}
	return nil
}
