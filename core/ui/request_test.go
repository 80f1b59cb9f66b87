package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core/approval"
	"golem/core/tool"
)

// asked returns the complete question on a screen of 80 columns and 24 lines.
func asked(r approval.Request) string {
	v := &requestView{}
	return v.request(r) + v.hint(r) + v.keys(r)
}

// fileRequest returns a question about a file tool of golem's own.
func fileRequest(name, diff string, args map[string]any, paths ...tool.PathUse) approval.Request {
	r := writeRequest()
	r.Tool, r.Diff, r.Paths, r.Why = name, diff, paths, "it changes a file"
	r.WorkerPath, r.Workers = []string{"main", "draft"}, []approval.Worker{{Worker: "main"}, {Worker: "draft", Depth: 1, Task: "sum up the notes"}}
	r.Args, _ = json.Marshal(args)
	return r
}

func writing(path string) tool.PathUse { return tool.PathUse{Op: "write", Mount: "output", Path: path} }

const fileKeys = `Enter alone: no. ?: what the keys mean. n and a reason: the model is told why.
[y]es / [n]o / this session: [s]ame call, [a]ll write_file calls, [d]eny: `

// The task of a worker with an input schema is not shown as JSON.
func TestRequestTaskOfASchema(t *testing.T) {
	r := writeRequest()
	r.Workers = []approval.Worker{{Worker: "main"}, {Worker: "draft", Task: `{"topic":"war \u001b","n":3}`}}
	if got := asked(r); !strings.Contains(got, "\nTask: n: 3, topic: \"war") || strings.Contains(got, "\x1b") {
		t.Errorf("asked:\n%s", got)
	}
}

