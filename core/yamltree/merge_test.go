package yamltree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// treeGen generates trees of one shape: below a key there is always the same kind of
// value, as the key tables of core/project make sure.
func treeGen(file string, depth int) *rapid.Generator[*Node] {
	return rapid.Custom(func(t *rapid.T) *Node {
		out := &Node{Pos: Pos{file, 1, 1}, Kind: Mapping}
		for _, key := range []string{"a", "b", "c"} {
			if !rapid.Bool().Draw(t, "has "+key) {
				continue
			}
			value := &Node{Pos: Pos{file, 2, rapid.IntRange(1, 3).Draw(t, "column")}, Tag: TagText, Text: rapid.StringMatching(`[xy]`).Draw(t, "text")}
			switch {
			case key == "a" && depth > 0:
				value = treeGen(file, depth-1).Draw(t, "below")
			case key == "b":
				value = &Node{Pos: value.Pos, Kind: List, Items: []*Node{value}}
			}
			out.Fields = append(out.Fields, Field{key, value.Pos, value})
		}
		return out
	})
}

// shown returns a tree with its positions, but without the order of its keys, for
// comparisons.
func shown(n *Node) any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Mapping:
		m := map[string]any{}
		for _, f := range n.Fields {
			m[f.Name] = shown(f.Value)
		}
		return m
	case List:
		l := []any{n.Pos.String()}
		for _, item := range n.Items {
			l = append(l, shown(item))
		}
		return l
	}
	return n.Text + " at " + n.Pos.String()
}

func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := treeGen("a", 2).Draw(t, "a"), treeGen("b", 2).Draw(t, "b"), treeGen("c", 2).Draw(t, "c")
		same := func(law string, x, y *Node) {
			if diff := cmp.Diff(shown(x), shown(y)); diff != "" {
				t.Fatalf("%s: %s", law, diff)
			}
		}
		before := shown(a)
		same("idempotent", Merge(a, a), a)
		same("twice is once", Merge(Merge(a, b), b), Merge(a, b))
		same("associative", Merge(Merge(a, b), c), Merge(a, Merge(b, c)))
		same("nothing under", Merge(nil, a), a)
		same("nothing over", Merge(a, nil), a)
		if diff := cmp.Diff(before, shown(a)); diff != "" {
			t.Fatalf("merge changed its operand: %s", diff)
		}
		for _, f := range b.Fields {
			if f.Value.Kind != Mapping {
				same("the worker wins", Merge(a, b).Get(f.Name), f.Value)
			}
		}
	})
}
