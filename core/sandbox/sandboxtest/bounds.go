package sandboxtest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Bounds tests SPEC §8 on random trees with links, mounts, modes, restrictions
// and limits: in a chain of callers no worker can read, write or remove what
// its caller cannot (scenario 42). open returns a new Yard each time.
func Bounds(t *testing.T, open func() Yard) {
	var tried trial
	disk := false
	for round := 0; round < 10 && !tried.enough(disk); round++ { // a random round may try too little
		rapid.Check(t, func(r *rapid.T) {
			y := open()
			disk = y.Link != nil // fewer names are tried on a disk
			w := &world{Yard: y, files: map[string]string{}, targets: map[string]string{}, trial: &tried}
			w.draw(r)
			if w.Views != nil && rapid.Bool().Draw(r, "manifest") {
				w.manifest = w.mounts(r)
			}
			w.chain(r)
		})
	}
	t.Logf("%+v", tried)
	if !tried.enough(disk) {
		t.Errorf("too little was tried: %+v", tried)
	}
}

// trial counts what was tried, so that Bounds fails if it tried too little.
type trial struct{ views, reads, writes, removals, escalations int }

func (t *trial) enough(disk bool) bool {
	return t.views >= 20 && t.reads > 0 && t.writes > 0 && (t.removals > 0 || disk) && t.escalations > 0
}

// worker is one worker of a chain of callers, with its view.
type worker struct {
	name     string
	caller   *worker
	mounts   []sandbox.Mount // the declared mounts; open opens them again from Source
	spec     sandbox.ViewSpec
	loose    bool            // an orchestrator: its children may see the whole project
	manifest []sandbox.Mount // the opened mounts, by which judge judges a loose caller

	view  sandbox.FS
	bound *sandbox.Bound
}

// chain builds a root worker, its child and so on, and compares each with its caller.
func (w *world) chain(r *rapid.T) {
	for depth := range 4 {
		k := w.worker(r, fmt.Sprint("depth ", depth))
		if err := w.open(k); err != nil {
			if errors.Is(err, fault.Escalation) {
				w.escalations++
			}
			return
		}
		w.views++
		w.workers = append(w.workers, k)
		if depth > 0 {
			w.compare(r, k.caller, k)
		}
	}
}

// worker draws the next worker of the chain.
func (w *world) worker(r *rapid.T, name string) *worker {
	k := &worker{name: name}
	if n := len(w.workers); n > 0 {
		k.caller = w.workers[n-1]
	}
	k.loose = k.caller == nil && rapid.IntRange(0, 3).Draw(r, "orchestrator") == 0
	if k.caller == nil && w.Views == nil || rapid.IntRange(0, 2).Draw(r, "declares") > 0 {
		k.mounts = w.mounts(r)
	}
	k.spec.ReadOnly = rapid.IntRange(0, 7).Draw(r, "readonly") == 0
	if !k.loose && rapid.IntRange(0, 3).Draw(r, "restricts") == 0 {
		at := rapid.SampledFrom(append(yardPoints, "a/c", "m/f", "b", "a/f")).Draw(r, "restrict")
		k.spec.Restricts = []string{at, at}[:rapid.IntRange(1, 2).Draw(r, "once or twice")]
	}
	return k
}

// open builds a worker's view.
func (w *world) open(k *worker) error {
	if w.Views != nil {
		return w.run(k)
	}
	root, spec := sandbox.SourceOf(w.FS, "."), k.spec
	spec.Protection = sandbox.Controls{Root: root}.Protect()
	k.manifest = nil
	for _, m := range k.mounts {
		if err := w.source(&m); err != nil {
			continue // a link out, or a name below a file
		}
		spec.Mounts = append(spec.Mounts, m)
		k.manifest = append(k.manifest, m)
	}
	spec.Mounts = append(spec.Mounts, sandbox.Mount{Name: "attachments", At: "x/attachments", FS: sandbox.Memory(), HideEmpty: true, Unrestricted: true})
	if k.caller != nil {
		spec.Bound = k.caller.bound
	}
	var err error
	if k.view, err = sandbox.View(spec); err != nil {
		return err
	}
	k.bound = sandbox.BoundOf(k.view, k.name)
	if k.loose {
		k.bound.Beyond(sandbox.Mount{Name: "project", At: ".", FS: w.FS, Source: root, Mode: sandbox.ReadWrite})
	}
	return nil
}

