package tool

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"

	"golem/core/fault"
)

// Bounds on schemas. They come from modules, libraries and models' toolsets,
// so they are as hostile as any input.
const (
	maxSchemaBytes = 1 << 20 // of all documents together
	maxSchemaNodes = 20_000
	maxSchemaDocs  = 64
	maxPattern     = 4096
)

// Where subschemas stand inside a schema.
var (
	singleKeywords = []string{"not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames",
		"unevaluatedItems", "unevaluatedProperties", "additionalItems"}
	listKeywords = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	mapKeywords  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)

// bundle gathers a schema and every document it refers to into one document
// whose references are all "#/…": what follows needs no loader and no URIs.
type bundle struct {
	load  func(uri string) ([]byte, error)
	docs  map[string]*document
	order []*document
	bytes int
	nodes int
}

// document is one schema file; the root's name is "".
type document struct {
	name    string
	id      string // its $id, without fragment
	draft7  bool
	root    any
	at      string              // JSON pointer in the bundle
	anchors map[string][]string // anchor → pointers in the bundle
	refs    []reference
}

// reference is a $ref (or $dynamicRef) still to be rewritten.
type reference struct {
	in      map[string]any
	ref     string
	dynamic bool
}

func badSchema(format string, args ...any) *fault.Fault {
	return fault.New(fault.Schema, format, args...)
}

// readBundle returns the one document and whether it is draft-07.
func readBundle(raw json.RawMessage, load func(string) ([]byte, error)) (any, bool, error) {
	b := &bundle{load: load, docs: map[string]*document{}}
	root, err := b.add("", raw)
	if err != nil {
		return nil, false, err
	}
	for i := 0; i < len(b.order); i++ { // grows while references are resolved
		d := b.order[i]
		for _, r := range d.refs {
			if err := b.resolve(d, r); err != nil {
				return nil, false, err
			}
		}
	}
	if len(b.order) > 1 {
		top, ok := root.root.(map[string]any)
		if !ok {
			return nil, false, badSchema("a schema that is no object refers to other files")
		}
		defs, ok := top["$defs"].(map[string]any)
		if !ok {
			defs = map[string]any{}
			top["$defs"] = defs
		}
		for _, d := range b.order[1:] {
			defs[strings.TrimPrefix(d.at, "/$defs/")] = d.root
		}
	}
	return root.root, root.draft7, nil
}

// add parses a document and notes its anchors and references.
func (b *bundle) add(name string, raw []byte) (*document, error) {
	b.bytes += len(raw)
	if b.bytes > maxSchemaBytes {
		return nil, badSchema("the schema is larger than %d bytes with all it refers to", maxSchemaBytes)
	}
	if len(b.order) >= maxSchemaDocs {
		return nil, badSchema("the schema refers to more than %d files", maxSchemaDocs-1)
	}
	s := scanner{in: raw, maxDepth: 2 * MaxDepth}
	if err := s.document(); err != nil {
		return nil, badSchema("%sthe schema is no valid JSON: %w", prefix(name), err)
	}
	d := &document{name: name, anchors: map[string][]string{}}
	if err := json.Unmarshal(s.out, &d.root); err != nil {
		return nil, badSchema("%sthe schema is no valid JSON: %w", prefix(name), err)
	}
	if name != "" {
		d.at = fmt.Sprintf("/$defs/golem file %d", len(b.order))
	}
	if err := b.header(d); err != nil {
		return nil, err
	}
	if err := b.walk(d, d.root, d.at); err != nil {
		return nil, err
	}
	b.docs[name] = d
	b.order = append(b.order, d)
	return d, nil
}

func prefix(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

// header takes $schema and $id off a document.
func (b *bundle) header(d *document) error {
	top, ok := d.root.(map[string]any)
	if !ok {
		return nil
	}
	version, _ := top["$schema"].(string)
	switch strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(version, "http://"), "https://"), "#") {
	case "", "json-schema.org/draft/2020-12/schema":
		d.draft7 = version == "" && len(b.order) > 0 && b.order[0].draft7
	case "json-schema.org/draft-07/schema":
		d.draft7 = true
	default:
		return badSchema("%s$schema %.100q is not supported", prefix(d.name), version).
			Hinting("write it as JSON Schema 2020-12 (or draft-07)")
	}
	if len(b.order) > 0 && b.order[0].draft7 != d.draft7 {
		return badSchema("%sthe schema is of another draft than the one that refers to it", prefix(d.name))
	}
	delete(top, "$schema")
	if id, ok := top["$id"].(string); ok {
		d.id, _, _ = strings.Cut(id, "#")
	}
	delete(top, "$id")
	return nil
}

