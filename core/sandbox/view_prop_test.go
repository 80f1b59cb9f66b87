package sandbox_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"golem/core/sandbox"
)

var (
	propDirs  = []string{".", "src", "src/sub", "in", "workers", ".git", "data", "data/src"}
	propFiles = []string{"a", "A.worker", ".env", "x.wasm", "b.txt", "src", "project.yaml"}
)

// world is one random tree with random mounts and two views of it: a parent's and
// a child's. The child has more restrictions and constraints.
type world struct {
	trees         []sandbox.FS // the trees that the mounts show; sources has the source of each
	sources       []string
	parent, child sandbox.FS
	guarded       sandbox.Protection
	constraints   []sandbox.Constraint
	readonly      bool
}

func (w *world) draw(t *rapid.T) bool {
	base := sandbox.Memory()
	for range rapid.IntRange(1, 12).Draw(t, "files") {
		name := drawName(t)
		_ = base.WriteFile(name, []byte(name)) // fails if the name is already a directory
	}
	w.trees, w.sources = append(w.trees, base, sandbox.Memory()), append(w.sources, ".", "scratch")
	mounts := []sandbox.Mount{{Name: "m0", At: rapid.SampledFrom([]string{".", ".", "src", "mnt"}).Draw(t, "at"), FS: base, Source: ".", Mode: sandbox.ReadWrite}}
	for i := range rapid.IntRange(0, 3).Draw(t, "mounts") {
		m := sandbox.Mount{Name: fmt.Sprint("n", i), At: rapid.SampledFrom([]string{"src/m", "mnt", "data", "x/y"}).Draw(t, "at"), FS: w.trees[1], Source: "scratch", Mode: drawMode(t)}
		if dir := rapid.SampledFrom(propDirs).Draw(t, "source"); rapid.Bool().Draw(t, "inside") {
			sub, err := base.(sandbox.SubFS).SubFS(dir)
			if err != nil {
				continue
			}
			m.FS, m.Source = sub, dir
		}
		mounts = append(mounts, m)
	}
	w.guarded = sandbox.Controls{Root: ".", Manifest: "project.yaml"}.Protect()
	spec := sandbox.ViewSpec{Mounts: mounts, Protection: w.guarded, ReadOnly: rapid.IntRange(0, 3).Draw(t, "readonly") == 0}
	for _, m := range mounts {
		spec.Constraints = append(spec.Constraints, sandbox.Constraint{Source: m.Source, Mode: m.Mode})
	}
	narrow := func(s sandbox.ViewSpec) sandbox.ViewSpec {
		s.Restricts = slices.Clone(s.Restricts)
		s.Constraints = slices.Clone(s.Constraints)
		if rapid.IntRange(0, 2).Draw(t, "restrict") == 0 {
			s.Restricts = append(s.Restricts, rapid.SampledFrom(append(propDirs, "mnt", "mnt/src", "src/m")).Draw(t, "to"))
		}
		return s
	}
	spec = narrow(spec)
	var err error
	if w.parent, err = sandbox.View(spec); err != nil {
		return false
	}
	below := narrow(spec)
	below.ReadOnly = spec.ReadOnly || rapid.IntRange(0, 3).Draw(t, "child readonly") == 0
	if rapid.IntRange(0, 3).Draw(t, "constrain") == 0 {
		below.Constraints = append(below.Constraints, sandbox.Constraint{Source: rapid.SampledFrom(propDirs).Draw(t, "source"), Mode: drawMode(t)})
	}
	if w.child, err = sandbox.View(below); err != nil {
		return false
	}
	w.constraints, w.readonly = below.Constraints, below.ReadOnly
	return true
}

func drawMode(t *rapid.T) sandbox.Mode {
	return rapid.SampledFrom([]sandbox.Mode{sandbox.ReadOnly, sandbox.ReadWrite, sandbox.ReadWrite, sandbox.ReadWrite, sandbox.ReadWrite, sandbox.Staged}).Draw(t, "mode")
}

