package project

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// trees of one shape: below a key there is always the same kind of value, as
// the tables of keys.go see to.
func treeGen(file string, depth int) *rapid.Generator[*node] {
	return rapid.Custom(func(t *rapid.T) *node {
		out := &node{at: at{file, 1, 1}, kind: dict}
		for _, key := range []string{"a", "b", "c"} {
			if !rapid.Bool().Draw(t, "has "+key) {
				continue
			}
			value := &node{at: at{file, 2, rapid.IntRange(1, 3).Draw(t, "column")}, tag: tagText, text: rapid.StringMatching(`[xy]`).Draw(t, "text")}
			switch {
			case key == "a" && depth > 0:
				value = treeGen(file, depth-1).Draw(t, "below")
			case key == "b":
				value = &node{at: value.at, kind: list, items: []*node{value}}
			}
			out.fields = append(out.fields, field{key, value.at, value})
		}
		return out
	})
}

// shown is a tree without the order of its keys, places included.
func shown(n *node) any {
	if n == nil {
		return nil
	}
	switch n.kind {
	case dict:
		m := map[string]any{}
		for _, f := range n.fields {
			m[f.name] = shown(f.value)
		}
		return m
	case list:
		l := []any{n.at.String()}
		for _, item := range n.items {
			l = append(l, shown(item))
		}
		return l
	}
	return n.text + " at " + n.at.String()
}

func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := treeGen("a", 2).Draw(t, "a"), treeGen("b", 2).Draw(t, "b"), treeGen("c", 2).Draw(t, "c")
		same := func(law string, x, y *node) {
			if diff := cmp.Diff(shown(x), shown(y)); diff != "" {
				t.Fatalf("%s: %s", law, diff)
			}
		}
		before := shown(a)
		same("idempotent", merge(a, a), a)
		same("twice is once", merge(merge(a, b), b), merge(a, b))
		same("associative", merge(merge(a, b), c), merge(a, merge(b, c)))
		same("nothing under", merge(nil, a), a)
		same("nothing over", merge(a, nil), a)
		if diff := cmp.Diff(before, shown(a)); diff != "" {
			t.Fatalf("merge changed its operand: %s", diff)
		}
		for _, f := range b.fields {
			if f.value.kind != dict {
				same("the worker wins", merge(a, b).get(f.name), f.value)
			}
		}
	})
}
