package toolset_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
)

// A line of 5 MB is cut with a note, and the lines after it can be read.
func TestReadLongLine(t *testing.T) {
	k := newKit(t, map[string]string{"f": "first\n" + strings.Repeat("ä", 5<<19) + "\nlast"})
	page := k.must("read_file", map[string]any{"path": "f"})
	if page != "first\n[more: go on with offset 2]" {
		t.Fatalf("%.100q", page)
	}
	page = k.must("read_file", map[string]any{"path": "f", "offset": 2})
	if len(page) > 1<<20+100 || !regexp.MustCompile(`ä \[line cut: \d+ more bytes\]\n\[more: go on with offset 3\]$`).MatchString(page) {
		t.Fatalf("%d bytes, ending in %q", len(page), page[max(0, len(page)-100):])
	}
	if page = k.must("read_file", map[string]any{"path": "f", "offset": 3}); page != "last" {
		t.Fatalf("%.100q", page)
	}
}

// An image or a PDF is also returned as a part, unless it is too large. Other files are not.
func TestReadParts(t *testing.T) {
	k := newKit(t, map[string]string{
		"d/a.png": "\x89PNG\r\n\x1a\n0000", "a.pdf": "%PDF-1.4\n\x00", "a.zip": "PK\x03\x04\x14\x00", "a.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
		"huge.png": "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 5_000_000),
	})
	for path, want := range map[string]string{
		"d/a.png": "/d/a.png is not a text file: image/png, 12 bytes [image a.png image/png 12]", "a.pdf": "/a.pdf is not a text file: application/pdf, 10 bytes [resource a.pdf application/pdf 10]",
		"a.zip": "/a.zip is not a text file: application/zip, 6 bytes", "a.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
		"huge.png": "/huge.png is not a text file: image/png, 5000008 bytes; a model is given at most 5000000 bytes",
	} {
		out, err := k.tools["read_file"].Call(t.Context(), tool.Call{Args: tool.ReadArguments([]byte(`{"path":"` + path + `"}`))})
		got := out.Text
		for _, p := range out.Parts {
			got += fmt.Sprintf(" [%s %s %s %d]", p.Type, p.Name, p.MIME, len(p.Data))
		}
		if err != nil || got != want {
			t.Errorf("%s: %.200q, %v; want %q", path, got, err, want)
		}
	}
}

func TestReadEdges(t *testing.T) {
	k := newKit(t, map[string]string{
		"empty": "", "bom": "\uFEFFa\r\nb\r\n", "cut": "ab\xe2\x82", "late": strings.Repeat("x", 4000) + "\n\xff\n",
		"png": "\x89PNG\r\n\x1a\n0000", "short": "\xff\xfe", "lines": "1\n2\n3\n",
	})
	for _, c := range []struct {
		args, want string
	}{
		{`{"path":"empty"}`, ""}, {`{"path":"bom"}`, "\uFEFFa\r\nb\r\n"}, {`{"path":"cut"}`, "ab\uFFFD"},
		{`{"path":"late","offset":2}`, "\uFFFD\n"},
		{`{"path":"png"}`, "/png is not a text file: image/png, 12 bytes"},
		{`{"path":"lines","limit":2}`, "1\n2\n[more: go on with offset 3]"},
		{`{"path":"lines","limit":3}`, "1\n2\n3\n"},
		{`{"path":"lines","offset":2,"limit":` + fmt.Sprint(math.MaxInt32) + `}`, "2\n3\n"},
		{`{"path":"lines","offset":0,"limit":0}`, "1\n2\n3\n"},
		{`{"path":"lines","offset":3.0}`, "3\n"},
	} {
		out, err := k.tools["read_file"].Call(t.Context(), tool.Call{Args: tool.ReadArguments([]byte(c.args))})
		if err != nil || out.Text != c.want {
			t.Errorf("%s: %.100q, %v; want %q", c.args, out.Text, err, c.want)
		}
	}
	if got := k.must("read_file", map[string]any{"path": "short"}); !strings.Contains(got, "is not a text file") {
		t.Errorf("two bytes that are no text: %q", got)
	}
	// A number that does not fit an int is E_TOOL_INPUT, with the name of the argument.
	for _, n := range []string{"1e30", "1.5", `"x"`} {
		_, err := k.tools["read_file"].Call(t.Context(), tool.Call{Args: tool.ReadArguments([]byte(`{"path":"lines","offset":` + n + `}`))})
		if !errors.Is(err, fault.ToolInput) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("offset %s: %v", n, err)
		}
	}
}

