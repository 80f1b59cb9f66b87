package tui

import (
	"fmt"
	"testing"
)

// talked is a chat with two messages and their answers.
func talked(t *testing.T) *driver {
	d := drive(t, 80, 24, false)
	d.m.o.Forms = func() []Forms { return []Forms{{N: 2, Index: 1, IDs: []string{"a", "b", "c"}}} }
	for i, text := range []string{"one", "two"} {
		got := d.prompt()
		d.keys(text, "enter")
		<-got
		d.events(fmt.Sprintf(`{"type":"message","id":"0","worker":"main","depth":0,"role":"user","text":"%s"}
{"type":"model.start","id":"0","worker":"main","depth":0,"turn":%d,"messages":2}
{"type":"model.end","id":"0","worker":"main","depth":0,"turn":%d,"model":"m","finish":"stop","text":"answer %s","usage":{"in":9,"out":3},"attempts":1,"ms":5}`, text, i+1, i+1, text))
	}
	d.m.messages.forms, d.m.terminal.stale = d.m.o.Forms(), true
	return d
}

// sends reports which line the session gets after these keys.
func (d *driver) sends(want string, keys ...string) {
	d.t.Helper()
	got := d.prompt()
	d.keys(keys...)
	if in := <-got; in.Text != want {
		d.t.Errorf("after %v the session gets %q, want %q", keys, in.Text, want)
	}
}

// Alt+Up marks a message, which can then be edited, answered again, or shown in another form.
func TestMessagesAreMarked(t *testing.T) {
	d := talked(t)
	d.has("> two", "‹2/3›")
	d.prompt()
	d.keys("alt+up")
	d.has("▸ two", "message 2 of 2: e edit, a answer again, ← → other forms, Esc back")
	d.keys("alt+up")
	d.has("▸ one", "> two", "message 1 of 2: e edit, a answer again, Esc back")
	d.fits()
	d.keys("down", "down")
	d.hasNot("▸")
	d.keys("alt+up", "x")
	d.has("> x")
	d.hasNot("▸")
}

// What is done with a marked message is a command of the session; with a form that does not
// exist nothing happens.
func TestMarkedMessageSends(t *testing.T) {
	for want, keys := range map[string][]string{
		"/rewind 1": {"alt+up", "up", "e"}, "/rewind 2": {"alt+up", "enter"}, "/again 1": {"alt+up", "up", "a"}, "/resume a": {"alt+up", "left"}, "/resume c": {"alt+up", "right"},
		"x": {"alt+up", "up", "left", "right", "esc", "x", "enter"},
	} {
		marked := 0
		d := talked(t)
		d.m.o.Marked = &marked
		d.sends(want, keys...)
		if form := want[1:] == "resume a" || want[1:] == "resume c"; (marked == 2) != form {
			t.Errorf("%s: the next screen marks %d", want, marked)
		}
	}
}

// Nothing goes back while golem works, or over a text that was not sent.
func TestMarkedMessageWaits(t *testing.T) {
	d := talked(t)
	d.keys("alt+up", "e")
	d.has("golem works on your last message")
	d.prompt()
	d.keys("esc", "words", "alt+up", "a")
	d.has("the editor has a message that was not sent", "> words")
}

// When the conversation goes back, the screen shows what is before, and the message in the
// editor; an answer that came again stands in the place of the old one.
func TestScreenGoesBack(t *testing.T) {
	d := talked(t)
	d.sends("/rewind 2", "alt+up", "e")
	d.events(`{"type":"status","id":"0","worker":"main","depth":0,"text":"back before your message 2","level":"info","conversation":"c","before":2,"draft":"two"}`)
	d.has("> one", "answer one", "back before your message 2", "> two")
	d.hasNot("answer two", "/rewind 2")
	d = talked(t)
	d.sends("/again 1", "alt+up", "up", "a")
	d.events(`{"type":"status","id":"0","worker":"main","depth":0,"text":"your message 1 again","level":"info","conversation":"c","before":1}
{"type":"message","id":"0","worker":"main","depth":0,"role":"user","text":"one"}
{"type":"delta","id":"0","worker":"main","depth":0,"text":"another answer"}`)
	d.has("> one", "another answer")
	d.hasNot("answer one", "> two", "answer two")
}

// After an exchange that failed or was stopped, the line above the editor says how to go on.
func TestTryAgainIsSaid(t *testing.T) {
	const hint = "/again tries again, Alt+Up edits the message"
	d := talked(t)
	d.prompt()
	d.hasNot(hint)
	d.events(`{"type":"error","id":"0","worker":"main","depth":0,"code":"E_MODEL","message":"no"}`)
	d.has(hint)
	d.events(`{"type":"error","id":"0","worker":"main","depth":0,"code":"E_USAGE","message":"/again takes the number of your message, from 1"}`)
	d.hasNot(hint)
	d.events(`{"type":"status","id":"0","worker":"main","depth":0,"text":"stopped; the conversation goes on with your next message","level":"warn"}`)
	d.has(hint)
}

// A screen that begins with a marked message shows it.
func TestMarkedMessageIsShown(t *testing.T) {
	marked := 1
	u := New(Options{Project: "demo", Entry: "main", Writing: Writing{Marked: &marked}})
	if u.model.messages.mark != 1 || marked != 0 {
		t.Errorf("marked %d, left %d", u.model.messages.mark, marked)
	}
}

// A command line after an exclamation mark is repeated as it was typed. It is no message, also
// if it begins the run: the next message is the first one.
func TestTypedCommandIsNoMessage(t *testing.T) {
	d := drive(t, 80, 24, false)
	got := d.prompt()
	d.keys("!ls", "enter")
	<-got
	d.events(`{"type":"run.start","id":"0","worker":"main","depth":0,"input":{"command":"ls"}}`)
	d.has("> !ls")
	d.hasNot(`{"command"`)
	got = d.prompt()
	d.keys("hello", "enter")
	<-got
	d.events(`{"type":"message","id":"0","worker":"main","depth":0,"role":"user","text":"hello"}`)
	d.prompt()
	d.keys("alt+up")
	d.has("▸ hello", "message 1 of 1")
}
