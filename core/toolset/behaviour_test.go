package toolset_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
)

// kit is an open filesystem toolset on files in memory.
type kit struct {
	t     *testing.T
	files sandbox.FS
	tools map[string]tool.Tool
	calls int
}

func newKit(t *testing.T, files map[string]string) *kit {
	t.Helper()
	base := sandbox.Memory()
	for name, data := range files {
		if err := base.WriteFile(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	v, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{{Name: "root", At: ".", FS: base, Source: ".", Mode: sandbox.ReadWrite}}})
	if err != nil {
		t.Fatal(err)
	}
	set, err := toolset.NewRegistry(toolset.Filesystem()).Open(t.Context(), "filesystem", nil, toolset.Env{
		Worker: "main", Files: v, OutputLimit: 8000,
	})
	if err != nil {
		t.Fatal(err)
	}
	k := &kit{t: t, files: v, tools: map[string]tool.Tool{}}
	for _, tl := range set.Tools() {
		k.tools[tl.Spec().Name] = tl
	}
	return k
}

// do previews and calls a tool, as the gate does. It runs between after the preview.
func (k *kit) do(name string, args map[string]any, between ...func()) (string, tool.Preview, error) {
	k.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		k.t.Fatal(err)
	}
	schema, err := tool.Compile(k.tools[name].Spec().Input)
	if err != nil {
		k.t.Fatal(err)
	}
	if vs := schema.Validate(raw); len(vs) > 0 {
		return "", tool.Preview{}, tool.InputFault(name, vs)
	}
	k.calls++
	c := tool.Call{ID: fmt.Sprint(k.calls), Name: name, Args: tool.ReadArguments(raw)}
	var p tool.Preview
	if pv, ok := k.tools[name].(tool.Previewer); ok {
		if p, err = pv.Preview(k.t.Context(), c); err != nil {
			return "", p, err
		}
		c.Args = p.Args
	}
	for _, f := range between {
		f()
	}
	out, err := k.tools[name].Call(k.t.Context(), c)
	return out.String(), p, err
}

func (k *kit) must(name string, args map[string]any) string {
	k.t.Helper()
	out, _, err := k.do(name, args)
	if err != nil {
		k.t.Fatalf("%s %v: %v", name, args, err)
	}
	return out
}

func (k *kit) content(name string) string {
	data, err := fs.ReadFile(k.files, name)
	if err != nil {
		return "! " + err.Error()
	}
	return string(data)
}

// Scenario 22: the file operations as tools. Relative and absolute paths mean the same.
func TestFileTools(t *testing.T) {
	k := newKit(t, map[string]string{"a.txt": "one\ntwo\n", "d/b.md": "x", "bin": "\x00\x01\x02"})
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"read_file", map[string]any{"path": "a.txt"}, "one\ntwo\n"},
		{"read_file", map[string]any{"path": "/a.txt", "offset": 2, "limit": 1}, "two\n"},
		{"read_file", map[string]any{"path": "/bin"}, "/bin is not a text file: application/octet-stream, 3 bytes"},
		{"list_files", map[string]any{}, "a.txt\nbin\nd/"},
		{"list_files", map[string]any{"recursive": true}, "a.txt\nbin\nd/\nd/b.md"},
		{"list_files", map[string]any{"glob": "**/*.md"}, "d/b.md"},
		{"file_exists", map[string]any{"path": "nope"}, "false"},
		{"file_exists", map[string]any{"path": "d"}, "true"},
		{"write_file", map[string]any{"path": "new/deep/c.txt", "content": "hi"}, "wrote /new/deep/c.txt (2 bytes)"},
		{"write_file", map[string]any{"path": "empty", "content": ""}, "wrote /empty (0 bytes)"},
		{"move_file", map[string]any{"from": "new/deep/c.txt", "to": "/c.txt"}, "moved /new/deep/c.txt to /c.txt"},
		{"make_directory", map[string]any{"path": "x/y/z"}, "made /x/y/z"},
		{"make_directory", map[string]any{"path": "x/y"}, "made /x/y"},
		{"delete_file", map[string]any{"path": "c.txt"}, "deleted /c.txt"},
		{"search_files", map[string]any{"pattern": "t.o"}, "/a.txt:2: two\n[not searched, because not text, too large or not readable: 1 file]"},
		{"search_files", map[string]any{"pattern": "zzz", "path": "/d"}, "no hits"},
	} {
		if got := k.must(c.tool, c.args); got != c.want {
			t.Errorf("%s %v = %q, want %q", c.tool, c.args, got, c.want)
		}
	}
	var info struct {
		Path, Type string
		Size       int
	}
	if err := json.Unmarshal([]byte(k.must("file_info", map[string]any{"path": "a.txt"})), &info); err != nil || info.Path != "/a.txt" || info.Type != "file" || info.Size != 8 {
		t.Errorf("file_info = %+v, %v", info, err)
	}
}

