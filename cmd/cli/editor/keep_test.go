package editor

import "testing"

// Ctrl+C takes a text out of the editor, and Up brings it back. Ctrl+_ takes a change back,
// Ctrl+Z is not a key of the editor.
func TestATextThatIsTakenOutComesBack(t *testing.T) {
	e := New(Options{})
	for _, r := range "a long draft" {
		e.Key(string(r), string(r))
	}
	if _, used := e.Key("ctrl+z", ""); used || e.Text() != "a long draft" {
		t.Errorf("Ctrl+Z changed the text: %q", e.Text())
	}
	if e.Key("ctrl+_", ""); e.Text() == "a long draft" {
		t.Error("Ctrl+_ took nothing back")
	}
	e.SetText("a long draft")
	if e.Keep(); e.Text() != "" {
		t.Errorf("the editor has %q", e.Text())
	}
	if e.Key("up", ""); e.Text() != "a long draft" {
		t.Errorf("Up shows %q", e.Text())
	}
}

// After a choice that is only the beginning of a word, typing goes on in that word. A command's
// argument may have spaces.
func TestChoiceThatGoesOn(t *testing.T) {
	var asked string
	e := New(Options{Values: func(_, prefix string) []Choice {
		asked = prefix
		return []Choice{{Text: "script:"}}
	}})
	e.SetText("/model ")
	if e.Key("tab", ""); e.Text() != "/model script:" {
		t.Errorf("%q", e.Text())
	}
	e.SetText("/resume script:")
	if e.Key(" ", " "); e.offer.open() {
		t.Error("what was taken already is offered again")
	}
	e.SetText("/resume owls at")
	if e.Key("x", "x"); asked != "owls atx" {
		t.Errorf("the words asked for are %q", asked)
	}
}