func drawName(t *rapid.T) string {
	name := rapid.SampledFrom(propFiles).Draw(t, "file")
	if dir := rapid.SampledFrom(append(propDirs, "mnt", "src/m", "x/y", "mnt/src")).Draw(t, "dir"); dir != "." {
		if rapid.IntRange(0, 4).Draw(t, "the directory itself") == 0 {
			return dir
		}
		return dir + "/" + name
	}
	return name
}

// dump returns every file and directory that f shows, with its content, by name.
func dump(f fs.FS) map[string]string {
	out := map[string]string{}
	_ = fs.WalkDir(f, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			out[name] = "error"
		case e.IsDir():
			out[name] = "dir"
		default:
			data, err := fs.ReadFile(f, name)
			out[name] = fmt.Sprintf("file %s %v", data, err)
		}
		return nil
	})
	return out
}

// SPEC §8: for any tree, mounts, restrictions and modes, a child shows and
// changes nothing that its parent does not see, and never changes a file that is
// protected or under a stricter mode.
func TestChildNeverMore(t *testing.T) {
	var changed, shown int
	property := func(t *rapid.T) {
		var w world
		if !w.draw(t) {
			return
		}
		visible := dump(w.parent)
		for name, what := range dump(w.child) {
			if visible[name] != what {
				t.Fatalf("the child shows %s as %q, the parent %q", name, what, visible[name])
			}
			shown++
		}
		for range rapid.IntRange(6, 16).Draw(t, "steps") {
			a, b := drawName(t), drawName(t)
			before, seen := []map[string]string{dump(w.trees[0]), dump(w.trees[1])}, dump(w.parent)
			var err error
			switch op := rapid.SampledFrom([]string{"write", "remove", "rename", "mkdir", "read"}).Draw(t, "op"); op {
			case "write":
				err = w.child.WriteFile(a, []byte("new "+a))
			case "remove":
				err = w.child.Remove(a)
			case "rename":
				err = w.child.Rename(a, b)
			case "mkdir":
				err = w.child.Mkdir(a, 0o755)
			case "read":
				data, err := fs.ReadFile(w.child, a)
				if theirs, perr := fs.ReadFile(w.parent, a); err == nil && (perr != nil || string(theirs) != string(data)) {
					t.Fatalf("the child reads %s, the parent: %v", a, perr)
				}
			}
			var diff []string
			for i, tree := range w.trees {
				for _, name := range differ(before[i], dump(tree)) {
					diff = append(diff, w.permitted(t, i, name))
				}
			}
			changed += len(diff)
			if len(diff) > 0 && (err != nil || w.readonly) {
				t.Fatalf("changed %v although readonly %v, error %v", diff, w.readonly, err)
			}
			if len(diff) > 0 && len(differ(seen, dump(w.parent))) == 0 {
				t.Fatalf("changed %v, which the parent does not even see", diff)
			}
		}
	}
	// A random round may change nothing, which proves little: then draw again.
	for round := 0; round < 10 && (changed == 0 || shown == 0); round++ {
		rapid.Check(t, property)
	}
	if changed == 0 || shown == 0 {
		t.Errorf("nothing was tried: %d changes, %d names shown", changed, shown)
	}
}

// permitted fails the test if a name that was changed in a tree is protected or under a
// stricter mode. It returns the name's source.
func (w *world) permitted(t *rapid.T, i int, name string) string {
	source := name
	if i > 0 {
		source = w.sources[i] + "/" + name
	}
	if w.guarded.Rules.NoWrite(sandbox.Fold(source)) {
		t.Fatalf("%s is protected and was changed", source)
	}
	for _, c := range w.constraints {
		if c.Mode != sandbox.ReadWrite && sandbox.Within(source, c.Source) {
			t.Fatalf("%s is held to %s at %s and was changed", source, c.Mode, c.Source)
		}
	}
	return source
}

func differ(a, b map[string]string) []string {
	var out []string
	for _, m := range []map[string]string{a, b} {
		for name := range m {
			if a[name] != b[name] && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.SortFunc(out, strings.Compare)
	return out
}
