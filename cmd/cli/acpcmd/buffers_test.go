package acpcmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a worker reads and changes is what the editor shows; the editor gets the new text.
func TestUnsavedBuffers(t *testing.T) {
	dir := files(t, writing)
	e := newEditor(t, dir, "")
	note := filepath.Join(dir, "notes", "a.md")
	e.buffers[note] = "one\nunsaved two\nthree\n"
	s := e.begin(dir)
	e.say(s.SessionId, "go")
	want := "one\nunsaved TWO\nthree\n"
	if data, _ := os.ReadFile(note); string(data) != want || e.wrote[note] != want {
		t.Errorf("%q %q\n%s", data, e.wrote, e.seen(s.SessionId))
	}
	if got := e.seen(s.SessionId); !strings.Contains(got, "unsaved two") {
		t.Errorf("%s", got)
	}
	if diff := e.asked[0].ToolCall.Content[0].Diff; diff == nil || !strings.Contains(*diff.OldText, "unsaved two") {
		t.Errorf("%+v", e.asked[0].ToolCall.Content)
	}
}

// A file whose text in the editor is that on the disk, but for line ends, is written to the
// disk alone.
func TestSavedBuffers(t *testing.T) {
	all := map[string]string{}
	for name, text := range writing {
		all[name] = text
	}
	all["notes/a.md"] = "one\r\ntwo\r\nthree\r\n"
	dir := files(t, all)
	e := newEditor(t, dir, "")
	note := filepath.Join(dir, "notes", "a.md")
	e.buffers[note] = "one\ntwo\nthree\n"
	s := e.begin(dir)
	e.say(s.SessionId, "go")
	if data, _ := os.ReadFile(note); string(data) != "one\r\nTWO\r\nthree\r\n" || len(e.wrote) != 0 {
		t.Errorf("%q %q", data, e.wrote)
	}
}

// What the person types while a question is open ends the call: its yes was for another text.
func TestBufferChangesDuringAQuestion(t *testing.T) {
	dir := files(t, writing)
	e := newEditor(t, dir, "")
	note := filepath.Join(dir, "notes", "a.md")
	e.buffers[note] = "one\nunsaved two\nthree\n"
	yes := e.answer
	e.answer = func(r permission) (permitted, error) {
		e.mu.Lock()
		e.buffers[note] = "one\nmore two\nthree\n"
		e.mu.Unlock()
		return yes(r)
	}
	s := e.begin(dir)
	e.say(s.SessionId, "go")
	if data, _ := os.ReadFile(note); string(data) != writing["notes/a.md"] || len(e.wrote) != 0 {
		t.Errorf("%q %q", data, e.wrote)
	}
	if got := e.seen(s.SessionId); !strings.Contains(got, "changed while the call waited for approval") {
		t.Errorf("%s", got)
	}
}

// The client is asked about no file that a worker does not see, that a link leads to, or that
// may be swapped by a command that runs.
func TestTheClientReadsOnlyWhatAWorkerSees(t *testing.T) {
	outside := files(t, map[string]string{"secret.txt": "secret\n"})
	dir := files(t, map[string]string{
		"project.yaml": "name: p\nsandbox:\n  paths: {src: {root: src, mode: rw}}\n", "src/a.txt": "a\n", "src/.env": "KEY=x\n", "other.txt": "other\n",
		"main.worker": "---\nmode: chat\nmodel: script:s.yaml\ntoolsets: {filesystem: {}, shell: {}}\n---\nRead.\n",
		"s.yaml": "script: 1\nworkers:\n  main:\n    - calls: [{tool: read_file, args: {path: /src/link.txt}}, {tool: read_file, args: {path: /src/.env}}, {tool: read_file, args: {path: /other.txt}}, " +
			"{tool: read_file, args: {path: /src/../../x}}, {tool: read_file, args: {path: /src/in.txt}}, {tool: read_file, args: {path: /src/a.txt}}]\n" +
			"    - calls: [{tool: start_command, args: {command: sleep 60}}]\n    - calls: [{tool: read_file, args: {path: /src/a.txt}}]\n    - say: ended\n",
	})
	for link, to := range map[string]string{"link.txt": filepath.Join(outside, "secret.txt"), "in.txt": "a.txt"} {
		if err := os.Symlink(to, filepath.Join(dir, "src", link)); err != nil {
			t.Fatal(err)
		}
	}
	e := newEditor(t, dir, "")
	s := e.begin(dir)
	e.say(s.SessionId, "go")
	if got := strings.Join(e.methods, ", "); got != "read "+filepath.Join(dir, "src", "a.txt") {
		t.Errorf("%s\n%s", got, e.seen(s.SessionId))
	}
}
