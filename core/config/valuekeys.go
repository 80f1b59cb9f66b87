package config

import (
	"golem/core/fault"
	"golem/core/tool"
	"golem/core/yamltree"
)

// valueShape returns the shape of a tool.Value: a text, {env: NAME} or {secret: NAME}.
// If a worker and the manifest name different sources, the worker's replaces the
// manifest's.
func valueShape() *yamltree.Shape {
	text := yamltree.Text(nil)
	ref := yamltree.KeysOf(map[string]*yamltree.Shape{
		"env":    key("Name of an environment variable that has the value.", yamltree.Text(refProblem(tool.ValidVariable, " is not the name of an environment variable"))),
		"secret": key("Name of a secret that has the value.", yamltree.Text(refProblem(tool.ValidSecret, " is not the name of a secret: begin with a letter, and use letters, digits, _ . and -, at most 64"))),
	})
	return named("value", &yamltree.Shape{Any: true, Of: ref, Want: "a text, {env: NAME} or {secret: NAME}", Or: []string{`{"type": "string"}`}, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n.Kind != yamltree.Mapping {
			return c.Conform(n, text, path)
		}
		if len(n.Fields) != 1 {
			c.Fail(n.Pos, "write a text, {env: NAME} or {secret: NAME}", "%s: expected one source of the value, found %d", path, len(n.Fields))
			return nil
		}
		out := c.Conform(n, ref, path)
		if out == nil || len(out.Fields) != 1 {
			return nil
		}
		whole := *out
		whole.Whole = true
		return &whole
	}})
}

func refProblem(valid func(string) bool, wrong string) func(string) string {
	return func(name string) string {
		if !valid(name) {
			return fault.Quoted(name) + wrong
		}
		return ""
	}
}

// Secret is a value of the person that a file asks for.
type Secret struct {
	Said            // Key is the module's stem
	Ref  tool.Value // its Env or Secret is set
}

// SecretsIn returns the values of the person in a mapping of texts; path is the key
// path of the mapping in its file.
func SecretsIn(n *yamltree.Node, path, key string) []Secret {
	if n == nil || n.Kind != yamltree.Mapping {
		return nil
	}
	var out []Secret
	for _, f := range n.Fields {
		if f.Value.Kind != yamltree.Mapping {
			continue
		}
		s := Secret{NewSaid(f.Value, path+"."+f.Name, key), tool.Value{Env: f.Value.Get("env").String(), Secret: f.Value.Get("secret").String()}}
		s.Value = s.Ref.String()
		out = append(out, s)
	}
	return out
}
