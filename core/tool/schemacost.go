package tool

// Limits for one validation.
const (
	maxSteps   = 2_000_000 // visits of a schema to a value, weighted
	maxPrinted = 128 << 20 // bytes of error texts that the library would build and discard
	maxWalk    = 3_000     // levels of recursion
)

// value is a JSON value with an estimate of the size of its text in bytes.
type value struct {
	v     any
	size  int
	items []*value
	props map[string]*value
	keys  []string // of props, sorted
}

// sizesOf returns the sizes of a value and its parts. It counts left down by the number of
// parts, and returns nil if there are more.
func sizesOf(v any, left *int) *value {
	if *left--; *left < 0 {
		return nil
	}
	out := &value{v: v, size: 8}
	switch v := v.(type) {
	case string:
		out.size += len(v)
	case []any:
		for _, item := range v {
			w := sizesOf(item, left)
			if w == nil {
				return nil
			}
			out.items = append(out.items, w)
			out.size += w.size
		}
	case map[string]any:
		out.props, out.keys = make(map[string]*value, len(v)), sortedKeys(v)
		for _, k := range out.keys {
			w := sizesOf(v[k], left)
			if w == nil {
				return nil
			}
			out.props[k] = w
			out.size += w.size + len(k)
		}
	}
	return out
}

// meter estimates what a validation costs, because the library has no limits of its
// own. It walks everything that the library could walk, and gives up beyond the limits
// above. speculative is true where a failure does not end the validation (below anyOf,
// not, …), so that the library may build many error texts.
type meter struct {
	steps, printed int
	units          map[float64]*misjudged // by the value of multipleOf
}

func (m *meter) visit(n *node, v *value, speculative bool, depth int) bool {
	m.steps += 1 + n.own/64
	if speculative {
		m.printed += depth * (n.own + v.size)
	}
	if text, ok := v.v.(string); ok && n.pattern != nil {
		m.steps += n.pattern.cost * len(text) / 512
	}
	if number, ok := v.v.(float64); ok && !m.multiple(n, number, speculative) {
		return false
	}
	if m.steps > maxSteps || m.printed > maxPrinted || depth > maxWalk {
		return false
	}
	return m.inPlace(n, v, speculative, depth+1) && m.inArray(n, v, speculative, depth+1) && m.inObject(n, v, speculative, depth+1)
}

func (m *meter) inPlace(n *node, v *value, speculative bool, depth int) bool {
	if n.ref != nil && !m.visit(n.ref, v, speculative, depth) {
		return false
	}
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
		guess := speculative || keyword != "allOf"
		for _, sub := range n.lists[keyword] {
			if guess {
				m.printed += depth * sub.size
			}
			if !m.visit(sub, v, guess, depth) {
				return false
			}
		}
	}
	for _, keyword := range [...]string{"not", "if", "then", "else"} {
		if sub := n.single[keyword]; sub != nil && !m.visit(sub, v, true, depth) {
			return false
		}
	}
	for _, keyword := range [...]string{"dependentSchemas", "dependencies"} {
		for _, sub := range n.maps[keyword] {
			if !m.visit(sub, v, speculative, depth) {
				return false
			}
		}
	}
	return true
}

func (m *meter) inArray(n *node, v *value, speculative bool, depth int) bool {
	for i, item := range v.items {
		for _, keyword := range [...]string{"prefixItems", "items"} {
			if list := n.lists[keyword]; i < len(list) && !m.visit(list[i], item, speculative, depth) {
				return false
			}
		}
		for _, keyword := range [...]string{"items", "additionalItems", "contains", "unevaluatedItems"} {
			sub := n.single[keyword]
			if sub != nil && !m.visit(sub, item, speculative || keyword == "contains", depth) {
				return false
			}
		}
	}
	return true
}

func (m *meter) inObject(n *node, v *value, speculative bool, depth int) bool {
	for _, key := range v.keys {
		prop := v.props[key]
		if sub := n.maps["properties"][key]; sub != nil && !m.visit(sub, prop, speculative, depth) {
			return false
		}
		for _, p := range n.patterns {
			m.steps += 1 + p.cost*len(key)/512
			if p.re.MatchString(key) && !m.visit(p.node, prop, speculative, depth) {
				return false
			}
		}
		for _, keyword := range [...]string{"additionalProperties", "unevaluatedProperties"} {
			if sub := n.single[keyword]; sub != nil && !m.visit(sub, prop, speculative, depth) {
				return false
			}
		}
		if sub := n.single["propertyNames"]; sub != nil {
			if !m.visit(sub, &value{v: key, size: len(key)}, speculative, depth) {
				return false
			}
		}
	}
	return true
}
