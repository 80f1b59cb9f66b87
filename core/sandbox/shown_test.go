package sandbox

import (
	"strings"
	"testing"
)

// Shown returns the same text for views that show the same, and different texts if
// a place, a mode or a restriction differs.
func TestShown(t *testing.T) {
	tree := Memory()
	for _, name := range []string{"a/x", "b/y"} {
		if err := tree.WriteFile(name, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	extra := Mount{Name: "attachments", At: "attachments", FS: Memory(), Mode: ReadOnly, Unrestricted: true}
	root := func(mode Mode) Mount {
		return Mount{Name: "root", At: ".", FS: tree, Source: "/p", Mode: mode}
	}
	a := func(mode Mode) Mount {
		sub, err := tree.(SubFS).SubFS("a")
		if err != nil {
			t.Fatal(err)
		}
		return Mount{Name: "a", At: "a", FS: sub, Source: "/p/a", Mode: mode}
	}
	seen := map[string]string{}
	for want, spec := range map[string]ViewSpec{
		"/ (rw)":          {Mounts: []Mount{root(ReadWrite)}},
		"/ (ro)":          {Mounts: []Mount{root(ReadOnly)}},
		"/ (ro), /a (rw)": {Mounts: []Mount{root(ReadOnly), a(ReadWrite)}},
		"/ (rw), /a (ro)": {Mounts: []Mount{root(ReadWrite), a(ReadOnly)}},
		"/a (rw)":         {Mounts: []Mount{root(ReadWrite)}, Restricts: []string{"a"}},
		"/ (ro), /a (ro)": {Mounts: []Mount{root(ReadWrite), a(ReadWrite)}, ReadOnly: true},
		"/ (rw), /a (rw)": {Mounts: []Mount{root(ReadWrite), a(ReadWrite)}},
		"":                {},
	} {
		view, err := View(spec)
		if err != nil {
			t.Fatal(want, err)
		}
		spec.Mounts = append(spec.Mounts, extra)
		again, err := View(spec)
		if err != nil {
			t.Fatal(want, err)
		}
		short, exact := Shown(view)
		short2, exact2 := Shown(again)
		if short != want || short2 != want || exact != exact2 {
			t.Errorf("%q: %q, %q\n%s\n%s", want, short, short2, exact, exact2)
		}
		if other, there := seen[exact]; there {
			t.Errorf("%q and %q look alike", want, other)
		}
		seen[exact] = want
	}
	_, one := Shown(Memory())
	if _, two := Shown(Memory()); one == two || strings.Contains(one, "/p") {
		t.Error("two trees that are no views look alike")
	}
}