// endless is a file that never ends.
type endless struct{ sandbox.FS }

type endlessFile struct{ fs.File }

func (endlessFile) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func (e endless) Open(name string) (fs.File, error) {
	f, err := e.FS.Open(name)
	return endlessFile{f}, err
}

// A call can be stopped while it reads an endless line.
func TestReadStops(t *testing.T) {
	m := sandbox.Memory()
	if err := m.WriteFile("f", []byte("x")); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := openFiles(t, endless{m}, 0)["read_file"].Call(ctx, tool.Call{Args: tool.ReadArguments([]byte(`{"path":"f"}`))}); err == nil {
		t.Error("the read of an endless file succeeded")
	}
}

// Scenario 22: a listing that is too long for one result is paged, with each entry once.
func TestListPages(t *testing.T) {
	files := map[string]string{}
	for i := range 3000 {
		files[fmt.Sprintf("d/file-%04d.txt", i)] = ""
	}
	k := newKit(t, files)
	more := regexp.MustCompile(`\[(\d+) more: go on with skip (\d+), or narrow path or glob\]`)
	args := map[string]any{"path": "d"}
	next := 0
	for range 100 {
		page := k.must("list_files", args)
		if len(page) > 8000 {
			t.Fatalf("a page of %d bytes", len(page))
		}
		for l := range strings.Lines(page) {
			if strings.HasPrefix(l, "[") {
				continue
			}
			if strings.TrimSpace(l) != fmt.Sprintf("file-%04d.txt", next) {
				t.Fatalf("%q where %d was due", l, next)
			}
			next++
		}
		m := more.FindStringSubmatch(page)
		if m == nil {
			break
		}
		if m[1] != fmt.Sprint(3000-next) {
			t.Fatalf("%s more after %d", m[1], next)
		}
		args["skip"] = json.RawMessage(m[2])
	}
	if next != 3000 {
		t.Errorf("%d entries", next)
	}
}

// A pattern without a slash matches names at any depth, because models write it so.
func TestGlobs(t *testing.T) {
	k := newKit(t, map[string]string{"a.go": "hit", "d/b.go": "hit", "d/e/c.go": "hit", "d/x.md": "hit"})
	for _, c := range []struct{ glob, list, found string }{
		{"*.go", "a.go", "/a.go /d/b.go /d/e/c.go"},
		{"d/*.go", "d/b.go", "/d/b.go"},
		{"/d/*.go", "d/b.go", "/d/b.go"},
		{"./d/**", "d/ d/b.go d/e/ d/e/c.go d/x.md", "/d/b.go /d/e/c.go /d/x.md"},
		{"**/*.{go,md}", "a.go d/b.go d/e/c.go d/x.md", "/a.go /d/b.go /d/e/c.go /d/x.md"},
		{"nope", "(nothing)", ""},
	} {
		if got := strings.ReplaceAll(k.must("list_files", map[string]any{"glob": c.glob}), "\n", " "); got != c.list {
			t.Errorf("list %s: %q, want %q", c.glob, got, c.list)
		}
		var found []string
		for l := range strings.Lines(k.must("search_files", map[string]any{"pattern": "hit", "glob": c.glob})) {
			if at, _, ok := strings.Cut(l, ":1: "); ok {
				found = append(found, at)
			}
		}
		if got := strings.Join(found, " "); got != c.found {
			t.Errorf("search %s: %q, want %q", c.glob, got, c.found)
		}
	}
	if got := k.must("list_files", map[string]any{"glob": "*.go", "recursive": true}); got != "a.go\nd/b.go\nd/e/c.go" {
		t.Errorf("recursive: %q", got)
	}
	// Alternatives multiply the time, so a pattern with too many is refused.
	for _, bad := range []string{strings.Repeat("{a,b}", 30), strings.Repeat("*", 5000), "{a", "[a"} {
		for _, name := range []string{"list_files", "search_files"} {
			if _, _, err := k.do(name, map[string]any{"glob": bad, "pattern": "x"}); !errors.Is(err, fault.ToolInput) {
				t.Errorf("%s %.20s: %v", name, bad, err)
			}
		}
	}
}