// Errors have a code and a hint, and nothing is changed.
func TestFileToolErrors(t *testing.T) {
	k := newKit(t, map[string]string{"a.txt": "same\nsame\n", "d/b": "x", "overlap.txt": "aaa\nx\ny\nx\ny\nx\n"})
	for _, c := range []struct {
		tool string
		args map[string]any
		code fault.Code
		says string
	}{
		{"read_file", map[string]any{"path": "nope"}, fault.NotFound, "list_files"},
		{"read_file", map[string]any{"path": "d"}, fault.NotFound, "list_files"},
		{"read_file", map[string]any{"path": "../x"}, fault.Path, "above the root"},
		{"read_file", map[string]any{"path": "a\u202e.txt"}, fault.Path, "U+202E"},
		{"read_file", map[string]any{"path": "a.txt", "offset": 9}, fault.ToolInput, "only 2 lines"},
		{"read_file", map[string]any{"path": "a.txt", "offset": -1}, fault.ToolInput, "leave offset out"},
		{"read_file", map[string]any{"path": "a.txt", "limit": -1}, fault.ToolInput, "leave limit out"},
		{"read_file", map[string]any{}, fault.ToolInput, "/path: is required"},
		{"list_files", map[string]any{"path": "a.txt"}, fault.NotFound, "not a directory"},
		{"list_files", map[string]any{"glob": "[a"}, fault.ToolInput, "glob"},
		{"edit_file", map[string]any{"path": "a.txt", "old": "same", "new": "x"}, fault.Conflict, "lines 1, 2"},
		{"edit_file", map[string]any{"path": "overlap.txt", "old": "aa", "new": "b"}, fault.Conflict, "2 times, at lines 1, 1"},
		{"edit_file", map[string]any{"path": "overlap.txt", "old": "x\ny\nx", "new": "b"}, fault.Conflict, "2 times, at lines 2, 4"},
		{"edit_file", map[string]any{"path": "nope", "old": "a", "new": "b"}, fault.NotFound, "write_file"},
		{"edit_file", map[string]any{"path": "a.txt", "old": "", "new": "b"}, fault.ToolInput, "empty"},
		{"write_file", map[string]any{"path": "d", "content": "x"}, fault.Tool, "directory"},
		{"write_file", map[string]any{"path": "con", "content": "x"}, fault.Path, "Windows"},
		{"delete_file", map[string]any{"path": "d"}, fault.Tool, "not empty"},
		{"delete_file", map[string]any{"path": "nope"}, fault.NotFound, ""},
		{"move_file", map[string]any{"from": "nope", "to": "x"}, fault.NotFound, ""},
		{"search_files", map[string]any{"pattern": "("}, fault.ToolInput, "regular expression"},
	} {
		_, _, err := k.do(c.tool, c.args)
		if !errors.Is(err, c.code) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %v: %v; want %s saying %q", c.tool, c.args, err, c.code, c.says)
		}
	}
	if k.content("a.txt") != "same\nsame\n" {
		t.Error("a failing call changed a file")
	}
}

// write_file keeps the line ends and the byte order mark of the file that it replaces, shows
// that, and says so; exact writes the content as it is.
func TestWriteKeepsLineEnds(t *testing.T) {
	k := newKit(t, map[string]string{"dos": "\uFEFFone\r\ntwo\r\n", "mixed": "a\r\nb\n", "unix": "a\nb\n"})
	said, preview, err := k.do("write_file", map[string]any{"path": "dos", "content": "one\nthree\n"})
	if err != nil || k.content("dos") != "\uFEFFone\r\nthree\r\n" || !strings.Contains(said, "line ends CR LF and a byte order mark as before") || !strings.Contains(preview.Diff, "+three\r\n") || strings.Contains(preview.Diff, "-\uFEFFone") {
		t.Errorf("%q %q %q %v", k.content("dos"), said, preview.Diff, err)
	}
	k.must("write_file", map[string]any{"path": "dos", "content": "one\n", "exact": true})
	k.must("write_file", map[string]any{"path": "mixed", "content": "a\n"})
	k.must("write_file", map[string]any{"path": "unix", "content": "a\r\n"})
	if got := k.content("dos") + k.content("mixed") + k.content("unix"); got != "one\na\na\r\n" {
		t.Errorf("%q", got)
	}
}

// edit_file does not change what it does not replace: line ends, BOM, the last line.
func TestEditKeepsLineEnds(t *testing.T) {
	k := newKit(t, map[string]string{"crlf": "\uFEFFone\r\ntwo\r\nthree", "all": "a b a b"})
	k.must("edit_file", map[string]any{"path": "crlf", "old": "one\ntwo", "new": "1\n2"})
	if got := k.content("crlf"); got != "\uFEFF1\r\n2\r\nthree" {
		t.Errorf("%q", got)
	}
	if got := k.must("edit_file", map[string]any{"path": "all", "old": "a", "new": "c", "replace_all": true}); !strings.Contains(got, "2 places") {
		t.Errorf("%q", got)
	}
	if got := k.content("all"); got != "c b c b" {
		t.Errorf("%q", got)
	}
}