// source opens the mount's Source and sets FS, File and the real Source.
func (w *world) source(m *sandbox.Mount) (err error) {
	m.FS, m.File, err = sandbox.Nest(w.FS, m.Source)
	if errors.Is(err, fs.ErrNotExist) {
		m.FS, err = sandbox.Later(w.FS, m.Source)
	}
	switch real := sandbox.SourceOf(m.FS, ""); {
	case err != nil || real == "":
	case m.File == "":
		m.Source = real
	default:
		m.Source = path.Join(real, m.File)
	}
	return err
}

// run builds a worker's view with Yard.Views, from the configuration of the worker and
// all its callers.
func (w *world) run(k *worker) error {
	var chain []Worker
	for n := k; n != nil; n = n.caller {
		in := Worker{Mounts: n.mounts, ReadOnly: n.spec.ReadOnly}
		if len(n.spec.Restricts) > 0 {
			in.Restrict = sandbox.Abs(n.spec.Restricts[0])
		}
		chain = append([]Worker{in}, chain...)
	}
	views, err := w.Views(w.manifest, chain)
	if err != nil {
		return err
	}
	k.view = views[len(views)-1]
	if k.loose = k.caller == nil && len(k.mounts) == 0 && len(k.spec.Restricts) == 0; k.loose {
		k.manifest = nil
		for _, m := range w.manifest {
			if err := w.source(&m); err != nil {
				return err
			}
			k.manifest = append(k.manifest, m)
		}
	}
	return nil
}

func (w *world) mounts(r *rapid.T) []sandbox.Mount {
	var out []sandbox.Mount
	for i := range rapid.IntRange(1, 3).Draw(r, "mounts") {
		source := rapid.SampledFrom(yardDirs).Draw(r, "source")
		if rapid.IntRange(0, 4).Draw(r, "file") == 0 {
			source = path.Join(source, rapid.SampledFrom(yardFiles).Draw(r, "source file"))
		}
		if len(w.links) > 0 && rapid.IntRange(0, 4).Draw(r, "by a link") == 0 {
			source = path.Join(rapid.SampledFrom(w.links).Draw(r, "link"), rapid.SampledFrom([]string{".", "f", "b"}).Draw(r, "below"))
		}
		m := sandbox.Mount{
			Name: fmt.Sprint("m", i), At: rapid.SampledFrom(yardPoints).Draw(r, "at"), Source: source, Own: rapid.Bool().Draw(r, "own"),
			Mode: rapid.SampledFrom([]sandbox.Mode{sandbox.ReadOnly, sandbox.ReadWrite, sandbox.ReadWrite, sandbox.Staged}).Draw(r, "mode"),
		}
		if rapid.IntRange(0, 3).Draw(r, "limited") == 0 {
			m.Suffixes = []string{".md"}
		}
		if !slices.ContainsFunc(out, func(o sandbox.Mount) bool { return o.At == m.At }) {
			out = append(out, m)
		}
	}
	return out
}

