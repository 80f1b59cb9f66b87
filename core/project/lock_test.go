package project

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/config"
	"golem/core/fault"
)

// locking returns a project with a module and its lock, and a library that it uses.
func locking(t testing.TB) (project, libs fstest.MapFS) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	project = fstest.MapFS{
		"main.worker":        file("---\ndescription: x\nimports: {workers: ['utils:a']}\n---\nHi."),
		"project.yaml":       file("name: p\ndependencies: [utils]\n"),
		"tools/t.wasm":       file("module"),
		"tools/t.tools.yaml": file("tools: []\n"),
	}
	libs = fstest.MapFS{
		"utils/lib.yaml":            file("name: utils\nversion: \"1.0\"\n"),
		"utils/workers/a.worker":    file("---\ndescription: a\n---\nA."),
		"utils/workers/b.worker":    file("---\ndescription: b\n---\nB."),
		"utils/tools/u.wasm":        file("module of the library"),
		"utils/.golem-origin.json":  file("{}"),
		"utils/node_modules/x/y.js": file("x"),
	}
	data, err := lockOf(t, project, libs).Encode()
	if err != nil {
		t.Fatal(err)
	}
	project[config.LockFile] = &fstest.MapFile{Data: data}
	return project, libs
}

func lockSource(project, libs fstest.MapFS) Setup {
	return Setup{FS: project, Name: "p", Platform: Platform{Name: "native"}, Libraries: []LibraryRoot{{Label: "libs", FS: libs}}}
}

func lockOf(t testing.TB, project, libs fstest.MapFS) config.Lock {
	t.Helper()
	s := lockSource(project, libs)
	s.NoLock = true
	p, err := Load(s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Workers.Find("main")
	if err != nil {
		t.Fatal(err)
	}
	modules, err := p.Modules.Of(w)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := p.Modules.NewLock(modules)
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

// use opens the files that a run would open: the worker, what it imports, every module
// with its description. It returns the first error.
func use(project, libs fstest.MapFS) error {
	p, err := Load(lockSource(project, libs))
	if err != nil {
		return err
	}
	w, err := p.Workers.Find("main")
	if err != nil {
		return err
	}
	if _, err := p.Workers.Imported(w); err != nil {
		return err
	}
	modules, err := p.Modules.Of(w)
	if err != nil {
		return err
	}
	for _, m := range modules {
		file, err := p.Modules.Open(m)
		if err != nil {
			return err
		}
		data, err := io.ReadAll(file)
		if err != nil || len(data) == 0 {
			return errors.Join(err, errors.New("nothing was read"))
		}
		if _, err := p.Modules.Sidecar(m); err != nil && !strings.Contains(err.Error(), "not exist") {
			return err
		}
	}
	return nil
}

// golem.lock pins every file of a library, and the project's modules with their
// descriptions; the same project gives the same bytes.
func TestLockPins(t *testing.T) {
	project, libs := locking(t)
	lock := lockOf(t, project, libs)
	if got := strings.Join(slices.Sorted(maps.Keys(lock.Libraries["utils"].Files)), " "); got != "lib.yaml tools/u.wasm workers/a.worker workers/b.worker" || lock.Libraries["utils"].Version != "1.0" {
		t.Errorf("%s, version %s", got, lock.Libraries["utils"].Version)
	}
	if got := strings.Join(slices.Sorted(maps.Keys(lock.Modules)), " "); got != "tools/t.tools.yaml tools/t.wasm" {
		t.Error(got)
	}
	again, err := lockOf(t, project, libs).Encode()
	if err != nil || string(again) != string(project[config.LockFile].Data) {
		t.Errorf("the second lock differs: %v", err)
	}
	if err := use(project, libs); err != nil {
		t.Error(err)
	}
}

// SECURITY 11: a file that has changed is E_LOCK before it is used, with its name
// and the line to run; a file that no run opens is not looked at.
func TestLockRefuses(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(project, libs fstest.MapFS)
	}{
		{"library's worker", "utils:workers/a.worker has changed: golem.lock has sha256 ", func(_, libs fstest.MapFS) { libs["utils/workers/a.worker"].Data = []byte("---\n---\nOther.") }},
		{"description of the library", "utils:lib.yaml has changed", func(_, libs fstest.MapFS) { libs["utils/lib.yaml"].Data = []byte("name: utils\nversion: \"1.1\"\n") }},
		{"library's module", "utils:tools/u.wasm has changed", func(_, libs fstest.MapFS) { libs["utils/tools/u.wasm"].Data = []byte("evil") }},
		{"new module of the library", "utils:tools/v.wasm is not in golem.lock", func(_, libs fstest.MapFS) { libs["utils/tools/v.wasm"] = &fstest.MapFile{Data: []byte("evil")} }},
		{"module", "tools/t.wasm has changed", func(project, _ fstest.MapFS) { project["tools/t.wasm"].Data = []byte("evil") }},
		{"description of a module", "tools/t.tools.yaml has changed", func(project, _ fstest.MapFS) { project["tools/t.tools.yaml"].Data = []byte("tools: [] # x\n") }},
		{"new description", "tools/t.tools.yaml is not in golem.lock", func(project, libs fstest.MapFS) {
			lock := lockOf(t, project, libs)
			delete(lock.Modules, "tools/t.tools.yaml")
			project[config.LockFile].Data, _ = lock.Encode()
		}},
		{"new library", `the library "utils" is not in golem.lock`, func(project, _ fstest.MapFS) { project[config.LockFile].Data, _ = config.Lock{}.Encode() }},
		{"broken lock", "golem.lock cannot be read", func(project, _ fstest.MapFS) { project[config.LockFile].Data = []byte("{") }},
	} {
		project, libs := locking(t)
		c.change(project, libs)
		err := use(project, libs)
		if !errors.Is(err, fault.Lock) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "golem lib lock") {
			t.Errorf("%s: %v", c.name, err)
		}
		p, _ := Load(lockSource(project, libs))
		if faults := Check(p, ""); !slices.ContainsFunc(faults, func(f *fault.Fault) bool { return strings.Contains(f.Error(), c.want) }) {
			t.Errorf("%s: check says %v", c.name, faults)
		}
	}
	project, libs := locking(t)
	libs["utils/workers/b.worker"].Data = []byte("---\n---\nNobody calls it.")
	if err := use(project, libs); err != nil {
		t.Errorf("a file that is not used: %v", err)
	}
	p, err := Load(lockSource(project, libs))
	if err != nil {
		t.Fatal(err)
	}
	if faults := Check(p, ""); !strings.Contains(faults.Error(), "utils:workers/b.worker has changed") {
		t.Errorf("check says %v", faults)
	}
}

