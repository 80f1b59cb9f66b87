package yamltree

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// refused are files with mistakes of people that YAML refuses. Their positions are
// tested with worker files, in core/project.
var refused = []string{
	"a: 1\n\tb: 2", "a: [1,\n", "a: {x: 1\nb: 2", "a: 'it's'", "a: \"x\nb: 1", "a: 1\n b: 2\n", "a:\n  b: 1\n c: 2", "a:1\nb: 2", "a: *", "a: &x\nb: *y",
	"a: @x", "- a\nb: 1", "a: 1\n- b", "a: b: c", "%", "? a\nb", "a: |\n  x\n y", "---\na: 1\n---\n\tb", "a: \"\\q\"", "\t", "{", "a: ]", "a: [{b: 1, {c: 2}]",
}

func TestEveryFaultHasItsLine(t *testing.T) {
	for _, text := range refused {
		var n yaml.Node
		err := yaml.Unmarshal([]byte(text), &n)
		if err == nil {
			continue
		}
		f := diagnose("x.yaml", []byte(text), err)
		if f.Where.File != "x.yaml" || f.Where.Line < 1 || f.Where.Line > 1+strings.Count(text, "\n") || f.Where.Column < 1 || !strings.HasPrefix(f.Message, "malformed YAML: ") {
			t.Errorf("%q: %v", text, f)
		}
	}
}

// A list or quote over many lines does not hide that a later one is not closed.
func TestTheLastOpenConstruct(t *testing.T) {
	for want, text := range map[int]string{
		4: "a: [1,\n  2,\n  3]\nb: [4\nc: 5\n", 3: "a: \"x\n  y\"\nb: 'z\nc: 1\n", 2: "a: 1\nb: \"" + strings.Repeat("\n", 2000),
	} {
		var n yaml.Node
		err := yaml.Unmarshal([]byte(text), &n)
		if err == nil {
			t.Fatalf("%.40q is YAML", text)
		}
		if f := diagnose("x", []byte(text), err); f.Where.Line != want {
			t.Errorf("%.40q: %v, want line %d", text, f, want)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, text := range refused {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var n yaml.Node
		err := func() (err error) {
			defer func() {
				if recover() != nil {
					err = nil // a defect of the library, which its callers catch
				}
			}()
			return yaml.Unmarshal([]byte(text), &n)
		}()
		if err == nil {
			return
		}
		fault := diagnose("x", []byte(text), err)
		if fault.Where.Line < 1 || fault.Where.Column < 1 || len(fault.Error()) > 2000 {
			t.Errorf("%q: %v", text, fault)
		}
	})
}