// A pattern is matched against single lines: ^ and $ are the beginning and the end of every
// line, with LF and with CR LF.
func TestSearchLines(t *testing.T) {
	k := newKit(t, map[string]string{"f": "one\r\ntwo\r\n\r\nthree", "e": ""})
	for pattern, want := range map[string]string{
		`^two$`: "/f:2: two", `^$`: "/f:3:", `three$`: "/f:4: three", `(?i)ONE`: "/f:1: one", `one\ntwo`: "no hits",
	} {
		if got := strings.TrimSpace(k.must("search_files", map[string]any{"pattern": pattern})); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	if got := k.must("search_files", map[string]any{"pattern": "e", "skip": 9}); got != "no more hits: there are 2" {
		t.Errorf("%q", got)
	}
}

// A pattern that would take too long is refused, and only the beginning of a very long line
// is searched.
func TestSearchIsBounded(t *testing.T) {
	k := newKit(t, map[string]string{"f": strings.Repeat("a", 2<<20) + "needle\nneedle\n"})
	for _, bad := range []string{`((a{30}){30}){30}`, `(a?){1000}(b?){1000}`, strings.Repeat("a", 2000), `(\pL{50}){50}`} {
		if _, _, err := k.do("search_files", map[string]any{"pattern": bad}); !errors.Is(err, fault.ToolInput) {
			t.Errorf("%.30s: %v", bad, err)
		}
	}
	want := "/f:2: needle\n[1 long line searched only in the first 262144 bytes]"
	if got := k.must("search_files", map[string]any{"pattern": "needle"}); got != want {
		t.Errorf("%.200q", got)
	}
}

// Reading all pages of a search returns every hit once, marked with a colon, for every
// context, length of lines and size of a page.
func TestSearchPagesWithContext(t *testing.T) {
	var b strings.Builder
	want := 0
	for i := range 500 {
		if i%7 < 3 {
			fmt.Fprintf(&b, "%s hit %d\n", strings.Repeat("ö", i%400*3), want)
			want++
		} else {
			b.WriteString(strings.Repeat("no ", i%50*9) + "\n")
		}
	}
	long := strings.Repeat(strings.Repeat("n", 250)+"/", 15) // a path that is nearly a page
	k := newKit(t, map[string]string{"f": b.String(), long + "z": "hit 1\nhit 2\n"})
	more := regexp.MustCompile(`\[more: go on with skip (\d+)\]$`)
	for around := range 6 {
		hit := regexp.MustCompile(`(?m)^/(?:f|n[n/]+z):\d+: .*hit \d+$`)
		seen, pages := 0, 0
		args := map[string]any{"pattern": `hit \d+$`, "context": around}
		for {
			page := k.must("search_files", args)
			if pages++; pages > 2000 {
				t.Fatal("the hints lead nowhere")
			}
			seen += len(hit.FindAllString(page, -1))
			m := more.FindStringSubmatch(page)
			if m == nil {
				break
			}
			if m[1] != fmt.Sprint(seen) {
				t.Fatalf("context %d: skip %s after %d hits", around, m[1], seen)
			}
			args["skip"] = json.RawMessage(m[1])
		}
		if seen != want+2 {
			t.Errorf("context %d: %d hits of %d", around, seen, want+2)
		}
	}
}

// Names that could mislead people, or that a platform cannot store, are errors in every tool.
func TestHostileNames(t *testing.T) {
	k := newKit(t, map[string]string{"a": "x"})
	for _, name := range []string{
		"..", "/a/../../x", `a\b`, "a\x00", "a\nb", "a\u202eb", "a\u200bb", "a\x1b[2J", strings.Repeat("x", 300), strings.Repeat("x/", 3000),
	} {
		for tl, args := range map[string]map[string]any{
			"read_file": {"path": name}, "list_files": {"path": name}, "search_files": {"pattern": "x", "path": name}, "file_info": {"path": name},
			"file_exists": {"path": name}, "write_file": {"path": name, "content": ""}, "edit_file": {"path": name, "old": "x", "new": "y"},
			"move_file": {"from": "a", "to": name}, "make_directory": {"path": name}, "delete_file": {"path": name},
		} {
			_, _, err := k.do(tl, args)
			if !errors.Is(err, fault.Path) {
				t.Errorf("%s %.20q: %v", tl, name, err)
			}
			raw, merr := json.Marshal(args)
			if merr != nil {
				t.Fatal(merr)
			}
			if _, err := k.tools[tl].Call(t.Context(), tool.Call{Args: tool.ReadArguments(raw)}); !errors.Is(err, fault.Path) {
				t.Errorf("%s %.20q without a preview: %v", tl, name, err)
			}
		}
	}
}

// With the option offset: characters, read_file skips and counts characters, and a part says how
// to read on. The tool of lines keeps its schema, which is part of the keys of recordings.
func TestReadCharacters(t *testing.T) {
	files := sandbox.Memory()
	long := strings.Repeat("ä", 3000)
	for name, text := range map[string]string{"f": "äö\r\nü€z", "late": strings.Repeat("x", 4000) + "\xff\xfez", "long": long, "empty": "", "png": "\x89PNG\r\n\x1a\n0000"} {
		if err := files.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	open := func(options string) tool.Tool {
		set, err := toolset.NewRegistry(toolset.Filesystem()).Open(t.Context(), "filesystem", json.RawMessage(options), toolset.Env{Worker: "main", Files: files, OutputLimit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return set.Tools()[0]
	}
	read := open(`{"offset":"characters"}`)
	for _, c := range []struct{ args, want string }{
		{`{"path":"f"}`, "äö\r\nü€z"},
		{`{"path":"f","offset":1,"limit":2}`, "ö\r\n[more: go on with offset 3]"},
		{`{"path":"f","offset":5,"limit":2}`, "€z"}, {`{"path":"late","offset":3999}`, "x\uFFFD\uFFFDz"},
		{`{"path":"f","offset":7}`, ""},
		{`{"path":"f","offset":10}`, "E_TOOL_INPUT: /f has only 7 characters"},
		{`{"path":"f","offset":-1}`, "E_TOOL_INPUT: /offset: a negative number of characters cannot be skipped"},
		{`{"path":"f","limit":-1}`, "E_TOOL_INPUT: /limit: a negative number of characters cannot be read"},
		{`{"path":"empty"}`, ""}, {`{"path":"empty","offset":1}`, "E_TOOL_INPUT: /empty has only 0 characters"},
		{`{"path":"png"}`, "/png is not a text file: image/png, 12 bytes"},
		{`{"path":"long"}`, long[:2*1948] + "\n[more: go on with offset 1948]"},
		{`{"path":"long","offset":1948}`, long[2*1948:]},
	} {
		out, err := read.Call(t.Context(), tool.Call{Args: tool.ReadArguments([]byte(c.args))})
		if got := out.Text; err == nil && got != c.want {
			t.Errorf("%s: %.100q, want %.100q", c.args, got, c.want)
		}
		if err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %.100q", c.args, err, c.want)
		}
	}
	lines := open("").Spec()
	if lines.Description != open(`{"offset":"lines"}`).Spec().Description || string(lines.Input) == string(read.Spec().Input) || !strings.Contains(string(lines.Input), "first line to read, from 1") {
		t.Errorf("%s\n%s", lines.Input, read.Spec().Input)
	}
	if _, err := toolset.NewRegistry(toolset.Filesystem()).Open(t.Context(), "filesystem", json.RawMessage(`{"offset":"bytes"}`), toolset.Env{Worker: "main", Files: files}); !errors.Is(err, fault.Config) {
		t.Error(err)
	}
}
