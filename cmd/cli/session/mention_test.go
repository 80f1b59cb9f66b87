package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/core"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/editor"
)

// A typed message sends the files that it names with @: those of the worker's view, and those
// that the person dropped on the editor. Other words with an @ are text.
func TestMentionedFilesGoAlong(t *testing.T) {
	files := map[string]string{"p/main.worker": "---\ntoolsets: {filesystem: {}}\nattachment_policy: {max_total_bytes: 1000, denied_suffixes: [.bin]}\n---\nTalk.\n", "p/big.csv": strings.Repeat("x", 1001), "p/x.bin": "b"}
	for name, text := range chatProject {
		if files[name] == "" {
			files[name] = text
		}
	}
	c, inst, p := writingIn(t, files)
	w := newWriting(c, inst, p)
	own := filepath.Join(t.TempDir(), "my notes.txt")
	if err := os.WriteFile(own, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	mention, ok := w.drop("'" + own + "'")
	if !ok || mention != `@"`+own+`" ` {
		t.Fatalf("%q, %v", mention, ok)
	}
	for text, want := range map[string]string{
		"see @docs/a.md and @/docs/b.md, please": "docs/a.md=a /docs/b.md=b",
		"@docs/a.md @docs/a.md":                  "docs/a.md=a",
		"is it in @docs/a.md?":                   "docs/a.md=a",
		"see " + mention:                         "my notes.txt=notes",
		"mail a@docs/a.md or @nobody or @docs/":  "",
		"@.env @.golem/x.json @.git/config":      "",
		"@../s.yaml @" + c.Dir + "/s.yaml":       "",
		"@big.csv":                               "",
		"@x.bin @docs/b.md":                      "docs/b.md=b",
	} {
		got, note, err := w.mentioned(text)
		var names []string
		for _, f := range got {
			names = append(names, f.Name+"="+string(f.Data))
		}
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s: %v, %v", text, names, err)
		}
		says := map[string]string{"@big.csv": "1001 bytes", "@x.bin @docs/b.md": ".bin", "@../s.yaml @" + c.Dir + "/s.yaml": "/attach sends it"}[text]
		if (note != "") != (says != "") || !strings.Contains(note, says) {
			t.Errorf("%s: note %q", text, note)
		}
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	person := &ui.Script{Inputs: []run.Input{{Text: "look at @docs/a.md"}, {Text: "and at " + mention}}}
	inst.Chat(context.Background(), nil, person, core.RunOptions{Host: &chatCommands{history: w, exchanges: &console.Exchanges{}}})
	var sent, drafts []string
	for _, e := range person.Events() {
		switch b := e.Body.(type) {
		case trace.RunStart:
			for _, f := range b.Files {
				sent = append(sent, f.Name)
			}
		case trace.Status:
			if b.Draft != "" {
				drafts = append(drafts, b.Draft)
			}
		}
	}
	if strings.Join(sent, " ") != "docs/a.md" || len(drafts) != 1 || drafts[0] != "and at "+mention {
		t.Errorf("sent %q, given back %q", sent, drafts)
	}
}

// Only a text that is nothing but paths of files is taken as files.
func TestDroppedPaths(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.md", "b c.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := &writing{}
	a, b := filepath.Join(dir, "a.md"), filepath.Join(dir, "b c.md")
	for text, want := range map[string]string{
		a:                                "@" + a + " ",
		a + "\n":                         "@" + a + " ",
		b:                                `@"` + b + `" `,
		"'" + a + "' '" + b + "' ":       "@" + a + ` @"` + b + `" `,
		strings.ReplaceAll(b, " ", `\ `): `@"` + b + `" `,
		"file://" + strings.ReplaceAll(b, " ", "%20"): `@"` + b + `" `,
		dir: "", "a.md": "", a + "x": "", "see " + a: "", a + "\n" + a: "", "": "", "file://host" + a: "", "it's": "",
	} {
		got, ok := w.drop(text)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, ok, want)
		}
	}
}

// What /resume offers has all words that were typed; the conversation that is open is left out.
func TestResumeOffersByWords(t *testing.T) {
	c, inst, p := writingIn(t, chatProject)
	w := newWriting(c, inst, p)
	for _, text := range []string{"Owls at night", "Owls by day"} {
		person := &ui.Script{Inputs: []run.Input{{Text: text}}}
		inst.Chat(context.Background(), nil, person, core.RunOptions{Host: &chatCommands{history: w, exchanges: &console.Exchanges{}}})
	}
	for prefix, want := range map[string]int{"": 2, "owls": 2, "night owls": 1, "2": 2, "bats": 0} {
		if got := w.values("/resume", prefix); len(got) != want {
			t.Errorf("%q: %v", prefix, got)
		}
	}
	listed := []editor.Choice{{Text: "20260102-030405-1a", Help: "owl 10", Shown: "2026-01-02 03:04  owl 10  20260102-030405-1a"}, {Text: "20260101-030405-22", Help: "owl 2", Shown: "2026-01-01 03:04  owl 2  20260101-030405-22"}}
	for text, want := range map[string]string{"owl 2": "20260101-030405-22", "owl 01-01": "20260101-030405-22", "20260102": "20260102-030405-1a", "owl 1": "20260102-030405-1a"} {
		if got := matching(listed, text); len(got) != 1 || got[0].Text != want {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
	}
	if got := matching([]editor.Choice{{Text: "openrouter:openai/gpt"}, {Text: "openai:gpt"}}, "openai"); len(got) != 2 || got[0].Text != "openai:gpt" {
		t.Errorf("%v", got)
	}
}

// A conversation that goes on is on the screen again: messages with their files, answers, calls
// in a row as one line, errors.
func TestRecalledConversation(t *testing.T) {
	files := map[string]string{"s.yaml": "script: 1\nworkers:\n  main:\n    - when: {text: list}\n      once: true\n      calls: [{tool: list_files, args: {path: /}}, {tool: list_files, args: {path: /docs}}, {tool: read_file, args: {path: /gone}}]\n    - when: {text: broken}\n      fail: {status: 401}\n    - when: {match: '.'}\n      say: '**heard**'\n"}
	for name, text := range chatProject {
		if files[name] == "" {
			files[name] = text
		}
	}
	c, inst, p := writingIn(t, files)
	w := newWriting(c, inst, p)
	person := &ui.Script{Inputs: []run.Input{{Text: "see @docs/a.md"}, {Text: "list"}, {Text: "broken"}}}
	res := inst.Chat(context.Background(), nil, person, core.RunOptions{Host: &chatCommands{history: w, exchanges: &console.Exchanges{}}})
	var got []string
	for _, it := range shownItems(inst, res.Conversation) {
		text := string(it.Kind) + ":" + it.Text()
		for _, f := range it.Files {
			text += " +" + f.Name
		}
		got = append(got, text)
	}
	want := "you:see @docs/a.md +docs/a.md|golem:**heard**|you:list|notice:called list_files, read_file (E_NOT_FOUND)|golem:**heard**|you:broken|notice:E_MODEL"
	if all := strings.Join(got, "|"); !strings.HasPrefix(all, want) {
		t.Errorf("got  %s\nwant %s", all, want)
	}
}
