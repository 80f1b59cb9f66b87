package session

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"golem/core"
	"golem/core/approval"
	"golem/core/run"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/editor"
	"golem/cmd/cli/home"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// writingIn opens a project like a chat.
func writingIn(t *testing.T, files map[string]string) (*console.Console, *core.Instance, target.Place) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := console.New(map[string]string{"GOLEM_HOME": dir + "-home", "OPENAI_API_KEY": "sk-a-secret-key-0123456789"}, dir)
	f := &runflags.Flags{Command: "chat", Set: pflag.NewFlagSet("chat", pflag.ContinueOnError)}
	f.Model = "script:s.yaml"
	p, _, err := target.Find(c, f.Wanted(), []string{"p"})
	if err != nil {
		t.Fatal(err)
	}
	tools := toolhost.New(c, false)
	t.Cleanup(tools.Close)
	inst, err := machine.Open(c, p, f.OpenWith(), tools)
	if err != nil {
		t.Fatal(err)
	}
	return c, inst, p
}

var chatProject = map[string]string{
	"s.yaml":          "script: 1\nworkers:\n  main:\n    - when: {match: '.'}\n      say: heard\n",
	"p/main.worker":   "---\ntoolsets: {filesystem: {}}\n---\nTalk.\n",
	"p/docs/a.md":     "a",
	"p/docs/b.md":     "b",
	"p/.env":          "OPENAI_API_KEY=x\n",
	"p/.golem/x.json": "{}",
	"p/.git/config":   "",
	"p/.editorconfig": "",
}

// The history of sent messages is a file in GOLEM_HOME for each project, for its owner
// only. It contains no secrets, and no answers to questions.
func TestHistoryIsKept(t *testing.T) {
	c, inst, p := writingIn(t, chatProject)
	w := newWriting(c, inst, p)
	person := &ui.Script{
		Inputs: []run.Input{
			{Text: "hello"}, {Text: "two\nlines"}, {Text: "my key is sk-a-secret-key-0123456789"},
			{Text: "/tool write_file"}, {Text: "/note.txt"}, {Text: "what I answered"}, {Text: "/cost"}, {Text: "/cost"},
		},
		Answers: []approval.Decision{{Answer: approval.Yes}},
	}
	res := inst.Chat(context.Background(), nil, person, core.RunOptions{Host: &chatCommands{history: w, exchanges: &console.Exchanges{}}})
	if res.Error != nil {
		t.Fatal(res.Error)
	}
	files, err := filepath.Glob(filepath.Join(c.Env["GOLEM_HOME"], "history", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	want := "\"hello\"\n\"two\\nlines\"\n\"my key is [redacted]\"\n\"/tool write_file\"\n\"/cost\"\n"
	if err != nil || string(data) != want {
		t.Errorf("%v:\n%s\nwant:\n%s", err, data, want)
	}
	if info, err := os.Stat(files[0]); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	e := newWriting(c, inst, p).editor()
	for range 2 {
		e.Key("up", "")
	}
	if e.Text() != "/tool write_file" {
		t.Errorf("the next golem has %q", e.Text())
	}
}

// A history file that became very long is read from its end, and made short again.
func TestHistoryThatIsTooLong(t *testing.T) {
	c, inst, p := writingIn(t, chatProject)
	w := newWriting(c, inst, p)
	w.addLine("first")
	line := editor.Line(strings.Repeat("x", 60_000))
	data := bytes.Repeat(line, home.MaxFile/len(line)+1)
	if err := os.WriteFile(w.file, append(data, editor.Line("newest")...), 0o600); err != nil {
		t.Fatal(err)
	}
	e := newWriting(c, inst, p).editor()
	e.Key("up", "")
	info, err := os.Stat(w.file)
	if e.Text() != "newest" || err != nil || info.Size() > 2*editor.MaxHistory {
		t.Errorf("%.20q, %d bytes, %v", e.Text(), info.Size(), err)
	}
}

// Completion offers only files that the worker sees.
func TestCompletionStaysInTheView(t *testing.T) {
	h, inst, p := writingIn(t, chatProject)
	w := newWriting(h, inst, p)
	for prefix, want := range map[string][]string{
		"": {"docs/", "main.worker"}, "d": {"docs/"}, "docs/": {"docs/a.md", "docs/b.md"}, "docs/b": {"docs/b.md"},
		".": {".editorconfig"}, ".e": {".editorconfig"}, "../": nil, "/docs/a": {"/docs/a.md"}, "nothing/": nil,
	} {
		if got := w.files(prefix); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", prefix, got, want)
		}
	}
	if got := w.values("/model", "ol"); len(got) != 1 || got[0].Text != "ollama:" {
		t.Errorf("/model ol: %v", got)
	}
	w.editor()
	if got := w.values("/tool", "edit"); len(got) != 1 || got[0].Text != "edit_file" || got[0].Help == "" {
		t.Errorf("/tool edit: %v", got)
	}
	for prefix, want := range map[string]string{"p/m": "p/main.worker", "p/do": "p/docs/", "s": "s.yaml", "nowhere/": ""} {
		if got := w.values("/attach", prefix); len(got) != min(len(want), 1) || want != "" && got[0].Text != want {
			t.Errorf("/attach %s: %v", prefix, got)
		}
	}
	for _, a := range ui.Actions() {
		if a.Command != "" && strings.HasPrefix(a.Args, "[diff|") {
			for _, c := range w.values("/"+string(a.Command), "") {
				if !strings.Contains(a.Args, c.Text) {
					t.Errorf("%s is offered after %s", c.Text, a.Usage())
				}
			}
		}
	}
}
