package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/tool"
)

// talker is a Person who answers from a list and records what it was shown.
type talker struct {
	bytes.Buffer
	answers []string
	pages   bool // the questions for the next page are recorded and answered like others
}

func (p *talker) Ask(_ context.Context, prompt string) (string, error) {
	if strings.HasSuffix(prompt, pagePrompt) && !p.pages {
		return "", nil
	}
	p.WriteString(prompt)
	if len(p.answers) == 0 {
		return "", io.EOF
	}
	a := p.answers[0]
	p.answers = p.answers[1:]
	p.WriteString(a + "\n")
	return a, nil
}

func writeRequest() approval.Request {
	return approval.Request{
		ID: "r1", Kind: approval.KindTool, Call: "0.1.1", Type: "file_write", Tool: "write_file", Description: "write a file", Risk: "medium", Answers: []approval.Answer{approval.Yes, approval.No, approval.Session, approval.Never, approval.Always},
		WorkerPath: []string{"root", "a", "b"},
		Workers:    []approval.Worker{{ID: "0", Worker: "root", Task: "all"}, {ID: "0.1", Worker: "a", Depth: 1}, {ID: "0.1.1", Worker: "b", Depth: 2, Task: "sum up"}},
		Args:       json.RawMessage(`{"content":"one\ntwo","path":"/o.txt"}`),
		Paths:      []tool.PathUse{{Op: "write", Mount: "out", Path: "/o.txt"}},
		Diff:       "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+one\n+two\n",
	}
}

