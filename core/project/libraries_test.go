package project

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
)

// librarySource returns a project that uses one worker of utils, with these libraries.
func librarySource(libraries fs.FS) Setup {
	s := demo("-- project.yaml --\ndependencies: [utils]\n-- main.worker --\n---\nallow_workers: ['utils:w1']\n---\nhi\n")
	s.Libraries = []LibraryRoot{{Label: "libs", FS: libraries}}
	return s
}

// libraryOf returns a library utils with n workers.
func libraryOf(n int) fstest.MapFS {
	files := fstest.MapFS{"utils/lib.yaml": {Data: []byte("name: utils\nexports: [w1]\n")}}
	for i := range n {
		files[fmt.Sprintf("utils/workers/w%d.worker", i)] = &fstest.MapFile{Data: []byte("---\ndescription: w\n---\nDo it.\n")}
		files[fmt.Sprintf("other%d/lib.yaml", i)] = &fstest.MapFile{Data: []byte("name: other\n")}
	}
	return files
}

// What a library's manifest adds to the requests of its workers is among what a person must
// trust, as what the project's own files add is, also if a flag replaces a part of it.
func TestExtrasOfALibrary(t *testing.T) {
	files := fstest.MapFS{
		"utils/project.yaml":      {Data: []byte("name: utils\nexports: [w1]\nmodel_settings: {extra: {servers: {url: evil}}}\n")},
		"utils/workers/w1.worker": {Data: []byte("---\ndescription: w\nmodel_settings: {extra: {tier: fast}}\n---\nDo it.\n")},
	}
	s := librarySource(files)
	s.Options.ModelSettings = map[string]string{"extra": `{"servers":{"other":"mine"}}`}
	p := open(t, s)
	entry, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	closure, err := p.Workers.Closure(entry)
	if err != nil || len(closure) != 2 {
		t.Fatalf("%v, %v", closure, err)
	}
	var got []string
	for _, e := range p.Extras(closure[1]) {
		got = append(got, e.Key)
	}
	slices.Sort(got)
	if want := []string{"servers", "tier"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A run that uses one worker of a library looks at files as often for a library of
// 1,000 workers, beside 1,000 other libraries, as for one of two workers.
func TestAWorkerOfALargeLibraryCostsNothing(t *testing.T) {
	few, many := &counted{MapFS: libraryOf(2)}, &counted{MapFS: libraryOf(1000)}
	for _, files := range []*counted{few, many} {
		p := open(t, librarySource(files))
		entry, err := p.Workers.Entry()
		if err != nil {
			t.Fatal(err)
		}
		closure, err := p.Workers.Closure(entry)
		if err != nil || len(closure) != 2 || closure[1].ID != "utils:w1" || closure[1].Source != "lib utils" {
			t.Fatalf("%v, %v", closure, err)
		}
		if got, want := strings.Join(p.Trees.Opened(), " "), "main.worker project.yaml utils:lib.yaml utils:workers/w1.worker"; got != want {
			t.Errorf("opened %s, want %s", got, want)
		}
	}
	if few.opens != many.opens || few.stats != many.stats {
		t.Errorf("2 workers: %d opens, %d stats; 1000: %d, %d", few.opens, few.stats, many.opens, many.stats)
	}
}

// BenchmarkLibrary loads the closure of a project that uses one worker of a library.
// The library has n workers more.
func BenchmarkLibrary(b *testing.B) {
	for _, n := range []int{1, 1000} {
		files := sandbox.Memory() // a tree whose files are found in one step, as on a disk
		for name, f := range libraryOf(n + 1) {
			if err := files.WriteFile(name, f.Data); err != nil {
				b.Fatal(err)
			}
		}
		s := librarySource(files)
		b.Run(fmt.Sprintf("workers=%d", n), func(b *testing.B) {
			for b.Loop() {
				p, err := Load(s)
				if err != nil {
					b.Fatal(err)
				}
				entry, err := p.Workers.Entry()
				if err == nil {
					_, err = p.Workers.Closure(entry)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestVersionsAreOrdered(t *testing.T) {
	want := []string{"1-1", "1.0.0-2", "1.0.0-10", "1.0.0-a", "1.0.0-a.1", "1", "1.0.1", "1.2", "1.9.0", "1.10.0", "2"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, config.CompareVersions)
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// Numbers that a version leaves out are 0, in the dependency, the tag, the directory
// and the description.
func TestTheSameVersion(t *testing.T) {
	for _, c := range []struct{ dir, version, asked, other string }{
		{"utils@1.0.0", "1.0.0", "utils@1.0", "utils@1"}, {"utils@1.0", "1.0", "utils@1.0.0", "utils@1.0"},
		{"utils", "1.0.0", "utils@1", "utils"}, {"utils@1.0", "1.0.0", "utils@1.0", "utils@1.0.0"},
		{"utils@1.0.0", "1.0.0", "git+https://example.com/utils.git@v1.0", "utils@1.0"}, {"utils@2.0.0-rc.1", "2.0.0-rc.1", "utils@2-rc.1", "utils@2.0-rc.1"},
	} {
		s := demo("-- project.yaml --\ndependencies: [\"" + c.asked + "\", other]\n-- main.worker --\ninstructions: x\n")
		s.Libraries = []LibraryRoot{{Label: "libs", FS: tree("-- " + c.dir + "/lib.yaml --\nname: utils\nversion: \"" + c.version + "\"\n" +
			"-- other/lib.yaml --\nname: other\ndependencies: [\"" + c.other + "\"]\n")}}
		if p, err := Load(s); err != nil || p.Trees.Tree("utils:").Manifest.Version != c.version {
			t.Errorf("%v: %v", c, err)
		}
	}
	s := librarySource(tree("-- utils@1.0.1/lib.yaml --\nname: utils\nversion: 1.0.1\n-- utils@1.0.0+b/lib.yaml --\nname: utils\nversion: 1.0.0+b\n"))
	s.FS = tree("-- project.yaml --\ndependencies: [utils@1.0]\n")
	_, err := Load(s)
	wantFault(t, err, fault.LibraryNotFound, "utils@1.0")
}

// A dependency without a version gets no pre-release, unless there are only
// pre-releases.
func TestAnyVersionIsAReleasedOne(t *testing.T) {
	for want, versions := range map[string][]string{"1.9": {"2.0-rc.1", "1.9", "1.8"}, "1.0+a-b": {"1.0+a-b", "1.1-a"}, "2.0-rc.2": {"2.0-rc.1", "2.0-rc.2", "1.0-rc.3"}} {
		text := ""
		for _, v := range versions {
			text += "-- utils@" + v + "/lib.yaml --\nname: utils\nversion: \"" + v + "\"\n"
		}
		s := librarySource(tree(text))
		if p, err := Load(s); err != nil || p.Trees.Tree("utils:").Manifest.Version != want {
			t.Errorf("%v: %v", versions, err)
		}
	}
}

// Of three libraries, each in two versions, every set of requirements ends in one
// version of each that all agree with, or in a conflict.
func TestRequirementsAgreeOrConflict(t *testing.T) {
	specs := []string{"lb", "lb@1", "lb@2"}
	for _, own := range specs {
		for _, a := range specs {
			for _, c := range specs {
				s := demo("-- project.yaml --\nname: top\ndependencies: [la, lc, " + own + "]\n-- main.worker --\ninstructions: x\n")
				s.Libraries = []LibraryRoot{{Label: "libs", FS: tree("-- la/lib.yaml --\nname: la\ndependencies: [" + a + "]\n-- lc/lib.yaml --\nname: lc\ndependencies: [" + c + "]\n" +
					"-- lb@1/lib.yaml --\nname: lb\nversion: \"1\"\n-- lb@2/lib.yaml --\nname: lb\nversion: \"2\"\n")}}
				p, err := Load(s)
				var exact []string
				for _, spec := range []string{own, a, c} {
					if _, version, ok := strings.Cut(spec, "@"); ok && !slices.Contains(exact, version) {
						exact = append(exact, version)
					}
				}
				if len(exact) > 1 {
					wantFault(t, err, fault.LibraryConflict, "two versions of lb")
					continue
				}
				if err != nil {
					t.Fatalf("%s %s %s: %v", own, a, c, err)
				}
				if got, want := p.Trees.Tree("lb:").Manifest.Version, append(exact, "2")[0]; got != want {
					t.Errorf("%s %s %s: version %s, want %s", own, a, c, got, want)
				}
			}
		}
	}
}

func FuzzLibraryFile(f *testing.F) {
	for _, text := range hostile() {
		f.Add([]byte(text))
	}
	for _, text := range []string{"name: utils", "name: utils\nversion: 1.0.0\nexports: [a, main, ./b, workers/c]\ndependencies: [utils, base@1]", "name: ../x", "exports: []", "name: utils\ndependencies: [utils]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		files := fstest.MapFS{"utils/lib.yaml": {Data: data}, "utils/workers/w1.worker": {Data: []byte("instructions: x")}, "base/lib.yaml": {Data: []byte("name: base\ndependencies: [utils]")}}
		p, err := Load(librarySource(files))
		sound(t, err)
		if p == nil {
			t.Fatal("no project")
		}
		for _, name := range p.Trees.Opened() {
			if _, file, ok := strings.Cut(name, ":"); ok && !fs.ValidPath(file) {
				t.Errorf("opened %q", name)
			}
		}
		sound(t, Check(p, "").Err())
		lib, err := ReadLibrary(sub(t, files, "utils"))
		sound(t, err)
		if err == nil && (config.LibraryNameProblem(lib.Name) != "" || lib.Version != "" && !config.Semantic(lib.Version)) {
			t.Errorf("%+v", lib)
		}
	})
}

func FuzzDependency(f *testing.F) {
	for _, text := range []string{"utils", "legal@2.0", "git+https://example.com/org/workers.git@v1.0", "git+file:///x/y", "git+ssh://git@h/x@main", "git+https://u:p@h/x", "../x", "a@", "@1", "a@../b", "con", "a\x00b", "git+", "a.", "a..b", "C:x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, problem := config.ParseDependency(text)
		if problem != "" {
			return
		}
		dir := config.NameVersion(d.Name, d.Version)
		if !fs.ValidPath(dir) || path.Base(dir) != dir || dir == "." || strings.ContainsAny(dir, "\\:\x00 ") || strings.HasPrefix(dir, ".") {
			t.Errorf("%q is the directory %q", text, dir)
		}
		if r, f := parseReference(d.Name + ":w"); f != nil || r.lib != d.Name {
			t.Errorf("%q cannot be named: %v", text, f)
		}
	})
}

func sub(t *testing.T, files fs.FS, dir string) fs.FS {
	t.Helper()
	out, err := fs.Sub(files, dir)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// MissingLibraries names what no directory of libraries has, and only that: not a library that
// is installed, and not one that cannot be read.
func TestMissingLibraries(t *testing.T) {
	roots := []LibraryRoot{{Label: "libs", FS: fstest.MapFS{
		"utils/lib.yaml":    {Data: []byte("name: utils\ndependencies: [utils]\n")},
		"more@1.0/lib.yaml": {Data: []byte("name: more\nversion: '1.0'\n")},
		"broken/lib.yaml":   {Data: []byte("nonsense: [\n")},
		"lone/golem.lock":   {Data: []byte("{}")},
	}}, {Label: "none"}}
	missing := MissingLibraries([]string{"utils", "more@1.0", "broken", "lone", "more@2.0", "absent", "no name"}, roots)
	var got []string
	for _, f := range missing {
		got = append(got, f.Message)
		if f.Code != fault.LibraryNotFound || f.Severity != fault.Warning {
			t.Errorf("%+v", f)
		}
	}
	if len(got) != 2 || !strings.Contains(got[0], `"more@2.0"`) || !strings.Contains(got[1], `"absent"`) {
		t.Errorf("%q", got)
	}
}
