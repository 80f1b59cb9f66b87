package tui

import "testing"

// What a worker's calls denied or failed stands below its line, and so does a call that a
// person was asked about; what went well does not.
func TestCallsBelowAWorker(t *testing.T) {
	d := drive(t, 80, 24, false)
	d.prompt()
	d.keys("hello", "enter")
	d.events(start + `
{"type":"tool.start","id":"0.1","worker":"main","depth":0,"tool":"reporter","kind":"worker","args":{"input":"x"}}
{"type":"worker.start","id":"0.1","parent":"0","worker":"reporter","depth":1,"source":"r","digest":"","model":"m","tools":[]}
{"type":"tool.start","id":"0.1.1","parent":"0.1","worker":"reporter","depth":1,"tool":"read_file","kind":"builtin","args":{"path":"/a"}}
{"type":"tool.end","id":"0.1.1","parent":"0.1","worker":"reporter","depth":1,"tool":"read_file","status":"ok","result":"r","ms":1}
{"type":"tool.start","id":"0.1.2","parent":"0.1","worker":"reporter","depth":1,"tool":"write_file","kind":"builtin","args":{"path":"/b"}}
{"type":"tool.end","id":"0.1.2","parent":"0.1","worker":"reporter","depth":1,"tool":"write_file","status":"denied","error":{"code":"E_DENIED","message":"the user said no"},"ms":1}
{"type":"worker.end","id":"0.1","parent":"0","worker":"reporter","depth":1,"status":"ok","output":"done","usage":{"in":1,"out":1},"ms":2}
{"type":"tool.end","id":"0.1","worker":"main","depth":0,"tool":"reporter","status":"ok","result":"done","ms":2}
`)
	d.has("reporter")
	d.has("write_file")
	d.has("you said no")
	d.hasNot("read_file")
}

// A message that the person took back with /rewind is in the editor again.
func TestDraftOfARewind(t *testing.T) {
	d := drive(t, 80, 24, false)
	d.prompt()
	d.events(`{"type":"status","id":"0","text":"back before your message 1","level":"info","draft":"the old words"}`)
	if got := d.m.editor.Text(); got != "the old words" {
		t.Errorf("%q", got)
	}
	d.events(`{"type":"status","id":"0","text":"back","level":"info","draft":"others"}`)
	if got := d.m.editor.Text(); got != "the old words" {
		t.Errorf("what was written is lost: %q", got)
	}
}
