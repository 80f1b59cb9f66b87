package tui

import "testing"

// A message that the person sends during an exchange goes to the session when it asks for
// one; a command, and what comes after it, waits for the end of the exchange.
func TestSteering(t *testing.T) {
	d := drive(t, 80, 24, false)
	d.prompt()
	d.keys("hello", "enter")
	d.events(start)
	d.keys("in French", "enter", "/cost", "enter", "then this", "enter")
	d.has("next: in French")
	if in, ok := d.u.Steer(); !ok || in.Text != "in French" {
		t.Errorf("%+v, %v", in, ok)
	}
	if in, ok := d.u.Steer(); ok {
		t.Errorf("a command was steered, or what comes after it: %+v", in)
	}
	d.events(`{"type":"message","id":"0","worker":"main","depth":0,"role":"user","text":"in French","steering":true}`)
	d.has("> in French")
	if left := d.m.out.waiting.all(); len(left) != 2 {
		t.Errorf("%q", left)
	}
}
