package main

import (
	"strings"
	"testing"
)

// Before golem asks about a message in which it was killed, the screen shows the conversation
// up to this message. A no sends nothing, and shows nothing twice.
func TestScreenShowsTheMessageThatWasKilled(t *testing.T) {
	t.Setenv("TERM", "vt100")
	t.Setenv("NO_COLOR", "1")
	dir := screenProject(t)
	r := startPTY(t, dir, nil, false)
	r.sees("/help lists the commands")
	r.typeKeys("hello\r")
	r.sees("  you said **hello**")
	r.typeKeys("be slow\r")
	r.sees("waiting for")
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	r.exit(-1)

	r = startPTY(t, dir, nil, false, "chat", ".", "--resume")
	r.sees("> [n] no")
	inOrder(t, r.glass().text(), "> hello", "you said **hello**", "> be slow", "── Question", "Your last message was interrupted", "message: be slow", "> [n] no", "[y] yes")
	r.takes("\t")
	r.press("\r")
	r.sees("nothing was sent: the message stays as a stopped one")
	text := r.glass().text()
	inOrder(t, text, "> hello", "> be slow", "resumed ", "nothing was sent")
	if n := strings.Count(text, "> be slow"); n != 1 {
		t.Errorf("the message is there %d times:\n%s", n, text)
	}
	r.typeKeys("hello again\r")
	r.sees("you said **hello again**")
	r.typeKeys("\x04")
	r.exit(0)
}

// inOrder fails if a screen does not show the texts one after the other.
func inOrder(t *testing.T, screen string, texts ...string) {
	t.Helper()
	rest := screen
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Fatalf("no %q, or not in this order:\n%s", text, screen)
		}
		rest = after
	}
}
