package wazeroengine

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/experimental/sys"
	"pgregory.net/rapid"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/wasmtool"
)

//go:embed *.go
var sources embed.FS

// SECURITY 6 and 7: the engine never uses wazero's own mounts, of any kind, and never
// ends a call by closing its module.
func TestOnlyOurOwnMount(t *testing.T) {
	names, err := fs.Glob(sources, "*.go")
	if err != nil {
		t.Fatal(err)
	}
	mounts := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := sources.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"WithDirMount(", "WithReadOnlyDirMount(", "WithFSMount(", "WithFS(", "DirFS(", "WithCloseOnContextDone(", "WithEnv(", "WithSysNanosleep(", "WithSysWalltime(", "WithSysNanotime(", "os.Std"} {
			if strings.Contains(string(text), word) {
				t.Errorf("%s has %s", name, word)
			}
		}
		mounts += strings.Count(string(text), "WithSysFSMount(i.files, \"/\")")
	}
	if mounts != 1 {
		t.Errorf("the sandbox view is mounted %d times", mounts)
	}
}

// failing is the part of testing.T and rapid.T that the helpers use.
type failing interface{ Fatal(args ...any) }

// everything returns a tree as a map: files with their content, directories with "".
func everything(t failing, files fs.FS) map[string]string {
	out := map[string]string{}
	if err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			out[name+"/"] = ""
			return err
		}
		data, err := fs.ReadFile(files, name)
		out[name] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func tree(t failing, names ...string) sandbox.FS {
	files := sandbox.Memory()
	for _, name := range names {
		if err := files.WriteFile(name, []byte("text of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// SECURITY 6: opening a file with CREAT, TRUNC, APPEND or for writing counts as a write;
// so do the other operations that change a tree.
func TestAnyWriteCountsAsWrite(t *testing.T) {
	base := tree(t, "a", "d/b")
	before := everything(t, base)
	view, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{{Name: "root", At: ".", FS: base, Mode: sandbox.ReadOnly}}})
	if err != nil {
		t.Fatal(err)
	}
	var refused *fault.Fault
	f := newWasiFS(view, func(why *fault.Fault) { refused = why })
	never := func(what string, errno sys.Errno) {
		t.Helper()
		if errno != sys.EROFS || refused == nil || refused.Code != fault.ReadOnly {
			t.Errorf("%s: %v, refused %v", what, errno, refused)
		}
		refused = nil
	}
	for bits := range 1 << 4 {
		flag := sys.Oflag(0)
		for i, one := range []sys.Oflag{sys.O_APPEND, sys.O_TRUNC, sys.O_WRONLY, sys.O_RDWR} {
			if bits>>i&1 != 0 {
				flag |= one
			}
		}
		h, errno := f.OpenFile("a", flag, 0o777)
		if flag&^sys.O_APPEND != 0 {
			never(fmt.Sprintf("flags %#x", flag), errno)
			continue
		}
		for what, errno := range map[string]sys.Errno{"truncate": h.Truncate(0)} {
			if errno != sys.EINVAL {
				t.Errorf("%s: %v", what, errno)
			}
		}
		if _, errno := h.Write([]byte("x")); errno != sys.EBADF {
			t.Errorf("write: %v", errno)
		}
		if _, errno := h.Pwrite([]byte("x"), 0); errno != sys.EBADF {
			t.Errorf("pwrite: %v", errno)
		}
		h.SetAppend(true)
		if _, errno := h.Write([]byte("x")); errno != sys.EBADF {
			t.Errorf("write after append was set: %v", errno)
		}
		h.Close()
	}
	_, errno := f.OpenFile("new", sys.O_CREAT, 0o777)
	never("create", errno)
	never("mkdir", f.Mkdir("new", 0o777))
	never("rename", f.Rename("a", "new"))
	never("unlink", f.Unlink("a"))
	never("times", f.Utimens("a", 0, 0))
	for what, errno := range map[string]sys.Errno{
		"link": f.Link("a", "new"), "symlink": f.Symlink("a", "new"), "chmod": f.Chmod("a", 0),
	} {
		if errno != sys.ENOSYS {
			t.Errorf("%s: %v", what, errno)
		}
	}
	if err := f.finish(); err != nil {
		t.Error(err)
	}
	if after := everything(t, base); !maps.Equal(before, after) {
		t.Errorf("%v became %v", before, after)
	}
}

// paths are the paths that a hostile module tries.
var paths = []string{
	"a", "src/b", "src/sub/c", "ro/r", ".", "src", "src/sub", "ro", "new", "src/new", "src/x/y", "a/b", "in", "in/i",
	".env", ".ENV", "src/.env", ".git/config", ".GIT/config", ".git", ".golem/x", "main.worker", "MAIN.Worker", "new.worker", "src/w.worker",
	"tools/t.wasm", "tools/new.wasm", "tools", "project.yaml", "Project.yaml",
	"..", "../a", "src/../../a", "src/../.env", "/etc/passwd", "//a", "a\x00b", "a\\b", "src\\..\\a", "con", "a\nb", "\u202ea", "\xff", strings.Repeat("x/", 300) + "y", strings.Repeat("n", 5000), "",
}

// SECURITY 1, 4 and 5: the view refuses to modules what it refuses to tools, whatever
// they do in whatever order: control files, changes of read-only mounts, files outside a
// restriction, and writes beyond the quota.
func TestModulesKeepToTheView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := tree(t, "a", "src/b", "src/sub/c", ".env", ".git/config", ".golem/x", "main.worker", "tools/t.wasm", "project.yaml")
		fixed, input := tree(t, "r"), tree(t, "i")
		const quota = 1000
		counted := &counting{FS: base}
		spec := sandbox.ViewSpec{
			Mounts: []sandbox.Mount{
				{Name: "root", At: ".", FS: counted, Source: ".", Mode: sandbox.ReadWrite},
				{Name: "fixed", At: "ro", FS: fixed, Source: "fixed", Mode: sandbox.ReadOnly},
				{Name: "input", At: "in", FS: input, Source: "input", Mode: sandbox.ReadOnly, Unrestricted: true},
			},
			Protection: sandbox.Controls{Root: ".", Dirs: []string{"tools"}, Manifest: "project.yaml"}.Protect(),
			Quota:      sandbox.NewQuota(sandbox.Limits{Bytes: quota, Files: 40}),
		}
		narrow := rapid.Bool().Draw(t, "restricted")
		if narrow {
			spec.Mounts[0].FS = base // a nested handle is needed
			spec.Restricts = []string{"src"}
		}
		view, err := sandbox.View(spec)
		if err != nil {
			t.Fatal(err)
		}
		before, fixedBefore, inputBefore := everything(t, base), everything(t, fixed), everything(t, input)
		m := &moves{fs: newWasiFS(view, func(*fault.Fault) {})}
		for range rapid.IntRange(1, 40).Draw(t, "moves") {
			m.one(t)
		}
		if rapid.Bool().Draw(t, "failed") {
			m.fs.abandon()
		}
		_ = m.fs.finish() // the view may refuse files that the module left open
		if got := everything(t, fixed); !maps.Equal(got, fixedBefore) {
			t.Errorf("a read-only mount became %v", got)
		}
		if got := everything(t, input); !maps.Equal(got, inputBefore) {
			t.Errorf("an input became %v", got)
		}
		if counted.written > quota {
			t.Errorf("%d bytes were written, allowed are %d", counted.written, quota)
		}
		after := everything(t, base)
		for name := range after {
			was, had := before[name]
			if control := controls(name); control && (!had || was != after[name]) {
				t.Errorf("%s was changed", name)
			}
			if narrow && !strings.HasPrefix(name, "src/") && was != after[name] {
				t.Errorf("%s outside the restriction was changed", name)
			}
		}
		for name := range before {
			if _, has := after[name]; !has && (controls(name) || narrow && !strings.HasPrefix(name, "src/")) {
				t.Errorf("%s is gone", name)
			}
		}
		if m.fs.held < 0 || m.fs.handles < 0 || m.fs.handles > wasmtool.MaxHandles {
			t.Errorf("%d bytes and %d handles are held", m.fs.held, m.fs.handles)
		}
		for _, text := range m.read {
			if strings.Contains(text, "text of .") || narrow && (strings.Contains(text, "text of a") || strings.Contains(text, "text of main")) {
				t.Errorf("it read %q", text)
			}
		}
	})
}

