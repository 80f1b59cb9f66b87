package sandboxtest

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"golem/core/sandbox"
)

// Yard is an empty tree, with helpers, in which Bounds tries views.
type Yard struct {
	FS    sandbox.FS
	Link  func(target, name string) error // creates a symbolic link; nil: the tree has no links
	Clear func(name string) error         // removes a name and everything below it, also links
	// Views returns the views of a chain of workers, root first, in a project whose
	// manifest has these mounts. It builds them from the workers' configuration, as a
	// run does. If it is nil, Bounds builds them from sandbox.ViewSpec.
	Views func(manifest []sandbox.Mount, chain []Worker) ([]sandbox.FS, error)
}

// Worker is the sandbox configuration in one worker's file. Of the mounts only
// Name, At, Source, Mode and Suffixes are used. If Mounts is nil, the file has no
// mounts.
type Worker struct {
	Mounts   []sandbox.Mount
	Restrict string
	ReadOnly bool
}

var (
	yardDirs   = []string{".", "a", "b", "a/b", "a/c", "b/a", "new", "workers"}
	yardFiles  = []string{"f", "g.md", "m", ".env"}
	yardPoints = []string{".", ".", "a", "m", "m/n", "a/b", "x"}
)

// world is one random tree with the workers that see it.
type world struct {
	Yard
	*trial
	files   map[string]string // the tree as it was drawn, as dump returns it
	links   []string
	targets map[string]string // targets of the links, by the link's name
	workers []*worker

	manifest []sandbox.Mount // mounts of the manifest, only with Views
}

func (w *world) draw(r *rapid.T) {
	for range rapid.IntRange(3, 12).Draw(r, "files") {
		name := path.Join(rapid.SampledFrom(yardDirs).Draw(r, "dir"), rapid.SampledFrom(yardFiles).Draw(r, "file"))
		_ = w.FS.WriteFile(name, []byte(name)) // fails if the name is already a directory
	}
	links := 0
	if w.Link != nil {
		links = rapid.IntRange(0, 4).Draw(r, "links")
	}
	for i := range links {
		name := path.Join(rapid.SampledFrom(yardDirs).Draw(r, "link in"), fmt.Sprint("l", i))
		target := rapid.SampledFrom([]string{"..", ".", "../a", "b", "../../b", "f", "../a/b/f", "../.env", "a/new", "../workers"}).Draw(r, "target")
		if w.Link(target, name) == nil {
			w.links = append(w.links, name)
			w.targets[name] = target
		}
	}
	w.files = w.dump()
}

// namesOf returns the names under which a mount may show a real path.
func namesOf(real string) []string {
	var out []string
	elems := strings.Split(real, "/")
	for i := range len(elems) + 1 {
		for _, at := range yardPoints {
			if name := path.Join(append([]string{at}, elems[i:]...)...); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// names returns the names that are tried in a child's view.
func (w *world) names() []string {
	all := slices.Concat(slices.Sorted(maps.Keys(w.files)), w.links, []string{"new/f", "new/g.md", "fresh.md"})
	for _, l := range w.links {
		all = append(all, l+"/f", l+"/b/f", l+"/.env")
	}
	var out []string
	for _, n := range all {
		out = append(out, namesOf(n)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// changed returns the real paths that differ from the drawn tree, each with "written"
// or "removed".
func (w *world) changed() map[string]string {
	now, out := w.dump(), map[string]string{}
	for name, what := range now {
		if was, there := w.files[name]; !there || was != what {
			out[name] = "written"
		}
	}
	for name := range w.files {
		if _, there := now[name]; !there {
			out[name] = "removed"
		}
	}
	return out
}

// dump returns the tree as it is now: by real path the content of a file, or "dir" for
// a directory. Links are left out.
func (w *world) dump() map[string]string {
	out := map[string]string{}
	_ = fs.WalkDir(w.FS, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || e.Type()&fs.ModeSymlink != 0 || name == ".":
		case e.IsDir():
			out[name] = "dir"
		default:
			data, err := fs.ReadFile(w.FS, name)
			if out[name] = string(data); err != nil {
				out[name] = err.Error()
			}
		}
		return nil
	})
	return out
}

// restore makes the tree as it was drawn and opens the workers' views again.
func (w *world) restore(r *rapid.T) {
	changes := w.changed()
	names := slices.Sorted(maps.Keys(changes))
	for _, name := range slices.Backward(names) {
		if changes[name] == "written" {
			_ = w.Clear(name)
		}
	}
	for _, name := range names {
		switch was := w.files[name]; was {
		case "":
		case "dir":
			_ = w.FS.Mkdir(name, 0o755)
		default:
			_ = w.FS.WriteFile(name, []byte(name))
		}
	}
	if len(names) == 0 {
		return
	}
	for _, name := range w.links {
		_ = w.Link(w.targets[name], name) // fails if the link still exists
	}
	if left := w.changed(); len(left) > 0 {
		r.Fatalf("the tree cannot be restored: %v", left)
	}
	for _, k := range w.workers { // a handle of a removed directory cannot be used any more
		if err := w.open(k); err != nil {
			r.Fatalf("%s cannot be opened again: %v", k.name, err)
		}
	}
}
