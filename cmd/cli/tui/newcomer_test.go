package tui

import (
	"fmt"
	"strings"
	"testing"

	"golem/core/approval"

	"golem/cmd/cli/editor"
)

// What is said before the first message does not hide how to begin; the first message does.
func TestWelcomeBesideANotice(t *testing.T) {
	d := drive(t, 90, 24, false)
	d.u.Tell("info", "This directory is not a project.")
	d.m.Update(arrived{})
	d.has("This directory is not a project.", "Enter sends it", "Shift+Tab")
	d.prompt()
	d.keys("hello", "enter")
	d.events(start)
	d.hasNot("Enter sends it")
	d.fits()
}

// /help on the screen also tells the keys, at any time.
func TestHelpTellsTheKeys(t *testing.T) {
	d := drive(t, 90, 80, false)
	d.prompt()
	d.keys("hello", "enter")
	d.events(start)
	d.keys("/help", "enter")
	d.has("/rewind [N]", "Shift+Tab", "!COMMAND", "select text of the screen")
	if left := d.m.out.waiting.all(); len(left) != 0 {
		t.Errorf("it waits for the end of the exchange: %q", left)
	}
}

// A long message, such as one that was pasted, takes a few lines; Ctrl+O shows all of it. The
// line above the editor counts the lines that are written.
func TestLongMessageIsFolded(t *testing.T) {
	d := drive(t, 80, 50, false)
	got := d.prompt()
	var b strings.Builder
	for n := range 200 {
		fmt.Fprintf(&b, "line number %d\n", n+1)
	}
	d.m.paste(b.String())
	d.m.terminal.stale = true
	d.has("201 lines to send")
	d.keys("enter")
	text := strings.ReplaceAll((<-got).Text, "\n", `\n`)
	d.events(`{"type": "run.start", "id": "0", "worker": "main", "depth": 0, "input": "` + text + `", "files": [{"name": "a\u001b.md", "bytes": 12}]}`)
	d.has("> line number 1", "line number 12", "189 more lines (Ctrl+O)", `+ a\u{1b}.md, 12 bytes`)
	d.hasNot("line number 13")
	d.keys("ctrl+o")
	d.has("line number 200")
	d.hasNot("more lines (Ctrl+O)")
}

// The path of a file that is dropped on the window becomes a mention; in a command it stays a
// path.
func TestDroppedFile(t *testing.T) {
	d := drive(t, 80, 24, false)
	d.m.o.Dropped = func(pasted string) (string, bool) { return "@" + pasted + " ", pasted == "/tmp/a.png" }
	d.prompt()
	d.m.paste("/tmp/a.png")
	d.m.paste("some text")
	d.m.paste("/tmp/a.png")
	if got := d.m.editor.Text(); got != "@/tmp/a.png some text @/tmp/a.png " {
		t.Errorf("%q", got)
	}
	d.m.editor.SetText("/attach ")
	if d.m.paste("/tmp/a.png"); d.m.editor.Text() != "/attach /tmp/a.png" {
		t.Errorf("%q", d.m.editor.Text())
	}
}

// /model alone offers the models, once the providers have told them; without models the session
// says why. A person who writes meanwhile is not disturbed.
func TestPickerOfModels(t *testing.T) {
	d := drive(t, 80, 24, false)
	found := true
	d.m.o.LookUp = func(string) bool { return found }
	d.m.editor = editor.New(editor.Options{Values: func(string, string) []editor.Choice {
		return []editor.Choice{{Text: "openai:gpt-5-mini"}, {Text: "openai:gpt-5"}}
	}})
	got := d.prompt()
	look := func(typed string) {
		t.Helper()
		d.m.editor.SetText("/model")
		cmd := d.m.send()
		d.m.editor.SetText(typed)
		cmd()
		d.m.Update(arrived{})
		d.m.terminal.stale = true
	}
	look("")
	d.has("/model: asking the providers", "› openai:gpt-5-mini")
	d.keys("down", "enter")
	if d.m.editor.Text() != "/model openai:gpt-5 " {
		t.Errorf("the editor has %q", d.m.editor.Text())
	}
	look("a message")
	if d.m.editor.Text() != "a message" {
		t.Errorf("the editor has %q", d.m.editor.Text())
	}
	found = false
	look("")
	if in := <-got; in.Text != "/model" {
		t.Errorf("the session got %q", in.Text)
	}
}

// Ctrl+D while a question waits says what it does.
func TestLeavingDuringAQuestion(t *testing.T) {
	d := drive(t, 80, 24, false)
	d.prompt()
	d.keys("hello", "enter")
	d.events(start)
	d.ask(write)
	d.keys("wait", "enter", "ctrl+d")
	d.has("1 message not sent; Ctrl+D again leaves")
	d.keys("ctrl+d")
	d.has("leaving after this answer; Ctrl+C stops it")
	d.arm()
	d.keys("n", "enter")
	if got := <-d.replies; got.Answer != approval.No {
		t.Errorf("%+v", got)
	}
}

// The first line shows the model that /model chose.
func TestChosenModelIsShown(t *testing.T) {
	d := drive(t, 80, 24, false)
	now := "openai:gpt-5-mini"
	d.m.o.Chosen = func() string { return now }
	got := d.prompt()
	d.keys("/model openai:gpt-5", "enter")
	<-got
	now = "openai:gpt-5"
	d.prompt()
	d.has("demo › main · openai:gpt-5 ·")
}
