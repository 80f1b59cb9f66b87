package core_test

import (
	"fmt"
	"strings"
	"testing"

	"golem/core"
	"golem/core/conversation"
	"golem/core/options"
	"golem/core/run"
	"golem/core/state"
	"golem/core/trace"
)

// After /rewind and /new nothing of the removed messages is left: their attachments are gone,
// the attachments of the other messages keep their names, and the root is told again about
// pending items. The run and the branch still know that untrusted content was read.
func TestRewindAndNewForget(t *testing.T) {
	files := yardFiles()
	files["main.worker"] = "---\ntoolsets: {filesystem: {}, clearance: {}}\n---\nM.\n"
	files["s.yaml"] = `script: 1
workers:
  main:
    - when: {match: "^m"}
      say: heard
    - calls: [{tool: stage, args: {paths: [/in.txt], message: m}}]
    - say: staged
`
	y := newYard(t, moment{files: files})
	u := always()
	attached := func(text, name string) run.Input {
		return run.Input{Text: text, Attachments: []run.File{{Name: name, Data: []byte(name)}}}
	}
	u.Inputs = []run.Input{
		attached("stage", "at.txt"), attached("m2", "b.txt"), {Text: "/rewind 2"}, {Text: "m3"}, attached("m4", "b.txt"),
		{Text: "/tool read_file /attachments/at.txt"}, {Text: "/tool read_file /attachments/b.txt"}, {Text: "/tool read_file /attachments/0-at.txt"},
		{Text: "/new"}, {Text: "/tool read_file /attachments/at.txt"}, {Text: "/rewind 1"}, attached("m5", "b.txt"),
	}
	res := y.open(t).Chat(t.Context(), nil, u, core.RunOptions{})
	var said []string
	for _, e := range u.Events() {
		switch b := e.Body.(type) {
		case trace.ModelStart:
			said = append(said, fmt.Sprint(b.Messages))
		case trace.Warning:
			said = append(said, string(b.Code))
		case trace.ToolEnd:
			said = append(said, b.Status)
		case trace.Error:
			said = append(said, b.Message)
		}
	}
	want := "2 ok 4 7 7 9 ok ok error /attachments/0-at.txt: file does not exist error /attachments/at.txt: file does not exist 3"
	if got := strings.Join(said, " "); got != want {
		t.Errorf("%q instead of %q", got, want)
	}
	s := state.Memory(y.state)
	if k, err := conversation.Read(&s, res.Conversation); err != nil || !k.Taint || k.Messages() != 1 {
		t.Errorf("%+v, %v", k, err)
	}
}

// /again sends the last message once more with its files, also after the conversation was
// resumed and after an exchange that failed. It makes a branch, so the other answer stays.
func TestAgain(t *testing.T) {
	files := yardFiles()
	files["main.worker"] = "---\ntoolsets: {filesystem: {}}\n---\nM.\n"
	files["s.yaml"] = `script: 1
workers:
  main:
    - when: {text: breaks}
      fail: {status: 400}
    - when: {match: 'the notes say (\w+)'}
      say: I read $1
    - when: {text: read}
      calls: [{tool: read_file, args: {path: /attachments/notes.txt}}]
`
	y := newYard(t, moment{files: files})
	chat := func(o core.RunOptions, in ...run.Input) string {
		u := always()
		u.Inputs = in
		y.open(t).Chat(t.Context(), nil, u, o)
		var out []string
		for _, e := range u.Events() {
			switch b := e.Body.(type) {
			case trace.Status:
				text, _, _ := strings.Cut(b.Text, ":")
				out = append(out, text)
			case trace.Error:
				out = append(out, string(b.Code))
			}
		}
		return strings.Join(out, "|")
	}
	again, first := run.Input{Text: "/again"}, "20260101-000000-aaaaaa"
	read := run.Input{Text: "read", Attachments: []run.File{{Name: "notes.txt", Data: []byte("the notes say plums")}}}
	if got := chat(core.RunOptions{ID: first}, again, read); got != "E_USAGE" {
		t.Errorf("/again before the first message: %q", got)
	}
	whole := strings.Join(talk(t, y), "|")
	if !strings.HasSuffix(whole, "golem : I read plums") {
		t.Fatalf("the first answer: %q", whole)
	}
	got := chat(core.RunOptions{Running: options.Running{Resume: new(first)}}, again)
	if !strings.HasSuffix(got, "your message 1 again") || strings.Join(talk(t, y), "|") != whole {
		t.Errorf("/again after a resume: %q, %q", got, talk(t, y))
	}
	s := state.Memory(y.state)
	if list := conversation.List(&s); len(list) != 2 || list[0].From == nil || *list[0].From != (conversation.Origin{ID: first, At: 1}) || list[0].Messages != 1 || list[1].Messages != 1 {
		t.Errorf("the list is %+v", list)
	}
	got = chat(core.RunOptions{Running: options.Running{Resume: new(first)}}, run.Input{Text: "breaks"}, again, run.Input{Text: "/new"}, run.Input{Text: "/retry"})
	if !strings.HasSuffix(got, "E_MODEL|your message 2 again|E_MODEL|a new conversation|E_USAGE") {
		t.Errorf("/again after a failed exchange, and after /new: %q", got)
	}
}

// terminal is the host of a chat with a command line. It finds the file notes.txt when a message
// names it with @.
type terminal struct{ core.PlainChat }

func (terminal) CommandLine() bool { return true }

func (terminal) Mentioned(text string) (files []run.File, note string, err error) {
	if strings.Contains(text, "@notes.txt") {
		files = append(files, run.File{Name: "notes.txt", Data: []byte("the notes say plums")})
	}
	return files, "", nil
}

// The files of a message that the person takes back go with their next message, each once,
// whether they were attached or are named in the text.
func TestRewindKeepsTheFiles(t *testing.T) {
	files := yardFiles()
	files["main.worker"] = "---\ntoolsets: {filesystem: {}}\n---\nM.\n"
	files["s.yaml"] = "script: 1\nworkers:\n  main:\n    - say: heard\n"
	y := newYard(t, moment{files: files})
	u := always()
	u.Inputs = []run.Input{
		{Text: "read @notes.txt", Attachments: []run.File{{Name: "plan.txt", Data: []byte("plan")}}}, {Text: "two"},
		{Text: "/rewind 2"}, {Text: "/rewind 1"}, {Text: "read again @notes.txt"}, {Text: "/rewind 1"}, {Text: "read no notes"},
	}
	y.open(t).Chat(t.Context(), nil, u, core.RunOptions{Host: terminal{}})
	var sent, said []string
	for _, e := range u.Events() {
		var refs []trace.FileRef
		switch b := e.Body.(type) {
		case trace.RunStart:
			refs = b.Files
		case trace.Message:
			refs = b.Files
		case trace.Status:
			_, files, _ := strings.Cut(b.Text, "\n")
			said = append(said, files+"<"+b.Draft+">")
			continue
		default:
			continue
		}
		var names []string
		for _, f := range refs {
			names = append(names, f.Name)
		}
		sent = append(sent, strings.Join(names, "+"))
	}
	if got := strings.Join(sent, "|"); got != "plan.txt+notes.txt||notes.txt+plan.txt|plan.txt" {
		t.Errorf("the messages had %s", got)
	}
	want := "<two>|with your next message: plan.txt<read @notes.txt>|with your next message: plan.txt<read again @notes.txt>"
	if got := strings.Join(said, "|"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