// A run that uses one worker of a library of a thousand opens no other file of it, with
// a lock as without.
func TestLockIsLazy(t *testing.T) {
	project, libs := locking(t)
	for i := range 1000 {
		libs[fmt.Sprintf("utils/workers/w%d.worker", i)] = &fstest.MapFile{Data: []byte("---\n---\nW.")}
	}
	project[config.LockFile].Data, _ = lockOf(t, project, libs).Encode()
	p, err := Load(lockSource(project, libs))
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Workers.Find("main")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Workers.Imported(w); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Trees.Opened(), " "); got != "golem.lock main.worker project.yaml utils:lib.yaml utils:workers/a.worker" {
		t.Error(got)
	}
}

func BenchmarkDecodeLock(b *testing.B) {
	lock := config.Lock{Libraries: map[string]config.LockedLibrary{"utils": {Files: map[string]string{}}}}
	for i := range 1000 {
		lock.Libraries["utils"].Files[fmt.Sprintf("workers/w%d.worker", i)] = strings.Repeat("a", 64)
	}
	data, err := lock.Encode()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, f := config.DecodeLock(data); f != nil {
			b.Fatal(f)
		}
	}
	b.SetBytes(int64(len(data)))
}

// check warns if the lock lists a file or a library that the project does not use.
func TestLockListsInVain(t *testing.T) {
	project, libs := locking(t)
	delete(libs, "utils/workers/b.worker")
	delete(project, "tools/t.tools.yaml")
	lock := lockOf(t, project, libs)
	lock.Libraries["utils"].Files["workers/b.worker"] = strings.Repeat("0", 64)
	lock.Libraries["gone"] = config.LockedLibrary{Files: map[string]string{}}
	lock.Modules["tools/gone.wasm"] = strings.Repeat("0", 64)
	project[config.LockFile].Data, _ = lock.Encode()
	p, err := Load(lockSource(project, libs))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Check(p, "") {
		if f.Code == fault.Lock && f.Severity == fault.Warning {
			got = append(got, f.Message)
		}
	}
	slices.Sort(got)
	want := []string{`golem.lock lists "tools/gone.wasm", and there is no such file`, `golem.lock lists "utils:workers/b.worker", and there is no such file`, `golem.lock lists the library "gone", which the project does not use`}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A golem.lock that could mean something else than it seems to is refused.
func TestLockIsStrict(t *testing.T) {
	sum := strings.Repeat("a", 64)
	for text, want := range map[string]string{
		``: "EOF", `[]`: "expected {", `{}`: "not a lock file of this version", `{"golem":"lock","v":2,"libraries":{},"modules":{}}`: "not a lock file of this version",
		`{"golem":"lock","v":1,"extra":1}`: `unknown key "extra"`, `{"Golem":"lock","v":1}`: "unknown key", `{"golem":"lock","v":1} {}`: "more after its end",
		`{"golem":"lock","v":1,"modules":{"a.wasm":"` + sum + `","a.wasm":"` + sum + `"}}`: `"a.wasm" is in it twice`,
		`{"golem":"lock","v":1,"modules":{"../a.wasm":"` + sum + `"}}`:                     "is not a path",
		`{"golem":"lock","v":1,"modules":{"a.wasm":"00"}}`:                                 "not a SHA-256",
		`{"golem":"lock","v":1,"modules":{"a.wasm":"` + strings.ToUpper(sum) + `"}}`:       "not a SHA-256",
		`{"golem":"lock","v":1,"libraries":{"../up":{}}}`:                                  "cannot be the name of a library",
		`{"golem":"lock","v":1,"libraries":{"utils":{"files":{},"files":{}}}}`:             `"files" is in it twice`,
		`{"golem":"lock","v":1,"libraries":{"utils":{"file":{}}}}`:                         `unknown key "file"`,
		"{\n\"golem\":\"lock\",\n\"v\":1,\n\"x\":1}":                                       "golem.lock:4:1",
	} {
		if _, f := config.DecodeLock([]byte(text)); f == nil || f.Code != fault.Lock || !strings.Contains(f.Error(), want) {
			t.Errorf("%s: %v", text, f)
		}
	}
}

// Encode of a golem.lock that golem can read gives a text that golem can read.
func FuzzLock(f *testing.F) {
	project, _ := locking(f)
	f.Add(project[config.LockFile].Data)
	f.Add([]byte(`{"golem":"lock","v":1,"libraries":{"utils":{"files":{"lib.yaml":null}}},"modules":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		lock, fault := config.DecodeLock(data)
		if fault != nil {
			return
		}
		again, err := lock.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, fault := config.DecodeLock(again); fault != nil {
			t.Fatalf("%s became %s: %v", data, again, fault)
		}
	})
}

// EncodeToolLock returns the same bytes for the same digests, and golem reads them
// back. It quotes names that YAML would read as something else, and leaves out an
// address without a digest.
func TestToolLockBytes(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	lock := string(config.EncodeToolLock(map[string]string{"tools/b.wasm": digest, "home:acme/c.wasm": digest, "tools/1 x.wasm": digest},
		map[string]string{"tools/b.wasm": "https://example.org/b.wasm?x=\"y\"", "tools/gone.wasm": "https://example.org/"}))
	want := "# Written by golem tool lock. golem refuses a module with another digest.\nlock: 1\ntools:\n  \"home:acme/c.wasm\": " + digest +
		"\n  \"tools/1 x.wasm\": " + digest + "\n  tools/b.wasm: " + digest + "\nfrom:\n  \"tools/b.wasm\": \"https://example.org/b.wasm?x=\\\"y\\\"\"\n"
	if lock != want {
		t.Errorf("got:\n%s\nwant:\n%s", lock, want)
	}
	if got := string(config.EncodeToolLock(nil, nil)); !strings.HasSuffix(got, "\nlock: 1\ntools: {}\n") {
		t.Errorf("no module: %s", got)
	}
	p := open(t, Setup{FS: tree("-- main.worker --\nm\n-- tools.lock --\n" + lock)})
	digests, from, fresh, err := p.ToolPins(1 << 20)
	if err != nil || fresh || len(digests) != 3 || string(config.EncodeToolLock(digests, from)) != lock {
		t.Errorf("read back: %v %v %v %v", digests, from, fresh, err)
	}
	for name, ok := range map[string]bool{"count": true, "_a.b-1": true, "9": true, "": false, ".hidden": false, "-x": false, "a/b": false, "ä": false, strings.Repeat("x", 101): false} {
		if config.IsModuleName(name) != ok {
			t.Errorf("IsModuleName(%q) is %v", name, !ok)
		}
	}
}