// walk visits every subschema of v, whose pointer in the bundle is at.
func (b *bundle) walk(d *document, v any, at string) error {
	if b.nodes++; b.nodes > maxSchemaNodes {
		return badSchema("the schema has more than %d parts", maxSchemaNodes)
	}
	m, ok := v.(map[string]any)
	if !ok {
		if _, ok := v.(bool); ok {
			return nil
		}
		return badSchema("%sat %q: a schema must be an object, true or false", prefix(d.name), at)
	}
	if _, ok := m["$id"]; ok {
		return badSchema("%sat %q: $id inside a schema is not supported", prefix(d.name), at).
			Hinting("keep $id at the top only and refer to parts as #/$defs/NAME")
	}
	for _, k := range []string{"$anchor", "$dynamicAnchor"} {
		if name, ok := m[k].(string); ok {
			d.anchors[name] = append(d.anchors[name], at)
		}
		delete(m, k)
	}
	for _, k := range []string{"$ref", "$dynamicRef"} {
		switch ref := m[k].(type) {
		case string:
			d.refs = append(d.refs, reference{m, ref, k == "$dynamicRef"})
		case nil:
		default:
			return badSchema("%sat %q: %s must be a text", prefix(d.name), at, k)
		}
	}
	return eachPart(m, func(part any, key string) error { return b.walk(d, part, at+key) })
}

// eachPart calls visit for each subschema of m with its relative pointer, in a
// fixed order.
func eachPart(m map[string]any, visit func(part any, key string) error) error {
	for _, k := range singleKeywords {
		v, ok := m[k]
		if _, isList := v.([]any); !ok || isList {
			continue
		}
		if err := visit(v, "/"+k); err != nil {
			return err
		}
	}
	for _, k := range listKeywords {
		parts, _ := m[k].([]any)
		for i, part := range parts {
			if err := visit(part, fmt.Sprintf("/%s/%d", k, i)); err != nil {
				return err
			}
		}
	}
	for _, k := range mapKeywords {
		parts, _ := m[k].(map[string]any)
		for _, name := range sortedKeys(parts) {
			if _, isList := parts[name].([]any); isList && k == "dependencies" {
				continue // draft-07: names of required properties
			}
			if err := visit(parts[name], "/"+k+"/"+escapePointer(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// resolve rewrites one reference to a pointer in the bundle, loading the
// document it names.
func (b *bundle) resolve(d *document, r reference) error {
	file, fragment, _ := strings.Cut(r.ref, "#")
	target := d
	if file != "" && file != d.id {
		var err error
		if target, err = b.open(d, file); err != nil {
			return err
		}
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return badSchema("%s$ref %.200q is malformed", prefix(d.name), r.ref)
	}
	to := target.at + fragment
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		found := target.anchors[fragment]
		if len(found) != 1 {
			return badSchema("%s$ref %.200q: the anchor stands %d times in the schema", prefix(d.name), r.ref, len(found)).
				Hinting("refer to the part as #/$defs/NAME")
		}
		to = found[0]
	}
	if r.dynamic {
		if _, both := r.in["$ref"]; both {
			return badSchema("%s$ref and $dynamicRef stand side by side", prefix(d.name))
		}
		delete(r.in, "$dynamicRef")
	}
	r.in["$ref"] = "#" + (&url.URL{Path: to}).EscapedPath()
	return nil
}

// open returns the document that file, as written in d, stands for.
func (b *bundle) open(d *document, file string) (*document, error) {
	if strings.Contains(file, ":") || strings.HasPrefix(file, "/") || strings.Contains(file, `\`) {
		return nil, badSchema("%s$ref %.200q leads outside the project; nothing is fetched", prefix(d.name), file).
			Hinting("copy the schema into schemas/ and refer to the file")
	}
	name := path.Join(path.Dir(d.name), file)
	if known, ok := b.docs[name]; ok && name != "" {
		return known, nil
	}
	if b.load == nil {
		return nil, badSchema("%s$ref %.200q: a schema cannot refer to another file here", prefix(d.name), file).
			Hinting("put the part under $defs and refer to it as #/$defs/NAME")
	}
	raw, err := b.load(name)
	if err != nil {
		return nil, badSchema("%s$ref %.200q: %w", prefix(d.name), file, err)
	}
	return b.add(name, raw)
}