// compare fails the test if the child can do something that its caller cannot do.
func (w *world) compare(r *rapid.T, caller, child *worker) {
	for _, name := range w.names() {
		data, err := fs.ReadFile(child.view, name)
		if err != nil {
			continue
		}
		w.reads++
		if at := string(data); at == ".env" || strings.HasSuffix(at, "/.env") {
			r.Fatalf("the child reads %s", at)
		} else if !caller.loose && !w.canRead(caller.view, at) {
			r.Fatalf("the child reads %s as %s, which its caller does not see", at, name)
		}
	}
	names := w.names()
	to := rapid.SampledFrom(names).Draw(r, "to")
	if w.Link != nil || runtime.GOOS == "js" { // a disk is slow, and so is Node
		names = rapid.SliceOfN(rapid.SampledFrom(names), 10, 10).Draw(r, "names")
	}
	for _, op := range []struct {
		name string
		try  func(string) error
	}{
		{"write", func(name string) error { return child.view.WriteFile(name, []byte("probe")) }},
		{"mkdir", func(name string) error { return child.view.Mkdir(name, 0o755) }},
		{"remove", func(name string) error { return child.view.Remove(name) }},
		{"rename to " + to, func(name string) error { return child.view.Rename(name, to) }},
	} {
		for _, at := range names {
			if op.try(at) != nil {
				continue
			}
			changes := w.changed()
			w.restore(r)
			for _, real := range slices.Sorted(maps.Keys(changes)) {
				if changes[real] == "written" && holds(changes, real) {
					continue // a directory made on the way to a file
				}
				w.judge(r, caller, op.name+" "+at, real, changes[real])
			}
		}
		w.restore(r) // a call that failed may have created a directory
	}
}

// holds reports whether a file or directory below dir was written.
func holds(changes map[string]string, dir string) bool {
	for name, how := range changes {
		if how == "written" && strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// judge fails the test if the caller cannot make the change that the child made at a
// real path.
func (w *world) judge(r *rapid.T, caller *worker, what, real, how string) {
	if caller.loose {
		if mode := modeOf(caller.manifest, sandbox.SourceOf(w.FS, "."), real); mode != sandbox.ReadWrite {
			r.Fatalf("%s: %s was %s, which the manifest's mounts hold to %s", what, real, how, mode)
		}
		return
	}
	can := false
	if how == "removed" {
		w.removals++
		can = w.can(r, func(n string) error { return caller.view.Remove(n) }, real, how) || w.can(r, func(n string) error { return caller.view.Rename(n, n+"2") }, real, how)
	} else {
		w.writes++
		can = w.can(r, func(n string) error { return caller.view.WriteFile(n, []byte("probe")) }, real, how) ||
			w.can(r, func(n string) error { return caller.view.WriteFile(path.Join(n, "z.md"), nil) }, real, how) ||
			w.can(r, func(n string) error { return caller.view.Mkdir(n, 0o755) }, real, how)
	}
	if !can {
		r.Fatalf("%s: %s was %s, which its caller cannot do", what, real, how)
	}
}

// can reports whether try makes the change how at a real path, by one of the names that
// the caller may have for that path.
func (w *world) can(r *rapid.T, try func(string) error, real, how string) bool {
	for _, name := range namesOf(real) {
		if try(name) != nil {
			continue
		}
		got := w.changed()[real]
		w.restore(r)
		if got == how {
			return true
		}
	}
	return false
}

func (w *world) canRead(v sandbox.FS, real string) bool {
	for _, name := range append(namesOf(real), w.names()...) {
		if data, err := fs.ReadFile(v, name); err == nil && string(data) == real {
			return true
		}
	}
	return false
}

// modeOf returns the mode that mounts permit at a real path: the strictest mode of
// the mounts whose source contains it. The root mount does not count if another
// mount inside it contains the path.
func modeOf(mounts []sandbox.Mount, root, real string) sandbox.Mode {
	source, mode := path.Join(root, real), sandbox.ReadWrite
	around := func(inner, outer string) bool {
		return inner == outer || outer == "." || strings.HasPrefix(inner, outer+"/")
	}
	for _, m := range mounts {
		better := func(o sandbox.Mount) bool {
			return m.At == "." && o.Source != m.Source && around(o.Source, m.Source) && around(source, o.Source)
		}
		if around(source, m.Source) && !slices.ContainsFunc(mounts, better) {
			mode = sandbox.Stricter(mode, m.Mode)
		}
	}
	return mode
}
