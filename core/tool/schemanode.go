package tool

import (
	"encoding/json"
	"net/url"
	"regexp"
	"regexp/syntax"
	"strings"
)

// node is one subschema of a bundle, prepared for walking.
type node struct {
	never  bool                        // the schema false
	kw     map[string]any              // keywords as parsed; nil for true and false
	ref    *node                       // target of $ref
	single map[string]*node            // by keyword
	lists  map[string][]*node          // by keyword
	maps   map[string]map[string]*node // by keyword and name
	same   []*node                     // all that apply to the same value: $ref, allOf, anyOf, …

	pattern  *pattern
	patterns []namedPattern // patternProperties, sorted

	own  int // bytes of its own keywords, an estimate of what one visit costs
	size int // bytes including its parts: what an error of the library may print
}

type pattern struct {
	re   *regexp.Regexp
	cost int // instructions: a match costs at most cost × bytes
}

type namedPattern struct {
	*pattern
	node *node
}

// compiler makes nodes of a bundle.
type compiler struct {
	nodes  map[string]*node // by pointer
	order  []*node
	draft7 bool
}

func compileNodes(whole any, draft7 bool) (*node, error) {
	c := &compiler{nodes: map[string]*node{}, draft7: draft7}
	root, err := c.compile(whole, "")
	if err != nil {
		return nil, err
	}
	for _, n := range c.order {
		ref, ok := n.kw["$ref"].(string)
		if !ok {
			continue
		}
		pointer, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
		if err != nil || c.nodes[pointer] == nil {
			return nil, badSchema("$ref %.200q leads to no schema", ref).Hinting("refer to a part that exists, like #/$defs/NAME")
		}
		n.ref = c.nodes[pointer]
		if c.draft7 {
			n.same = nil // draft-07 ignores what stands beside $ref
		}
		n.same = append(n.same, n.ref)
	}
	return root, c.refuseLoops()
}

func (c *compiler) compile(v any, at string) (*node, error) {
	n := &node{size: 8}
	c.nodes[at] = n
	c.order = append(c.order, n)
	m, ok := v.(map[string]any)
	if !ok {
		n.never = v == false
		return n, nil
	}
	n.kw = m
	n.single, n.lists, n.maps = map[string]*node{}, map[string][]*node{}, map[string]map[string]*node{}
	err := eachPart(m, func(part any, key string) error {
		sub, err := c.compile(part, at+key)
		if err != nil {
			return err
		}
		n.place(key, sub)
		n.size += sub.size + len(key)
		return nil
	})
	if err != nil {
		return nil, err
	}
	n.measure()
	return n, n.compilePatterns()
}

// place files a part under the keyword and name in its relative pointer.
func (n *node) place(key string, sub *node) {
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
		n.maps[keyword][strings.NewReplacer("~1", "/", "~0", "~").Replace(name)] = sub
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

// measure estimates the costs of a node from the length of its keywords.
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
		return nil, badSchema("a pattern has %d bytes; at most %d are allowed", len(text), maxPattern)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, badSchema("the pattern %.100q cannot be used: %w", text, err).
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

// refuseLoops finds schemas that lead back to themselves without entering the
// value, like {"$ref":"#"}: validation would never end.
func (c *compiler) refuseLoops() error {
	const (
		open = 1
		done = 2
	)
	state := map[*node]int{}
	var visit func(n *node) bool
	visit = func(n *node) bool {
		switch state[n] {
		case open:
			return false
		case done:
			return true
		}
		state[n] = open
		for _, next := range n.same {
			if !visit(next) {
				return false
			}
		}
		state[n] = done
		return true
	}
	for _, n := range c.order {
		if !visit(n) {
			return badSchema("the schema refers to itself without end").
				Hinting("a $ref back to an enclosing part must stand under properties or items")
		}
	}
	return nil
}
