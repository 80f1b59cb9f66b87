package yamltree

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Schema returns the JSON Schema of the values that a shape allows, for editors: it allows
// whatever the shape does, and more where a Check is stricter than JSON Schema can say.
func (s *Shape) Schema() *Node {
	defs := map[string]*Node{}
	out := s.schema(defs)
	if len(defs) == 0 {
		return out
	}
	all := &Node{Kind: Mapping}
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		all.Fields = append(all.Fields, Field{Name: name, Value: defs[name]})
	}
	return out.With("$defs", all)
}

// schema does the work of Schema. It puts the schemas of shapes with names into defs.
func (s *Shape) schema(defs map[string]*Node) *Node {
	out := &Node{Kind: Mapping}
	if s.Name != "" {
		plain := *s
		plain.Name, plain.Doc = "", ""
		if defs[s.Name] == nil {
			defs[s.Name] = plain.schema(defs)
		}
		if s.Doc != "" {
			out.Fields = append(out.Fields, Field{Name: "description", Value: jsonText(s.Doc)})
		}
		out.Fields = append(out.Fields, Field{Name: "$ref", Value: jsonText("#/$defs/" + s.Name)})
		return out
	}
	if s.Doc != "" {
		out.Fields = append(out.Fields, Field{Name: "description", Value: jsonText(s.Doc)})
	}
	body := s.body(defs)
	if len(s.Or) == 0 {
		for _, f := range body.Fields {
			if f.Name != "description" || s.Doc == "" {
				out.Fields = append(out.Fields, f)
			}
		}
		return out
	}
	forms := &Node{Kind: List, Items: []*Node{body}}
	for _, other := range s.Or {
		forms.Items = append(forms.Items, fragment(other))
	}
	out.Fields = append(out.Fields, Field{Name: "oneOf", Value: forms})
	return out
}

// body returns the schema without the description and the other forms.
func (s *Shape) body(defs map[string]*Node) *Node {
	switch {
	case s.JSON != "":
		return fragment(s.JSON)
	case s.Of != nil:
		return s.Of.schema(defs)
	case s.Any:
		return &Node{Kind: Mapping}
	case s.Kind == List:
		out := fragment(`{"type": "array"}`)
		if s.Needed {
			out = fragment(`{"type": "array", "minItems": 1}`)
		}
		return out.With("items", s.Each.schema(defs))
	}
	out := fragment(`{"type": "object"}`)
	if s.Each == nil {
		out = out.With("additionalProperties", fragment("false"))
	} else if each := s.Each.schema(defs); len(each.Fields) > 0 {
		out = out.With("additionalProperties", each)
	}
	keys := s.members()
	if len(keys) > 0 {
		all := &Node{Kind: Mapping}
		for _, name := range slices.Sorted(maps.Keys(keys)) {
			all.Fields = append(all.Fields, Field{Name: name, Value: keys[name].schema(defs)})
		}
		out = out.With("properties", all)
	}
	for name, key := range s.Offers {
		if strings.HasPrefix(name, "^") {
			out = out.With("patternProperties", (&Node{Kind: Mapping}).With(name, key.schema(defs)))
		}
	}
	if len(s.Musts) > 0 {
		must := &Node{Kind: List}
		for _, name := range s.Musts {
			must.Items = append(must.Items, jsonText(name))
		}
		out = out.With("required", must)
	}
	return out
}

// members returns the keys of a mapping with their other spellings, and those that others
// decode.
func (s *Shape) members() map[string]*Shape {
	out := map[string]*Shape{}
	maps.Copy(out, s.Keys)
	for name, key := range s.Offers {
		if !strings.HasPrefix(name, "^") {
			out[name] = key
		}
	}
	for other, name := range s.Aliases {
		if s.Keys[name] == nil {
			continue
		}
		same := *s.Keys[name]
		same.Doc = "The same as " + name + "."
		out[other] = &same
	}
	return out
}

// EachKey calls visit for every key below a shape, sorted, with its dotted path; * stands for
// any name.
func (s *Shape) EachKey(path string, visit func(path string, key *Shape)) {
	if s.Of != nil {
		s.Of.EachKey(path, visit)
		return
	}
	keys := s.members()
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		at := join(path, name)
		visit(at, keys[name])
		keys[name].EachKey(at, visit)
	}
	if s.Each != nil && s.Kind == Mapping {
		s.Each.EachKey(join(path, "*"), visit)
	} else if s.Each != nil {
		s.Each.EachKey(path, visit)
	}
}

// Form says in words what a value looks like: text, true or false, a list.
func (s *Shape) Form() string {
	switch {
	case s.Want != "":
		return s.Want
	case s.Of != nil:
		return s.Of.Form()
	case s.Any:
		return "any value"
	}
	return s.wanted()
}

func jsonText(s string) *Node { return &Node{Kind: Scalar, Tag: TagText, Text: s} }

// fragment reads JSON that stands in golem's own source. What is no JSON becomes a text,
// which no reader of schemas takes.
func fragment(text string) *Node {
	n, f := ParseJSON("schema", []byte("["+text+"]"))
	if f != nil || len(n.Items) != 1 {
		return jsonText(text)
	}
	return n.Items[0]
}

// Indented returns a value as JSON with one member a line, and a line end.
func (n *Node) Indented() ([]byte, error) {
	raw, err := n.JSON()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, err
	}
	return []byte(strings.TrimRight(out.String(), "\n") + "\n"), nil
}
