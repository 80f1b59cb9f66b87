package tool

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"golem/core/fault"
)

// Schema is a compiled JSON Schema (2020-12). It never changes, and Validate is
// safe for concurrent use.
type Schema struct {
	resolved *jsonschema.Resolved
	root     *node           // nil: every object is valid, and nothing else
	units    map[float64]int // how often multipleOf has each value
}

// Compile compiles a schema. References must be inside it (#/…). nil accepts
// any object. A schema that is malformed, or whose validation could take too
// long, is E_SCHEMA.
func Compile(raw json.RawMessage) (*Schema, error) {
	if len(raw) == 0 {
		return &Schema{}, nil
	}
	if s, ok := compiled.get(string(raw)); ok {
		return s, nil
	}
	whole, err := readSchema(raw)
	if err != nil {
		return nil, err
	}
	parts, units, err := compileNodes(whole)
	if err != nil {
		return nil, err
	}
	resolved, err := resolve(raw)
	if err != nil {
		return nil, err
	}
	s := &Schema{resolved: resolved, root: parts, units: units}
	compiled.put(string(raw), s)
	return s, nil
}

// plain replaces an error of encoding/json about Go types with one that names the
// keyword whose value has the wrong type.
func plain(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	return errors.New("the value of " + wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:] + " cannot be a " + wrong.Value)
}

// maxSchema is the largest schema, in bytes.
const maxSchema = 1 << 20

// readSchema parses a schema by the same rules as Decode, except that two keys of an
// object may differ only in letter case ($defs Node and node).
func readSchema(raw json.RawMessage) (whole any, err error) {
	if len(raw) > maxSchema {
		return nil, fault.New(fault.Schema, "the schema has %d bytes; at most %d are allowed", len(raw), maxSchema)
	}
	s := scanner{in: raw, maxDepth: MaxDepth}
	if err := s.document(); err != nil {
		return nil, fault.New(fault.Schema, "the schema cannot be read: %w", err)
	}
	if err := json.Unmarshal(s.out, &whole); err != nil {
		return nil, fault.New(fault.Schema, "the schema cannot be read: %w", err)
	}
	return whole, nil
}

// maxParts is the largest number of values in a value that is validated; each takes about
// 100 bytes more while it is.
const maxParts = 1_000_000

// Validate returns the places where v does not fit the schema, in a fixed
// order; none if it is valid. v must be a value that Decode accepts.
func (s *Schema) Validate(v json.RawMessage) []Violation {
	var value any
	if err := json.Unmarshal(v, &value); err != nil {
		return []Violation{{Message: "not JSON: " + err.Error()}}
	}
	return s.violations(value)
}

// Check does what Validate does, for arguments that Err does not refuse.
func (s *Schema) Check(a *Arguments) []Violation { return s.violations(a.Value()) }

func (s *Schema) violations(value any) []Violation {
	if s.root == nil {
		if _, ok := value.(map[string]any); !ok {
			return []Violation{{Message: "must be an object, got " + typeName(value)}}
		}
		return nil
	}
	m, left := meter{}, maxParts
	if weighed := sizesOf(value, &left); weighed == nil || !m.visit(s.root, weighed, false, 1) || !m.fits(s) {
		return []Violation{{Message: "is too large to be checked against its schema"}}
	}
	resolved, err := s.exact(m.units)
	if err == nil {
		err = resolved.Validate(value)
	}
	if err == nil {
		return nil
	}
	var w walker
	w.walk(s.root, value, "", 0)
	if len(w.found) == 0 {
		return []Violation{{Message: lastCause(err)}}
	}
	return w.found
}

// compiled is the cache of compiled schemas, by their text: a program uses the same few
// schemas in every call.
var compiled = cache{m: map[string]*Schema{}}

type cache struct {
	mu sync.Mutex
	m  map[string]*Schema
}

// maxCompiled is the greatest number of schemas in the cache. When it is full, it is
// emptied.
const maxCompiled = 1024

func (c *cache) get(key string) (*Schema, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.m[key]
	return s, ok
}

func (c *cache) put(key string, s *Schema) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.m) >= maxCompiled {
		clear(c.m)
	}
	c.m[key] = s
}
