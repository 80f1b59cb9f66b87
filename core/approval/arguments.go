package approval

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/tool"
)

// checked returns the arguments of a call if they are one JSON object that is valid
// against the schema and has no keys that the schema does not know (SPEC §7, S0-62).
// Where they do not fit and can only mean one thing, they are coerced, and tell gets
// what was changed; it may be nil.
func (g *Gate) checked(spec tool.Spec, args *tool.Arguments, tell func(notes []string)) (*tool.Arguments, error) {
	if err := args.Err(); err != nil {
		return nil, fault.Of(err, fault.ToolInput)
	}
	var notes []string
	if text := string(args.JSON()); text == "null" || text == `""` {
		args, notes = tool.ReadArguments([]byte("{}")), []string{"the arguments " + text + " count as {}"}
	}
	if !args.IsObject() {
		return nil, fault.New(fault.ToolInput, "%s: the arguments are not a JSON object", spec.Name).
			Hinting("send one JSON object with the tool's parameters")
	}
	s, err := g.schemas.compiledSchema(spec.Input)
	if err != nil {
		return nil, fault.Of(err, fault.Schema)
	}
	if f := s.unknown(spec.Name, args); f != nil {
		return nil, f
	}
	if vs := s.schema.Check(args); len(vs) > 0 {
		inOrder, _ := tool.Decode([]byte(args.Text())) // the notes have the order of the text
		coerced, more := tool.Coerce(spec.Input, inOrder)
		other := tool.ReadArguments(coerced)
		if len(more) == 0 || other.Err() != nil || len(s.schema.Check(other)) > 0 {
			return nil, tool.InputFault(spec.Name, vs)
		}
		args, notes = other, append(notes, more...)
	}
	if len(notes) > 0 && tell != nil {
		tell(notes)
	}
	return args, nil
}

// schemas caches compiled input schemas, because tools are called often and
// their schemas never change. The zero value is an empty cache.
type schemas struct {
	mu    sync.Mutex
	known map[string]*inputSchema
}

type inputSchema struct {
	schema  *tool.Schema
	written any
}

// maxSchemas is how many schemas the cache holds; when it is full, it is emptied.
const maxSchemas = 4096

func (c *schemas) compiledSchema(raw json.RawMessage) (*inputSchema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.known[string(raw)]; s != nil {
		return s, nil
	}
	schema, err := tool.Compile(raw)
	if err != nil {
		return nil, err
	}
	s := &inputSchema{schema: schema}
	_ = json.Unmarshal(raw, &s.written) // an empty text stands for a schema without keys
	if c.known == nil || len(c.known) >= maxSchemas {
		c.known = map[string]*inputSchema{}
	}
	c.known[string(raw)] = s
	return s, nil
}

// opens are the keywords with which a schema itself says which other keys are
// allowed; for such a schema only the validator decides.
var opens = []string{
	"additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames",
	"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas",
}

// keysOf returns the properties that a schema lists, as encoding/json decodes it. closed says
// that it lists some and does not mention other keys: then an object has no others.
func keysOf(schema any) (properties map[string]any, closed bool) {
	s, _ := schema.(map[string]any)
	properties, _ = s["properties"].(map[string]any)
	return properties, len(properties) > 0 && !slices.ContainsFunc(opens, func(word string) bool { _, has := s[word]; return has })
}

// unknown returns a fault for the first key that the schema does not know; nil if it knows all.
func (s *inputSchema) unknown(name string, args *tool.Arguments) *fault.Fault {
	at, key, near := unknown(s.written, "", args.Value(), args.Names())
	if near == "" {
		return nil
	}
	key, _ = Visible(key)
	return fault.New(fault.ToolInput, "%s: unknown key %q%s", name, shorten(key), at).Hinting("%s", near)
}

// unknown returns the place of the first key of a value that its schema does not know, both as
// encoding/json decodes them; hint is "" if there is none. order has the keys of the value, nil:
// they are sorted.
func unknown(schema any, at string, value any, order []string) (where, key, hint string) {
	switch v := value.(type) {
	case map[string]any:
		properties, closed := keysOf(schema)
		if order == nil && properties != nil {
			order = slices.Sorted(maps.Keys(v))
		}
		for _, name := range order {
			sub, known := properties[name]
			if !known && closed {
				return inPlace(at), name, fault.DidYouMean(name, slices.Collect(maps.Keys(properties)))
			}
			if where, key, hint = unknown(sub, at+"/"+name, v[name], nil); hint != "" {
				return where, key, hint
			}
		}
	case []any:
		s, _ := schema.(map[string]any)
		_, tuple := s["prefixItems"]
		for i := 0; !tuple && i < len(v); i++ {
			if where, key, hint = unknown(s["items"], fmt.Sprintf("%s/%d", at, i), v[i], nil); hint != "" {
				return where, key, hint
			}
		}
	}
	return "", "", ""
}

func inPlace(at string) string {
	if at == "" {
		return ""
	}
	return " in " + shorten(at)
}

func shorten(s string) string {
	if len(s) > 100 {
		return strings.ToValidUTF8(s[:100], "") + "…"
	}
	return s
}
