package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"golem/cmd/cli/columns"
)

// Messages that waited return to the editor one by one when the person stops. They are
// not joined, so that a command stays a command; the text being written comes last.
func TestMessagesComeBackOneByOne(t *testing.T) {
	d := drive(t, 80, 24, false)
	first := d.prompt()
	d.keys("hello", "enter")
	<-first
	d.events(start)
	d.keys("/cost", "enter", "third", "enter", "draft", "ctrl+c")
	if d.m.editor.Text() != "/cost" {
		t.Errorf("the editor has %q", d.m.editor.Text())
	}
	d.has("not sent: third", "not sent: draft")
	got := d.prompt()
	if d.keys("enter"); (<-got).Text != "/cost" || d.m.editor.Text() != "third" {
		t.Errorf("the editor has %q", d.m.editor.Text())
	}
	d.prompt()
	d.keys("ctrl+c")
	if d.m.editor.Text() != "draft" || len(d.m.out.returned) != 0 {
		t.Errorf("the editor has %q", d.m.editor.Text())
	}
}

// The first Ctrl+C never leaves the chat, also if it comes when the exchange has just ended or
// has not begun yet, so that there is nothing to stop. The second one leaves.
func TestInterruptBetweenExchanges(t *testing.T) {
	d := drive(t, 80, 24, false)
	d.m.o.Stop = func() bool { return false }
	d.events(start)
	if d.keys("ctrl+c"); d.leaves != 0 {
		t.Error("the first Ctrl+C left the chat")
	}
	d.has("Ctrl+C again leaves the chat")
	if d.keys("ctrl+c"); d.leaves != 1 {
		t.Error("the second Ctrl+C did not leave")
	}
}

// Glyphs of several characters, which the drawing library leaves out, are drawn as
// their first character with the same width, unless the terminal says that it supports
// them.
func TestGlyphsOfSeveralCharacters(t *testing.T) {
	d := drive(t, 80, 24, false)
	text := "b \U0001f469\u200d\U0001f469\u200d\U0001f467 c 1\ufe0f\u20e3 d"
	d.events(start + `{"type":"delta","id":"0","worker":"main","depth":0,"text":"` + text + `"}`)
	d.has("b \U0001f469 c 1  d")
	for _, glyph := range []string{text, "\U0001f3f3\ufe0f\u200d\U0001f308", "e\u0301", "\x1b[1mx\u200dy\x1b[0m"} {
		if got := singleGlyphs(glyph); columns.Of(got) != columns.Of(glyph) {
			t.Errorf("%q has %d columns, %q %d", glyph, columns.Of(glyph), got, columns.Of(got))
		}
	}
	d.m.Update(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
	d.has(text)
}

// Ctrl+D while a message waits warns that it would be lost, and leaves the second time.
func TestEndOfInputWithAMessageThatWaits(t *testing.T) {
	d := drive(t, 80, 24, false)
	d.prompt()
	d.keys("hello", "enter")
	d.events(start)
	d.keys("second", "enter", "ctrl+d")
	d.has("1 message not sent; Ctrl+D again leaves")
	if d.keys("x", "ctrl+c"); d.m.closed {
		t.Fatal("closed")
	}
	d.m.editor.SetText("")
	d.m.state.Stop = false
	d.m.out.waiting.add("second")
	if d.keys("ctrl+d"); d.m.closed {
		t.Fatal("closed at once")
	}
	d.keys("ctrl+d")
	d.has("leaving after this answer")
	if !d.m.closed || len(d.m.out.waiting.all()) != 0 {
		t.Errorf("closed %v, %d wait", d.m.closed, len(d.m.out.waiting.all()))
	}
}

// What the person typed is on the screen once: a command that the run reports, such as
// /new, or whose arguments are the run's input, is not shown as a second message. The
// last message of a resumed conversation is not shown as sent now.
func TestWhatWasTypedStandsOnce(t *testing.T) {
	for typed, events := range map[string]string{
		"/reset":     `{"type":"message","id":"0","worker":"main","depth":0,"role":"user","text":"/new"}`,
		"/new":       `{"type":"message","id":"0","worker":"main","depth":0,"role":"user","text":"/new"}`,
		"/tool nope": `{"type":"run.start","id":"0","worker":"main","depth":0,"input":""}`,
		"//tmp":      `{"type":"message","id":"0","worker":"main","depth":0,"role":"user","text":"/tmp"}`,
	} {
		d := drive(t, 80, 24, false)
		d.prompt()
		d.keys(typed, "enter")
		d.events(events)
		d.prompt()
		if got := strings.Count(d.screen(), "\n> "); got != 2 { // with the editor's
			t.Errorf("%s:\n%s", typed, d.screen())
		}
	}
	d := drive(t, 80, 24, false)
	d.m.state.Resumed = true
	d.events(start)
	d.hasNot("> Compare")
}
