package tool

import (
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"golem/core/fault"
)

// The library divides floating-point numbers for multipleOf, so that 19.99 would be no multiple
// of 0.01. golem compares the decimal numbers. If a value has a number that the library judges
// wrong, it gets a schema for this one validation in which multipleOf names it.

// maxMisjudged is the greatest number of different numbers in one value, for each unit, that
// the library judges wrong.
const maxMisjudged = 1000

// maxNamed is the greatest number of numbers that exact writes into a schema.
const maxNamed = 100_000

// misjudged are the numbers of a value that the library judges wrong for one unit of
// multipleOf. isMultiple says whether a number is a multiple.
type misjudged struct {
	isMultiple map[float64]bool
	visits     int // numbers that are compared with the unit
	printed    int // visits whose error the library writes
}

// isMultiple reports whether a number is a multiple of a unit, as decimal numbers.
func isMultiple(v, unit float64) bool {
	unit = math.Abs(unit)
	if unit == 0 || v == 0 {
		return unit != 0
	}
	if v == math.Trunc(v) && unit == math.Trunc(unit) {
		return math.Mod(v, unit) == 0
	}
	a, okA := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	b, okB := new(big.Rat).SetString(strconv.FormatFloat(unit, 'g', -1, 64))
	return okA && okB && a.Quo(a, b).IsInt()
}

// dividesEvenly is what the library does.
func dividesEvenly(v, unit float64) bool {
	_, rest := math.Modf(v / unit)
	return rest == 0
}

// multiple notes a number that the library would judge wrong. It returns false if there are
// too many.
func (m *meter) multiple(n *node, v float64, speculative bool) bool {
	unit, ok := n.bound("multipleOf")
	if !ok {
		return true
	}
	m.steps += 2
	seen := m.units[unit]
	if seen == nil {
		seen = &misjudged{isMultiple: map[float64]bool{}}
		if m.units == nil {
			m.units = map[float64]*misjudged{}
		}
		m.units[unit] = seen
	}
	seen.visits++
	is := isMultiple(v, unit)
	if !is && speculative {
		seen.printed++
	}
	if is != dividesEvenly(v, unit) {
		seen.isMultiple[v] = is
	}
	return len(seen.isMultiple) <= maxMisjudged
}

// fits reports whether a validation with the schema that exact returns keeps the limits.
func (m *meter) fits(s *Schema) bool {
	steps, printed, named := m.steps, m.printed, 0
	for unit, seen := range m.units {
		named += s.units[unit] * len(seen.isMultiple)
		steps += seen.visits * len(seen.isMultiple) / 8
		printed += seen.printed * len(seen.isMultiple) * 24
	}
	return steps <= maxSteps && printed <= maxPrinted && named <= maxNamed
}

// exact returns the schema for a value: the compiled one, or one in which multipleOf names the
// numbers that the library would judge wrong.
func (s *Schema) exact(units map[float64]*misjudged) (*jsonschema.Resolved, error) {
	wrong := false
	for _, seen := range units {
		wrong = wrong || len(seen.isMultiple) > 0
	}
	if !wrong {
		return s.resolved, nil
	}
	raw, err := json.Marshal(naming(s.root.kw, units))
	if err != nil {
		return nil, err
	}
	return resolve(raw)
}

// naming returns a copy of a schema in which the exceptions of multipleOf are named.
func naming(schema any, units map[float64]*misjudged) any {
	switch schema := schema.(type) {
	case []any:
		out := make([]any, len(schema))
		for i, part := range schema {
			out[i] = naming(part, units)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(schema))
		for k, v := range schema {
			switch {
			case slices.Contains(mapKeywords, k):
				parts, _ := v.(map[string]any)
				named := make(map[string]any, len(parts))
				for name, part := range parts {
					named[name] = naming(part, units)
				}
				out[k] = named
			case slices.Contains(singleKeywords, k) || slices.Contains(listKeywords, k):
				out[k] = naming(v, units)
			default:
				out[k] = v
			}
		}
		unit, ok := out["multipleOf"].(float64)
		if seen := units[unit]; ok && seen != nil && len(seen.isMultiple) > 0 {
			delete(out, "multipleOf")
			all, _ := out["allOf"].([]any)
			out["allOf"] = append(slices.Clone(all), seen.schemas(unit)...)
		}
		return out
	}
	return schema
}

// schemas returns what takes the place of multipleOf.
func (seen *misjudged) schemas(unit float64) []any {
	var multiples, others []any
	for _, v := range slices.Sorted(maps.Keys(seen.isMultiple)) {
		if seen.isMultiple[v] {
			multiples = append(multiples, v)
		} else {
			others = append(others, v)
		}
	}
	out := []any{map[string]any{"anyOf": []any{map[string]any{"multipleOf": unit}, map[string]any{"enum": multiples}}}}
	if len(multiples) == 0 {
		out = []any{map[string]any{"multipleOf": unit}}
	}
	if len(others) > 0 {
		out = append(out, map[string]any{"not": map[string]any{"enum": others}})
	}
	return out
}

// resolve returns a schema as the library uses it.
func resolve(raw []byte) (*jsonschema.Resolved, error) {
	var root jsonschema.Schema
	err := json.Unmarshal(raw, &root)
	if err != nil {
		return nil, fault.New(fault.Schema, "not a JSON Schema: %w", plain(err))
	}
	if root.Schema, err = draft(root.Schema); err != nil {
		return nil, err
	}
	resolved, err := root.Resolve(nil)
	if err != nil {
		return nil, fault.New(fault.Schema, "not a JSON Schema: %w", err).
			Hinting("write JSON Schema 2020-12, with references only inside the schema")
	}
	return resolved, nil
}