func TestEditShowsNearest(t *testing.T) {
	k := newKit(t, map[string]string{"a.go": "package a\n\nfunc f() {\n\treturn  1\n}\n"})
	_, _, err := k.do("edit_file", map[string]any{"path": "a.go", "old": "func f() {\n    return 1\n}", "new": "x"})
	if err == nil || !strings.Contains(err.Error(), "lines are 3 to 5") || !strings.Contains(err.Error(), "return  1") {
		t.Errorf("%v does not show the nearest region", err)
	}
}

// Reading all pages, as the notes say, returns the complete file.
func TestReadPages(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "line %d äöü\n", i)
	}
	k := newKit(t, map[string]string{"big": b.String()})
	more := regexp.MustCompile(`\[more: go on with offset (\d+)\]$`)
	var got strings.Builder
	args := map[string]any{"path": "big"}
	for range 200 {
		page := k.must("read_file", args)
		if len(page) > 8000 {
			t.Fatalf("a page of %d bytes", len(page))
		}
		m := more.FindStringSubmatch(page)
		got.WriteString(more.ReplaceAllString(page, ""))
		if m == nil {
			break
		}
		args["offset"] = json.RawMessage(m[1])
	}
	if got.String() != b.String() {
		t.Errorf("the pages do not make up the file: %d of %d bytes", got.Len(), b.Len())
	}
}

// Reading all pages of a search, as the notes say, returns each hit once.
func TestSearchPages(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "hit %d\nno\n", i)
	}
	k := newKit(t, map[string]string{"f": b.String()})
	more := regexp.MustCompile(`\[more: go on with skip (\d+)\]`)
	hit := regexp.MustCompile(`hit (\d+)`)
	next, args := 0, map[string]any{"pattern": "^hit"}
	for range 100 {
		page := k.must("search_files", args)
		for _, m := range hit.FindAllStringSubmatch(page, -1) {
			if m[1] != fmt.Sprint(next) {
				t.Fatalf("hit %s where %d was due", m[1], next)
			}
			next++
		}
		m := more.FindStringSubmatch(page)
		if m == nil {
			break
		}
		args["skip"] = json.RawMessage(m[1])
	}
	if next != 3000 {
		t.Errorf("%d hits of 3000", next)
	}
}

// If a file changes between the preview and the call, the call is a conflict and writes
// nothing.
func TestWriteAfterChange(t *testing.T) {
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"write_file", map[string]any{"path": "a", "content": "mine"}},
		{"edit_file", map[string]any{"path": "a", "old": "old", "new": "mine"}},
		{"delete_file", map[string]any{"path": "a"}},
	} {
		k := newKit(t, map[string]string{"a": "old"})
		_, p, err := k.do(c.tool, c.args, func() {
			if err := k.files.WriteFile("a", []byte("old, changed")); err != nil {
				t.Fatal(err)
			}
		})
		if !errors.Is(err, fault.Conflict) || k.content("a") != "old, changed" {
			t.Errorf("%s: %v, file %q; want E_CONFLICT and the file as it was", c.tool, err, k.content("a"))
		}
		if p.Before == "" || p.Diff == "" {
			t.Errorf("%s: the preview shows no change: %+v", c.tool, p)
		}
	}
}

func TestPreviewIsCanonical(t *testing.T) {
	k := newKit(t, map[string]string{"a": "x\n"})
	_, p, err := k.do("write_file", map[string]any{"path": "notes/../b/./c", "content": "<&>\n"})
	if err != nil || string(p.Args.JSON()) != `{"content":"<&>\n","path":"/b/c"}` {
		t.Errorf("args %s, %v", p.Args.JSON(), err)
	}
	if len(p.Paths) != 1 || p.Paths[0] != (tool.PathUse{Op: "write", Mount: "root", Path: "/b/c"}) {
		t.Errorf("paths %+v", p.Paths)
	}
	if !strings.HasPrefix(p.Diff, "--- /dev/null\n+++ b/b/c\n") || !strings.Contains(p.Diff, "+<&>") {
		t.Errorf("diff %q", p.Diff)
	}
	_, p, err = k.do("move_file", map[string]any{"from": "a", "to": "z"})
	if err != nil || len(p.Paths) != 2 || p.Paths[0].Op != "delete" || p.Paths[1].Op != "write" {
		t.Errorf("a move uses %+v, %v", p.Paths, err)
	}
}

func TestRegistry(t *testing.T) {
	r := toolset.NewRegistry(toolset.Filesystem(), toolset.Workers(toolset.Delegation{}))
	for _, c := range []struct{ name, options, says string }{
		{"filesytem", `{}`, "did you mean filesystem"}, {"zebra", `{}`, "known: filesystem, workers"},
		{"filesystem", `{"mode":1}`, `no option "mode"`}, {"workers", `{"stile":"call"}`, "did you mean style"},
		{"workers", `{"style":7}`, "style"}, {"workers", `[]`, "key: value pairs"},
	} {
		err := r.Check(c.name, json.RawMessage(c.options))
		if !errors.Is(err, fault.Config) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: %v; want E_CONFIG saying %q", c.name, c.options, err, c.says)
		}
	}
	if _, err := r.Open(t.Context(), "filesystem", nil, toolset.Env{Worker: "w"}); !errors.Is(err, fault.Config) {
		t.Errorf("a filesystem without files: %v", err)
	}
}
