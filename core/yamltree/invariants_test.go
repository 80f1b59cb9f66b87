package yamltree

import (
	"testing"
	"unicode/utf8"
)

// sound checks the invariants in Node's comment. It returns the number of values in the
// tree.
func sound(t *testing.T, n *Node, yaml bool, depth int) (values int) {
	t.Helper()
	if n == nil {
		t.Fatal("a nil value in a tree")
	}
	if n.File != "x" || n.Line < 1 || n.Column < 1 {
		t.Errorf("%v has no position", *n)
	}
	if depth > MaxDepth+1 {
		t.Fatalf("%d levels", depth)
	}
	if n.Kind != Scalar && (n.Tag != "" || n.Text != "" || n.Block) || n.Kind != List && n.Items != nil || n.Kind != Mapping && n.Fields != nil {
		t.Errorf("%v has fields of another kind", *n)
	}
	seen := map[string]bool{}
	for _, f := range n.Fields {
		if seen[f.Name] || yaml && (Invisible(f.Name) || len(f.Name) > maxKey) || !utf8.ValidString(f.Name) || f.Pos.Line < 1 {
			t.Errorf("the key %q at %v", f.Name, f.Pos)
		}
		seen[f.Name] = true
		values += sound(t, f.Value, yaml, depth+1)
	}
	for _, item := range n.Items {
		values += sound(t, item, yaml, depth+1)
	}
	return values + 1
}

func FuzzTreesAreSound(f *testing.F) {
	for _, text := range append(refused, "a: &x {b: [1, ~, 0x10, .inf, yes]}\nc: *x\nd: [*x, *x]\ne:\nf: |\n  text\n", `{"a": [1, 2.5e3, null, true, "\u202e"], "": {}}`, "[", "a: !!str 1", "<<: {a: 1}") {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, faults := Parse("x", data)
		if n != nil {
			if values := sound(t, n, true, 0); values > MaxValues || len(faults) > 0 {
				t.Errorf("%d values, faults %v", values, faults)
			}
			if _, err := n.JSON(); err == nil && Merge(n, n) == nil {
				t.Error("a tree merged with itself is gone")
			}
		}
		for _, f := range faults {
			if f.Where == nil || f.Where.Line < 1 || f.Where.Column < 1 {
				t.Errorf("no position: %v", f)
			}
		}
		if n, f := ParseJSON("x", data); f == nil {
			if values := sound(t, n, false, 0); values > MaxValues {
				t.Errorf("%d values", values)
			}
		} else if f.Where == nil || f.Where.Line < 1 {
			t.Errorf("no position: %v", f)
		}
	})
}