// controls reports whether a file of this test's tree is a control file.
func controls(name string) bool {
	low := strings.ToLower(name)
	for _, word := range []string{".env", ".git", ".golem", ".worker", ".wasm", "project.yaml"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return strings.HasPrefix(low, "tools/")
}

// counting counts the bytes that are written to a tree.
type counting struct {
	sandbox.FS
	written int
}

func (c *counting) WriteFile(name string, data []byte) error {
	c.written += len(data)
	return c.FS.WriteFile(name, data)
}

// moves makes the file operations of a module, and keeps its open handles.
type moves struct {
	fs   *wasiFS
	open []sys.File
	read []string
}

func (m *moves) one(t *rapid.T) {
	path := rapid.SampledFrom(paths).Draw(t, "path")
	switch rapid.SampledFrom([]string{"open", "open", "open", "handle", "handle", "handle", "mkdir", "rename", "rename", "unlink", "rmdir", "stat"}).Draw(t, "move") {
	case "open":
		flag := rapid.SampledFrom([]sys.Oflag{0, sys.O_RDWR, sys.O_WRONLY, sys.O_CREAT, sys.O_CREAT | sys.O_RDWR, sys.O_TRUNC, sys.O_APPEND, sys.O_CREAT | sys.O_EXCL | sys.O_WRONLY, sys.O_DIRECTORY, sys.O_RDWR | sys.O_TRUNC}).Draw(t, "flag")
		if h, errno := m.fs.OpenFile(path, flag, 0o777); errno == 0 {
			m.open = append(m.open, h)
		}
	case "handle":
		if len(m.open) > 0 {
			m.use(t, rapid.SampledFrom(m.open).Draw(t, "handle"))
		}
	case "mkdir":
		m.fs.Mkdir(path, 0o777)
	case "rename":
		m.fs.Rename(path, rapid.SampledFrom(paths).Draw(t, "to"))
	case "unlink":
		m.fs.Unlink(path)
	case "rmdir":
		m.fs.Rmdir(path)
	case "stat":
		m.fs.Stat(path)
	}
}

func (m *moves) use(t *rapid.T, h sys.File) {
	off := rapid.SampledFrom([]int64{0, 1, 100, 3000, -1, wasmtool.MaxFile, 1 << 62}).Draw(t, "offset")
	switch rapid.SampledFrom([]string{"read", "write", "write", "pwrite", "truncate", "seek", "sync", "close", "readdir", "append"}).Draw(t, "use") {
	case "read":
		b := make([]byte, 200)
		n, _ := h.Pread(b, off)
		m.read = append(m.read, string(b[:n]))
	case "write":
		h.Write(make([]byte, rapid.IntRange(0, 1500).Draw(t, "size")))
	case "pwrite":
		if off < 1<<20 { // more is the business of TestHandlesAreBounded's neighbours
			h.Pwrite([]byte("x"), off)
		}
	case "truncate":
		if off < 1<<20 {
			h.Truncate(off)
		}
	case "seek":
		h.Seek(off, rapid.IntRange(-1, 3).Draw(t, "whence"))
	case "sync":
		h.Sync()
	case "close":
		h.Close()
	case "readdir":
		h.Readdir(-1)
	case "append":
		h.SetAppend(true)
	}
}