// A question that is no call of a tool is not headed as one.
func TestRequestHeadings(t *testing.T) {
	for kind, want := range map[approval.Kind]string{
		approval.KindInput: "[Question] What now?", approval.KindResume: "[Question] What now?", approval.KindTrust: "[Approval Required] What now?",
	} {
		if got := asked(approval.Request{Kind: kind, Title: "What now?"}); !strings.HasPrefix(got, "\n"+want+"\n") {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

// SPEC §11, S4-28, S4-35, S4-45: the complete question as the screen shows it.
func TestRequestGolden(t *testing.T) {
	at := map[string]any{"path": "/output/report.md", "content": "# Report\n\nAll is well.\n"}
	for name, c := range map[string]struct {
		r    approval.Request
		want string
	}{
		"a new file": {fileRequest("write_file", "--- /dev/null\n+++ b/output/report.md\n@@ -0,0 +1,3 @@\n+# Report\n+\n+All is well.\n", at, writing("/output/report.md")), `
[Approval Required] write_file /output/report.md — new file, 3 lines
Risk: medium
Why asked: it changes a file
Path: main → draft
Task: sum up the notes
  │ # Report
  │ 
  │ All is well.
` + fileKeys},
		"a changed file": {fileRequest("write_file", "--- a/output/report.md\n+++ b/output/report.md\n@@ -1,3 +1,3 @@\n # Report\n \n-All is bad.\n+All is well.\n", at, writing("/output/report.md")), `
[Approval Required] write_file /output/report.md — 1 line changed (+1 −1)
Risk: medium
Why asked: it changes a file
Path: main → draft
Task: sum up the notes
  │ @@ -1,3 +1,3 @@
  │  # Report
  │  
  │ -All is bad.
  │ +All is well.
` + fileKeys},
		"the same content": {func() approval.Request {
			r := fileRequest("write_file", "", at, writing("/output/report.md"))
			r.Unchanged = true
			return r
		}(), `
[Approval Required] write_file /output/report.md — already has this content
Risk: medium
Why asked: it changes a file
Path: main → draft
Task: sum up the notes
` + fileKeys},
		"a move over a file": {fileRequest("move_file", "--- a/b.md\n+++ b/b.md\n@@ -1 +0,0 @@\n-old\n", map[string]any{"from": "/a.md", "to": "/b.md"},
			tool.PathUse{Op: "delete", Path: "/a.md"}, tool.PathUse{Op: "write", Path: "/b.md"}), `
[Approval Required] move_file /a.md → /b.md — replaces that file, 1 line removed
Risk: medium
Why asked: it changes a file
Path: main → draft
Task: sum up the notes
  │ @@ -1 +0,0 @@
  │ -old
` + strings.Replace(fileKeys, "write_file", "move_file", 1)},
		"a command": {approval.Request{
			Kind: approval.KindTool, Type: "command", Tool: "run_command", Risk: "high", Why: "it runs a command outside the sandbox; project's default (project.yaml:3)", Description: "Runs a command.",
			Args: json.RawMessage(`{"command":"make test","timeout":10}`), WorkerPath: []string{"main"},
			Answers: []approval.Answer{approval.Yes, approval.No, approval.Session, approval.Never},
		}, `
[Approval Required] run_command: make test
Risk: high
Why asked: it runs a command outside the sandbox; project's default
  ┆ (project.yaml:3)
Worker: main
  timeout: 10
Enter alone: no. ?: what the keys mean. n and a reason: the model is told why.
[y]es / [n]o / this session: [s]ame call, [d]eny: `},
		"a custom tool": {approval.Request{
			Kind: approval.KindTool, Type: "tool_call", Tool: "slug", Risk: "low", Why: "it uses the network", Description: "Makes a slug.",
			Args: json.RawMessage(`{"max":20,"text":"An \"odd\"\ntitle"}`), WorkerPath: []string{"main"}, Module: "tools/slug.wasm@sha256:" + strings.Repeat("0123456789abcdef", 4),
			Grants: []tool.Grant{{Name: "hosts", Value: "a.example"}}, Answers: []approval.Answer{approval.Yes, approval.No, approval.Session, approval.Never, approval.Always},
		}, `
[Approval Required] slug(max: 20, text: "An \"odd\"\ntitle")
Risk: low
Why asked: it uses the network
Worker: main
Module: tools/slug.wasm (custom tool, sha256 0123456789ab…)
Granted: hosts a.example
About: Makes a slug.
` + strings.Replace(fileKeys, "write_file", "slug", 1)},
	} {
		if d := cmp.Diff(c.want, asked(c.r)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// A module's file may have a name that looks like a digest.
func TestModuleNamedAsADigest(t *testing.T) {
	r := approval.Request{Kind: approval.KindTool, Type: "tool_call", Tool: "slug", Module: tool.Pinned("tools/a@sha256:00.wasm", strings.Repeat("0123456789abcdef", 4))}
	if text := asked(r); !strings.Contains(text, "Module: tools/a@sha256:00.wasm (custom tool, sha256 0123456789ab…)") {
		t.Error(text)
	}
}

// SPEC §11: every request fits on 24 lines of 80 columns, including the keys, and on a
// narrow screen the line of the keys is broken between two answers.
func TestRequestFitsOneScreen(t *testing.T) {
	long := strings.Repeat("word ", 400)
	many := map[string]any{}
	for i := range 60 {
		many[fmt.Sprintf("argument_%d", i)] = long
	}
	big := fileRequest("write_file", "--- /dev/null\n+++ b/a\n", map[string]any{"path": "/a", "content": strings.Repeat(long+"\n", 200)}, writing("/a"))
	custom := fileRequest("tool_"+strings.Repeat("x", 60), "", many)
	custom.Type, custom.Description, custom.Module, custom.Why = "tool_call", long, long+"@sha256:"+strings.Repeat("0123456789abcdef", 4), long
	custom.WorkerPath, custom.Workers[1].Task = []string{long, long}, long
	custom.Grants = []tool.Grant{{Name: "files", Value: long}}
	custom.Args, _ = json.Marshal(many)
	for name, r := range map[string]approval.Request{"content": big, "everything": custom} {
		text := asked(r)
		if n := strings.Count(text, "\n") + 1; n > 24 {
			t.Errorf("%s: %d lines\n%s", name, n, text)
		}
		for line := range strings.Lines(text) {
			if Width(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("%s: wider than the screen: %s", name, line)
			}
		}
		if !strings.Contains(text, "not shown; v shows all") {
			t.Errorf("%s: nothing says that more is there\n%s", name, text)
		}
	}
	v := &requestView{width: 40}
	if got, want := v.keys(writeRequest()), "[y]es / [n]o\n  this session: [s]ame call\n  [a]ll write_file calls, [d]eny: "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A request uses the lines of a larger screen.
func TestRequestUsesTheScreen(t *testing.T) {
	content := strings.Repeat("a line of the file\n", 40)
	r := fileRequest("write_file", "--- /dev/null\n+++ b/a\n", map[string]any{"path": "/a", "content": content}, writing("/a"))
	v := &requestView{width: 120, height: 60}
	if text := v.request(r); strings.Contains(text, "not shown") || strings.Count(text, "a line of the file") != 40 {
		t.Error(text)
	}
}

// The help explains the keys if a person asks for it or types an unreadable answer; neither
// counts as an answer.
func TestHelpSaysTheScope(t *testing.T) {
	p := &talker{answers: []string{"?", "help", "?", "?", "hm", "y"}}
	if d, err := (Questions{Person: p}).Approve(t.Context(), writeRequest()); err != nil || d.Answer != approval.Yes {
		t.Fatal(d, err)
	}
	for _, want := range []string{
		"  s: yes, and yes whenever this exact call comes again in this session\n",
		"  a: yes, and yes to every call of write_file in this session, whatever its\n  ┆ arguments\n",
		"  d: no, and no whenever this exact call comes again in this session\n",
		"  r: not for this call; no rule is kept for a custom tool, nor in a packed project\n",
		"This is not one of the answers:\n  y: yes, this once\n",
	} {
		if !strings.Contains(p.String(), want) {
			t.Errorf("missing %q in\n%s", want, p.String())
		}
	}
}

// Every argument that the headline does not show completely is shown below it. Content that
// equals the path does not count as shown.
func TestHeadlineHidesNothing(t *testing.T) {
	r := fileRequest("write_file", "", map[string]any{"path": "/o.txt", "content": "/o.txt"}, writing("/o.txt"))
	if text := asked(r); !strings.Contains(text, `  content: "/o.txt"`) {
		t.Error(text)
	}
	r = fileRequest("write_file", "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n", map[string]any{"path": "/a — already has this content", "content": "x"}, writing("/a — already has this content"))
	if text := asked(r); !strings.Contains(text, "write_file \"/a — already has this content\" — new file, 1\n  ┆ line\n") {
		t.Error(text)
	}
	r = approval.Request{Kind: approval.KindTool, Type: "command", Tool: "run_command", Args: json.RawMessage(`{"command":"ls\nrm -rf /"}`)}
	if text := asked(r); !strings.Contains(text, "  │ ls\n  │ rm -rf /\n") {
		t.Error(text)
	}
	r.Args, _ = json.Marshal(map[string]string{"command": "echo " + strings.Repeat("x ", 60) + "; rm y"})
	if text := asked(r); !strings.Contains(text, "; rm y") {
		t.Error(text)
	}
}

// Content is broken between words and no character is lost.
func TestBrokenContentIsWhole(t *testing.T) {
	for _, s := range []string{"", strings.Repeat("word  ", 50), strings.Repeat("x", 300), "   " + strings.Repeat("日本 ", 80), strings.Repeat(" ", 200) + "end"} {
		for _, n := range []int{1, 7, 20, 76} {
			pieces := breakWords(s, n)
			if strings.Join(pieces, "") != s {
				t.Errorf("%q became %q", s, pieces)
			}
			for _, p := range pieces {
				if Width(p) > max(n, 4) {
					t.Errorf("%q is wider than %d", p, n)
				}
			}
		}
	}
}

// A removed or added line that looks like a diff's header, such as a comment in SQL, has the
// colour of a removed or added line.
func TestChangedLinesHaveTheirColours(t *testing.T) {
	v := requestView{width: 80, color: true}
	for text, want := range map[string][]Role{"@@ -1 +1 @@\n--- old\n+++ new": {Info, Bad, Good}, "--- a/x\n+++ b/x\n@@ -1 +1 @@": {Strong, Strong, Info}} {
		for i, r := range v.diff("", text).rows {
			if !strings.Contains(r.parts.Paint(true), "\x1b["+string(want[i])+"m") {
				t.Errorf("%q: line %d is %q, want colour %s", text, i+1, r.parts, want[i])
			}
		}
	}
}
