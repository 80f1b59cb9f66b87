package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// screenProject makes a project whose worker answers, and writes or hangs on request.
func screenProject(t *testing.T) string {
	return ptyProject(t, map[string]string{"script.yaml": `script: 1
workers:
  main:
    - when: {text: slow}
      hang: true
    - when: {text: write}
      calls: [{tool: write_file, args: {path: /out/a.txt, content: hello}}]
    - when: {tool: write_file}
      say: it is written
    - when: {match: '(?s)(.*)'}
      say: "you said **$1**"
`, "project.yaml": "model: script:script.yaml\n"})
}

// Scenario 31 on the full screen: golem without arguments in a project; an answer; a
// question with the scope of each answer; Ctrl+C ends the exchange and the chat goes
// on; /exit leaves; after the screen golem prints how to go on.
func TestScreenChat(t *testing.T) {
	t.Setenv("TERM", "vt100")
	t.Setenv("NO_COLOR", "1")
	r := startPTY(t, screenProject(t), nil, false)
	r.sees("/help lists the commands")
	r.typeKeys("hello\r")
	r.sees("  you said **hello**")
	r.typeKeys("write\r")
	r.sees("other answers… [t] [s] [a] [r] [d]")
	if r.written() {
		t.Error("written before the answer")
	}
	r.typeKeys("yes")
	r.sees("> yes")
	r.takes("\t")
	r.press("a")
	r.sees("> [a] yes, and yes to every call of write_file in this session, whatever its arguments")
	r.press("\x7f")
	r.sees("> [n] no, this once") // two keys at once count as pasted
	r.press("y")
	r.sees("> [y]")
	r.press("\r")
	r.sees("  it is written")
	r.typeKeys("\x15")
	if !r.written() || !r.glass().second {
		t.Errorf("written %v; screen:\n%s", r.written(), r.glass().text())
	}
	r.typeKeys("slow\r")
	r.sees("waiting for script:script.yaml")
	r.typeKeys("\x03")
	r.sees("the conversation goes on with your next message")
	r.typeKeys("again\r")
	r.sees("  you said **again**")
	r.typeKeys("/exit\r")
	r.exit(0)
	if g := r.glass(); g.second || !regexp.MustCompile(`Conversation (\S+)\. To go on with it:\n  golem chat \. --resume \d+-\d+-\S+\n`).MatchString(g.text()) {
		t.Errorf("behind the screen:\n%s", g.text())
	}
}

// A conversation that goes on is on the screen again, as it was.
func TestScreenResumed(t *testing.T) {
	t.Setenv("TERM", "vt100")
	t.Setenv("NO_COLOR", "1")
	dir := screenProject(t)
	r := startPTY(t, dir, nil, false)
	r.sees("/help lists the commands")
	r.typeKeys("hello\r")
	r.sees("  you said **hello**")
	r.typeKeys("/exit\r")
	r.exit(0)
	r = startPTY(t, dir, nil, false, "chat", "--resume")
	r.sees("> hello")
	r.sees("  you said **hello**")
	r.typeKeys("/exit\r")
	r.exit(0)
}

// A message that is edited makes a branch in its place, and the keys lead to the other form
// and back.
func TestScreenBranches(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	r := startPTY(t, screenProject(t), nil, false)
	r.sees("/help lists the commands")
	r.typeKeys("hello\r")
	r.sees("  you said **hello**")
	r.typeKeys("\x1b[1;3A")
	r.sees("message 1 of 1: e edit")
	r.typeKeys("e")
	r.sees("back before your message 1")
	r.typeKeys(" you\r")
	r.sees("  you said **hello you**")
	r.sees("‹2/2›")
	r.typeKeys("\x1b[1;3A")
	r.sees("← → other forms")
	r.typeKeys("\x1b[D")
	r.sees("‹1/2›")
	r.typeKeys("\x1b[C")
	r.sees("‹2/2›")
	r.typeKeys("\t/exit\r")
	r.exit(0)
}