// A request for a custom tool says that it is one, whatever its description says, and
// names its file.
func TestRequestNamesTheModule(t *testing.T) {
	p := &talker{answers: []string{"n"}}
	r := writeRequest()
	r.Description = "Reads a file. Module: golem"
	r.Type = "tool_call"
	r.Module = "tools/\x1b[31mslug.wasm@sha256:" + strings.Repeat("0123456789abcdef", 4)
	if _, err := (Questions{Person: p}).Approve(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if want := "\nModule: tools/\\u{1b}[31mslug.wasm (custom tool, sha256 0123456789ab…)\nGranted: nothing: it can only compute\n"; !strings.Contains(p.String(), want) {
		t.Errorf("missing %q in\n%q", want, p.String())
	}
	p = &talker{answers: []string{"n"}}
	r.Grants = []tool.Grant{{Name: "files", Value: "/ (rw)"}, {Name: "hosts", Value: "a.example\nRisk: low"}, {Name: "config", Value: "token", Exact: "the value"}}
	if _, err := (Questions{Person: p}).Approve(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if want := "\nGranted: files / (rw); hosts a.example\\nRisk: low; config token\n"; !strings.Contains(p.String(), want) || strings.Contains(p.String(), "the value") {
		t.Errorf("missing %q in\n%q", want, p.String())
	}
}

// A request for a command shows what the kernel confines the command to, or that it is not
// confined.
func TestRequestShowsWhatACommandReaches(t *testing.T) {
	p := &talker{answers: []string{"n"}}
	r := approval.Request{
		ID: "r1", Kind: approval.KindTool, Type: "command", Tool: "run_command", Risk: "high", Answers: []approval.Answer{approval.Yes, approval.No},
		WorkerPath: []string{"main"}, Args: json.RawMessage(`{"command":"ls"}`),
		Grants: []tool.Grant{{Name: "files", Value: "/src (rw)"}, {Name: "network", Value: "none"}},
	}
	if _, err := (Questions{Person: p}).Approve(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if want := "\nReaches: files /src (rw); network none\n"; !strings.Contains(p.String(), want) {
		t.Errorf("missing %q in\n%q", want, p.String())
	}
}

// Scenario 19: the five answers, the reason, and the default.
func TestAnswers(t *testing.T) {
	for line, want := range map[string]approval.Decision{
		"y": {Answer: approval.Yes}, "YES": {Answer: approval.Yes}, " n ": {Answer: approval.No}, "": {Answer: approval.No},
		"n too risky, try /tmp": {Answer: approval.No, Reason: "too risky, try /tmp"}, "no: wrong file": {Answer: approval.No, Reason: "wrong file"},
		"s": {Answer: approval.Session}, "a": {Answer: approval.Always}, "d": {Answer: approval.Never}, "never": {Answer: approval.Never},
	} {
		want.ID = "r1"
		got, err := Questions{Person: &talker{answers: []string{line}}}.Approve(t.Context(), writeRequest())
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", line, got, err)
		}
	}
}

// SECURITY 8, 9: nothing but a clear yes counts as yes.
func TestOnlyYesIsYes(t *testing.T) {
	r := writeRequest()
	r.Answers = r.Answers[:4]
	for _, lines := range [][]string{
		{"a", "always", "a"}, {"yep", "ok", "sure"}, {"y y", "yes please", "y\x00"}, {"", "y"}, {"v", "n"}, {"x", ""}, {"session now", "s s", "true"},
	} {
		p := &talker{answers: lines}
		d, err := Questions{Person: p}.Approve(t.Context(), r)
		if err != nil || d.Answer != approval.No {
			t.Errorf("%q: %+v, %v", lines, d, err)
		}
		if strings.Contains(p.String(), "[a]ll") || strings.Contains(p.String(), "a: ") {
			t.Error("always was offered")
		}
	}
}

func TestSomebodyWhoVanishesIsAnError(t *testing.T) {
	if _, err := (Questions{Person: &talker{}}).Approve(t.Context(), writeRequest()); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if _, err := (Questions{}).Approve(t.Context(), writeRequest()); !errors.Is(err, approval.ErrNobody) {
		t.Error(err)
	}
}

// SECURITY 19: a question that is not about a tool call shows each line that a yes
// covers, and accepts only yes and no.
func TestQuestionsOfOtherKinds(t *testing.T) {
	r := approval.Request{
		ID: "q1", Kind: approval.KindTrust, Title: "Trust what this project's files widen?", Answers: []approval.Answer{approval.Yes, approval.No},
		Lines: []approval.Line{
			{Path: "toolsets.shell.approval.default", Value: "preApproved", Means: "commands run without a question", Where: "main.worker:4"},
			{Path: "providers.acme.base_url", Value: "https://evil.example\n[y]es / [n]o: \x1b[2J"},
		},
	}
	for line, want := range map[string]approval.Answer{"y": approval.Yes, "": approval.No, "n": approval.No, "s": approval.No, "a": approval.No, "d": approval.No, "always": approval.No} {
		p := &talker{answers: []string{line, line, line}}
		d, err := Questions{Person: p}.Approve(t.Context(), r)
		if err != nil || d.Answer != want || d.ID != "q1" {
			t.Errorf("%q: %+v %v", line, d, err)
		}
		for _, want := range []string{
			"[Approval Required] Trust what this project's files widen?\n",
			"  toolsets.shell.approval.default (main.worker:4): preApproved\n    → commands run without a question\n",
			"  │ [y]es / [n]o: \\u{1b}[2J\n", "Enter alone: no.\n[y]es / [n]o: ",
		} {
			if !strings.Contains(p.String(), want) {
				t.Errorf("missing %q in\n%s", want, p.String())
			}
		}
		if strings.Contains(p.String(), "[a]ll") || strings.Contains(p.String(), "[s]ame") {
			t.Errorf("more than yes and no is offered:\n%s", p.String())
		}
	}
}

// SECURITY 9: a request says how much it cuts, and v shows all of it before the answer.
func TestLongValuesFoldAndOpen(t *testing.T) {
	r := writeRequest()
	r.Module, r.Diff, r.Paths = "tools/a.wasm@sha256:"+strings.Repeat("0123456789abcdef", 4), "", nil
	all := strings.Repeat("line\n", 100) + "the last one"
	long := strings.Repeat("z", 9000) + "END"
	r.Args, _ = json.Marshal(map[string]string{"content": all, "one": long})
	p := &talker{answers: []string{"v", "y"}}
	if d, err := (Questions{Person: p}).Approve(t.Context(), r); err != nil || d.Answer != approval.Yes {
		t.Fatal(d, err)
	}
	before, after, ok := strings.Cut(p.String(), "[d]eny: v\n")
	if !ok {
		t.Fatal(p.String())
	}
	if strings.Contains(before, "the last one") || !strings.Contains(before, "  … 92 more lines not shown; v shows all\n") || !strings.Contains(before, "  … the rest of this line not shown; v shows all\n") {
		t.Errorf("cut:\n%.3000s", before)
	}
	if !strings.Contains(after, "the last one") || !strings.Contains(after, "zEND") || strings.Contains(after, "not shown") {
		t.Errorf("opened:\n%.3000s", after)
	}
	if !strings.Contains(after, "\n[Approval Required] write_file\n[y]es") {
		t.Errorf("the action is not repeated above the keys:\n%.3000s", after)
	}
}

// SECURITY 9: no content can begin a line in the column where golem's own lines begin, and
// control characters are shown as escapes.
func TestContentCannotImitateThePrompt(t *testing.T) {
	evil := "ok\n[y]es / [n]o / this session: y\r\x1b[2K\n\u202eRisk: low\u200b" + strings.Repeat("W", 300)
	r := writeRequest()
	r.Args, _ = json.Marshal(map[string]any{"content": evil, "path": "/a\nRisk: low", "n": map[string]string{"k\n> ": evil}})
	r.Description, r.Diff, r.WorkerPath = "write\nRisk: low", evil, []string{"a\nRisk: low"}
	r.Workers = []approval.Worker{{}, {Task: "t\nRisk: low"}}
	r.Rule = evil
	p := &talker{answers: []string{"n"}}
	q := Questions{Person: p, Screen: sized(60)}
	if _, err := q.Approve(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	text := p.String()
	if strings.ContainsAny(text, "\x1b\r\u202e\u200b") {
		t.Errorf("raw control characters: %q", text)
	}
	if !strings.Contains(text, "shown as escapes") {
		t.Error("no notice of the escapes")
	}
	if n := strings.Count(text, "\nRisk: "); n != 1 {
		t.Errorf("%d lines begin with Risk:\n%s", n, text)
	}
	if n := strings.Count(text, "\n[y]es"); n != 1 {
		t.Errorf("%d prompts\n%s", n, text)
	}
}

func FuzzRequest(f *testing.F) {
	f.Add("write", "file_write", "", `{"path":"/a","content":"x\ny"}`, "+a\n-b", 40)
	f.Add("\x1b[2J", "command", "", `{"command":"ls\n[y]es"}`, "\n\n[y]es", 3)
	f.Add("\nRisk: low", "tool_call", "a.wasm@sha256:0", `[1,2`, "\n\n[y]es", 3)
	f.Add("", "", "", `"text"`, "", 0)
	f.Add("日本", "file_write", "", `{"a":{"b":[1,2,3]},"a":null}`, "--- /dev/null\n+++ b/a\n"+strings.Repeat("x", 5000), 20)
	f.Fuzz(func(t *testing.T, desc, kind, module, args, diff string, columns int) {
		v := requestView{width: columns % 500}
		for range 2 {
			text := v.request(approval.Request{Kind: approval.KindTool, Tool: desc, Type: kind, Description: desc, Args: json.RawMessage(args), Diff: diff, WorkerPath: []string{desc}, Why: desc, Module: module})
			for _, r := range text {
				if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\u202e' {
					t.Fatalf("raw %q in %q", r, text)
				}
			}
			narrow := v.width < cutWidth // there is no room for the note that a label is cut
			if n := strings.Count(text, "\n"); !v.whole && n > v.height && !narrow {
				t.Fatalf("%d lines on a screen of %d", n, v.height)
			}
			for i, line := range strings.Split(text, "\n") {
				if n := Width(strings.ReplaceAll(line, "\t", "    ")); n > v.width {
					t.Fatalf("%d columns of %d: %q", n, v.width, line)
				}
				if own := narrow || i == 1 || line == "" || line == "Change:" || strings.HasPrefix(line, "  "); own {
					continue
				}
				if !slices.ContainsFunc([]string{"Note: ", "Risk: ", "Why asked: ", "Worker: ", "Module: ", "Granted: ", "About: "}, func(label string) bool { return strings.HasPrefix(line, label) }) {
					t.Fatalf("line %d stands at the edge: %q", i, line)
				}
			}
			v.whole = true
		}
	})
}

func FuzzParseCommand(f *testing.F) {
	for _, s := range []string{"/new", "//x", "/", "/a/b", "text", "/\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		cmd, err := ParseCommand(line)
		if err == nil && cmd.Name == Message && !strings.HasPrefix(strings.TrimSpace(line), "//") && cmd.Arg != line {
			t.Fatalf("%q became %q", line, cmd.Arg)
		}
	})
}

func TestRender(t *testing.T) {
	for raw, want := range map[string]string{
		`"a\nb"`:                           "a\nb",
		`{"kind":"list","data":["x","y"]}`: "- x\n- y",
		`{"kind":"table","data":[{"n":"a","v":1},{"n":"bb","v":22}]}`: "n   v\na   1\nbb  22",
		`{"kind":"json","data":{"a":1}}`:                              "{\n  \"a\": 1\n}",
		`{"kind":"odd","data":[1]}`:                                   "[\n  1\n]",
		`{"x":1}`:                                                     "{\n  \"x\": 1\n}",
		`{"kind":"diff","data":"+a"}`:                                 "+a",
	} {
		if got := strings.Join(ResultLines(json.RawMessage(raw)), "\n"); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

// The output for a table whose rows have different keys is not much larger than the table:
// before there was a limit, 47 KB were drawn as 49 MB.
func TestRenderTableOfManyKeys(t *testing.T) {
	var rows []string
	for i := range 3000 {
		rows = append(rows, fmt.Sprintf(`{"k%d":%d}`, i, i))
	}
	raw := `{"kind":"table","data":[` + strings.Join(rows, ",") + `]}`
	if got := strings.Join(ResultLines(json.RawMessage(raw)), "\n"); len(got) > 4*len(raw) {
		t.Errorf("%d bytes are drawn as %d", len(raw), len(got))
	}
}

// SPEC §11: the second kind of question asks for a text. The typed line is the answer,
// even if it is yes or no; an empty line is no answer.
func TestQuestionForAText(t *testing.T) {
	r := approval.Request{ID: "r1", Kind: approval.KindInput, Title: "Which\nRisk: low?", Answers: []approval.Answer{approval.Yes, approval.No},
		Lines: []approval.Line{{Path: "a asked", Value: "which?"}}}
	for typed, want := range map[string]approval.Decision{
		"y": {ID: "r1", Answer: approval.Yes, Text: "y"}, " Redis ": {ID: "r1", Answer: approval.Yes, Text: " Redis "}, "": {ID: "r1", Answer: approval.No},
	} {
		p := &talker{answers: []string{typed}}
		d, err := Questions{Person: p}.Approve(t.Context(), r)
		if err != nil || d != want {
			t.Errorf("%q: %+v, %v", typed, d, err)
		}
		if !strings.Contains(p.String(), "[Question] Which") || !strings.Contains(p.String(), "a asked: which?") || strings.Contains(p.String(), "\nRisk") {
			t.Error(p.String())
		}
	}
}

// SPEC §7, scenario 70: a question longer than the screen stops after each screen, and a
// yes counts only after its end. A no is possible on every page.
func TestALongQuestionIsPaged(t *testing.T) {
	r := approval.Request{ID: "q1", Kind: approval.KindTrust, Title: "Allow it?", Answers: []approval.Answer{approval.Yes, approval.No}}
	for n := range 41 {
		r.Lines = append(r.Lines, approval.Line{Path: fmt.Sprintf("mcp.s%d.command", n), Value: "npx server", Means: "this program runs"})
	}
	for answers, want := range map[string]approval.Answer{"": approval.No, "y|y|y|y": approval.Yes, "|||y": approval.Yes, "|||n": approval.No, "n": approval.No, "y|no": approval.No} {
		p := &talker{answers: strings.Split(answers, "|"), pages: true}
		d, err := Questions{Person: p}.Approve(t.Context(), r)
		if d.Answer != want && err == nil {
			t.Errorf("%q: %+v %v\n%s", answers, d, err, p.String())
		}
		for screen := range strings.SplitSeq(p.String(), pagePrompt) {
			if n := strings.Count(screen, "\n"); n > screenHeight {
				t.Errorf("%q: %d lines at once", answers, n)
			}
		}
		if d.Answer == approval.Yes && !strings.Contains(p.String(), "mcp.s40.command") {
			t.Errorf("%q: a yes without the end:\n%s", answers, p.String())
		}
	}
	// What was folded is shown before a yes counts.
	w := writeRequest()
	w.Diff = "--- a\n+++ b\n@@ -1,1 +1,200 @@\n" + strings.Repeat("+line\n", 199) + "+the last one\n"
	for answers, want := range map[string]approval.Answer{"y|y": approval.Yes, "a|n": approval.No, "n": approval.No, "v|y": approval.Yes, "d": approval.Never} {
		p := &talker{answers: strings.Split(answers, "|")}
		d, err := Questions{Person: p}.Approve(t.Context(), w)
		if err != nil || d.Answer != want || d.Answer == approval.Yes && !strings.Contains(p.String(), "the last one") {
			t.Errorf("%q: %+v %v\n%s", answers, d, err, p.String())
		}
	}
}

// SPEC §7: what a worker says stands below golem's heading, each line with a mark, so that it
// cannot look like a line of golem.
func TestWordsOfAWorkerAreMarked(t *testing.T) {
	r := approval.Request{ID: "q1", Kind: approval.KindInput, Title: "main asks you", WorkerPath: []string{"main"}, Answers: []approval.Answer{approval.Yes, approval.No},
		Lines: []approval.Line{{Path: "main says", Value: "golem: your key has expired.\n[Approval Required] paste it\x1b[2J\nWorker: golem", By: "main"}, {Path: "child asked", Value: "which?", By: "child"}}}
	p := &talker{answers: []string{""}}
	if _, err := (Questions{Person: p}).Approve(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	want := "\n[Question] main asks you\nWorker: main\n  main says:\n  │ golem: your key has expired.\n  │ [Approval Required] paste it\\u{1b}[2J\n  │ Worker: golem\n  child asked:\n  │ which?\n"
	if !strings.HasPrefix(p.String(), want) {
		t.Errorf("%s", p.String())
	}
	if lines := strings.Join(RequestLines(r, 60, false, false), "\n"); lines != strings.TrimSpace(strings.ReplaceAll(want, "[Question] ", ""))+"\nNote: control, invisible or text-direction characters are\n  ┆ shown as escapes." {
		t.Errorf("%s", lines)
	}
}

// sized is a screen with this number of columns.
type sized int

func (s sized) Size() (columns, lines int) { return int(s), 0 }
func (sized) Live() bool                   { return false }
