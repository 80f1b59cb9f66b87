package tui

import (
	"strings"
	"testing"
	"time"
)

// What a model reasons is one line with its seconds, then with its tokens; Ctrl+O shows the
// text, in which nothing moves the cursor.
func TestReasoningIsFolded(t *testing.T) {
	d := drive(t, 60, 20, false)
	d.prompt()
	d.keys("hello", "enter")
	d.events(start + `
{"type":"reasoning","id":"0","worker":"main","depth":0,"text":"First I look\u001b[2J at a.md. "}`)
	d.at = d.at.Add(3 * time.Second)
	d.events(`{"type":"reasoning","id":"0","worker":"main","depth":0,"text":"Then at b.md."}`)
	d.has("· thinks, 3 s (Ctrl+O)")
	d.hasNot("First I look")
	d.events(`
{"type":"reasoning","id":"0","worker":"main","depth":0,"text":"","over":{"ms":4012,"tokens":7,"estimated":true}}
{"type":"delta","id":"0","worker":"main","depth":0,"text":"Both are there."}`)
	d.has("· thought for 4 s · ~7 tokens (Ctrl+O)\n\n  Both are there.")
	d.keys("ctrl+o")
	d.has("· thought for 4 s · ~7 tokens\n  │ First I look", "at a.md. Then at b.md.")
	d.fits()
	d.keys("ctrl+o")
	d.events(`{"type":"model.end","id":"0","worker":"main","depth":0,"turn":1,"model":"m","finish":"stop","text":"Both are there.","usage":{"in":9,"out":330},"attempts":1,"reasoning":{"ms":4012,"tokens":320},"ms":5000}`)
	d.has("· thought for 4 s · 320 tokens (Ctrl+O)")
	d.hasNot("First I look")
	if strings.Count(d.screen(), "thought") != 1 {
		t.Error(d.screen())
	}
}

// Reasoning that the person stopped says so, and stays.
func TestStoppedReasoning(t *testing.T) {
	d := drive(t, 60, 20, false)
	d.prompt()
	d.keys("hello", "enter")
	d.events(start + `{"type":"reasoning","id":"0","worker":"main","depth":0,"text":"First"}`)
	d.prompt()
	d.has("· thought, and was stopped (Ctrl+O)")
}