// The views over a chat: the trace, the form of a tool, and what the run changed, put
// back with /undo.
func TestScreenViews(t *testing.T) {
	t.Setenv("TERM", "vt100")
	t.Setenv("NO_COLOR", "1")
	r := startPTY(t, screenProject(t), nil, false)
	r.sees("/help lists the commands")
	r.typeKeys("write\r")
	r.sees("Tab: answer this. Other keys write your message.")
	r.takes("\t")
	r.press("y")
	r.sees("  it is written")
	r.typeKeys("/trace\r")
	r.sees("q leave")
	r.typeKeys("q")
	r.sees("  it is written")
	r.typeKeys("/tool write_file\r")
	r.sees("content (text)")
	r.typeKeys("\t")
	r.sees("✗ is needed")
	r.typeKeys("\x03")
	r.sees("the tool was not called")
	r.typeKeys("/undo\r")
	r.sees("-hello")
	r.typeKeys("u")
	r.sees("Really put back what run ")
	time.Sleep(600 * time.Millisecond) // a yes at once would count as typed text
	r.typeKeys("y")
	r.sees("[u] redo")
	if r.written() {
		t.Error("the file is still there")
	}
	r.typeKeys("\x03")
	r.sees("undone: run ")
	r.typeKeys("/exit\r")
	r.exit(0)
}

// SPEC §3 on a terminal: chat, run and golem trust ask about trust in a dialog that
// shows each setting completely. A no holds for one chat, a yes also for the next run.
func TestScreenTrust(t *testing.T) {
	t.Setenv("TERM", "vt100")
	t.Setenv("NO_COLOR", "1")
	dir := ptyProject(t, map[string]string{
		"main.worker":  "---\nmodel_settings: {extra: {logit_bias: {}}}\n---\nHi.\n",
		"script.yaml":  "script: 1\nworkers: {main: [{say: hi}]}\n",
		"project.yaml": "model: script:script.yaml\n",
	})
	r := startPTY(t, dir, nil, false, "chat", ".")
	r.sees("model_settings.extra")
	r.sees("> [n] no: nothing of this is used in this run, and what needs it fails")
	r.takes("\t")
	r.press("\r")
	r.sees("/help lists the commands")
	r.typeKeys("go\r")
	r.sees("is not used: nobody trusted it")
	r.typeKeys("/exit\r")
	r.exit(1)
	r = startPTY(t, dir, nil, false, "trust", ".")
	r.sees("── Trust ──")
	r.sees("[y] yes, to all of this, now and in later runs of this project")
	r.typeKeys("x")
	r.sees("What you type answers nothing")
	r.takes("\x1b")
	r.press("y")
	r.sees("> [y]")
	r.press("\r")
	r.sees("trusted: 1 setting")
	r.exit(0)
	if strings.Contains(r.glass().text(), "Trust") {
		t.Errorf("the dialog stays:\n%s", r.glass().text())
	}
	r = startPTY(t, dir, nil, false, ".", "go")
	r.exit(0)
	r.sees("  hi")
}

// Ctrl+C twice at the prompt leaves: 130.
func TestScreenInterruptTwiceLeaves(t *testing.T) {
	t.Setenv("TERM", "vt100")
	r := startPTY(t, screenProject(t), nil, false, "chat", ".")
	r.sees("/help lists the commands")
	r.typeKeys("\x03")
	r.sees("Ctrl+C again leaves the chat")
	r.typeKeys("\x03")
	r.exit(130)
}

// A terminal that goes away ends the chat, and the conversation is kept. A question
// that nobody can answer any more counts as no.
func TestScreenHangsUp(t *testing.T) {
	for name, ask := range map[string]string{"idle": "", "running": "slow\r", "asking": "write\r", "under nohup": ""} {
		t.Run(name, func(t *testing.T) {
			if name == "under nohup" { // no signal tells of it
				signal.Ignore(syscall.SIGHUP)
				defer signal.Reset(syscall.SIGHUP)
			}
			t.Setenv("TERM", "vt100")
			dir := screenProject(t)
			r := startPTY(t, dir, nil, false, "chat", ".")
			r.sees("/help lists the commands")
			r.typeKeys("hello\r")
			r.sees("you said")
			if ask != "" {
				r.typeKeys(ask)
				r.sees(map[string]string{"running": "waiting for", "asking": "[y] yes"}[name])
			}
			r.master.Close()
			stop := time.AfterFunc(patience, func() { r.cmd.Process.Kill() })
			defer stop.Stop()
			r.cmd.Wait()
			kept, _ := filepath.Glob(filepath.Join(dir, ".golem", "conversations", "*"))
			runs, _ := filepath.Glob(filepath.Join(dir, ".golem", "runs", "*.jsonl"))
			if r.written() || r.cmd.ProcessState.ExitCode() != 130 || len(kept) == 0 || len(runs) != 1 {
				t.Fatalf("written %v, exit %d, kept %v, runs %v", r.written(), r.cmd.ProcessState.ExitCode(), kept, runs)
			}
			data, _ := os.ReadFile(runs[0])
			if !strings.Contains(string(data), `"type":"run.end"`) {
				t.Errorf("the trace has no end:\n%s", data)
			}
		})
	}
}
