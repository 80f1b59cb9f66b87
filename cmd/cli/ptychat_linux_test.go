package main

import (
	"strings"
	"testing"
)

// Scenario 19 on a terminal: the reason reaches the model; v shows what was folded.
func TestTerminalReasonAndView(t *testing.T) {
	long := strings.Repeat("line\\n", 60) + "the very last line"
	dir := ptyProject(t, map[string]string{
		"script.yaml": "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /out/a.txt, content: \"" + long + "\"}}]\n    - when: {error: E_DENIED, tool: write_file, match: \"said no: (.*?)[\\\"}]\"}\n      say: \"because $1\"\n    - say: it is written\n",
	})
	r := startPTY(t, dir, nil, false, ".", "go", "--plain", "--model", "script:script.yaml")
	r.expect(question)
	if !strings.Contains(r.text(), "more lines not shown; v shows all") {
		t.Errorf("nothing is folded:\n%s", r.text())
	}
	r.typeKeys("y\n")
	r.expect("A yes counts after all of it was shown.")
	for page := 1; page <= 3; page++ {
		r.expectTimes("more lines. Enter: the next page, n: no: ", page)
		r.typeKeys("y\n")
	}
	r.expectTimes(question, 2) // what is typed before a question is discarded
	if !strings.Contains(r.text(), "the very last line") {
		t.Errorf("v does not show all:\n%s", r.text())
	}
	r.typeKeys("n wrong place\n")
	r.exit(0)
	if !strings.Contains(r.text(), "because wrong place") {
		t.Error(r.text())
	}
}

// Scenario 31 on a terminal: a prompt, streamed answers, /exit.
func TestTerminalChat(t *testing.T) {
	dir := ptyProject(t, map[string]string{
		"main.worker": "---\nmode: chat\n---\nTalk.\n",
		"script.yaml": "script: 1\nworkers:\n  main:\n    - say: first answer\n    - say: second answer\n",
	})
	r := startPTY(t, dir, nil, false, "chat", ".", "--plain", "--model", "script:script.yaml")
	r.expect("Chat with main (script:script.yaml). /help lists the commands, /exit ends the chat.")
	r.expect("> ")
	r.typeKeys("one\n")
	r.expect("Golem: first answer")
	r.typeKeys("two\n")
	r.expect("Golem: second answer")
	r.typeKeys("/exit\n")
	r.exit(0)
	if text := r.text(); !strings.Contains(text, "To go on with it:") || !strings.Contains(text, "golem chat . --model script:script.yaml --resume ") {
		t.Errorf("how to go on:\n%s", text)
	}
	if strings.Contains(r.text(), "You:") {
		t.Errorf("what was typed is repeated:\n%s", r.text())
	}
}

// Ctrl+C during an exchange of a chat ends only the exchange, and the conversation is
// kept as it was.
func TestTerminalInterruptEndsAnExchange(t *testing.T) {
	dir := ptyProject(t, map[string]string{
		"script.yaml": "script: 1\nworkers:\n  main:\n    - when: {text: slow}\n      hang: true\n    - say: first answer\n    - say: second answer\n",
	})
	r := startPTY(t, dir, nil, false, "chat", ".", "--plain", "--model", "script:script.yaml")
	r.expect("> ")
	r.typeKeys("one\n")
	r.expectTimes("> ", 2)
	before := strings.Count(r.text(), "waiting for") // in the first exchange
	r.typeKeys("slow\n")
	r.expectTimes("waiting for", before+1)
	r.typeKeys("\x03")
	r.expect("the conversation goes on with your next message")
	r.expectTimes("> ", 3)
	r.typeKeys("two\n")
	r.expect("Golem: second answer")
	r.typeKeys("/exit\n")
	r.exit(0)
}

// Ctrl+C at the prompt of a chat ends it: 130. That is no error of anything.
func TestTerminalInterruptAtThePrompt(t *testing.T) {
	dir := ptyProject(t, map[string]string{"script.yaml": "script: 1\nworkers:\n  main:\n    - say: first answer\n"})
	r := startPTY(t, dir, nil, false, "chat", "--plain", "--model", "script:script.yaml")
	r.expect("> ")
	r.typeKeys("one\n")
	r.expectTimes("> ", 2)
	r.typeKeys("\x03")
	r.exit(130)
	if text := r.text(); strings.Contains(text, "E_INTERRUPTED") || strings.Contains(text, "is ending") || !strings.Contains(text, "To go on with it:") {
		t.Error(text)
	}
}

// Model text on a terminal carries no control characters, wherever it is shown.
func TestTerminalIsSparedControlCharacters(t *testing.T) {
	t.Setenv("TERM", "vt100")
	for _, flags := range [][]string{{}, {"--plain"}, {"--quiet"}, {"--verbose"}} {
		dir := ptyProject(t, map[string]string{"script.yaml": "script: 1\nworkers:\n  main:\n    - say: \"a\\u001b]0;evil\\u0007b\\u202ec\"\n"})
		r := startPTY(t, dir, nil, false, append([]string{".", "go", "--model", "script:script.yaml"}, flags...)...)
		r.exit(0)
		if strings.ContainsAny(r.text(), "\x1b\x07\u202e") || strings.Count(r.glass().text(), "evil") != 1 {
			t.Errorf("%v: %q", flags, r.text())
		}
	}
}

// A terminal is coloured unless NO_COLOR or --no-color is given.
func TestTerminalColours(t *testing.T) {
	for _, c := range []struct {
		noColor, term string
		flags         []string
		want          bool
	}{
		{"", "xterm", nil, true}, {"1", "xterm", nil, false}, {"", "dumb", nil, false}, {"", "xterm", []string{"--no-color"}, false},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		r := startPTY(t, ptyProject(t, nil), nil, false, append([]string{".", "go", "--plain", "--model", "script:script.yaml"}, c.flags...)...)
		r.expect(question)
		r.typeKeys("y\n")
		r.exit(0)
		if r.coloured() != c.want {
			t.Errorf("%+v: coloured %v", c, !c.want)
		}
	}
}

// On a terminal, lines are broken between words: reports, tables and errors.
func TestTerminalBreaksLinesBetweenWords(t *testing.T) {
	dir := ptyProject(t, map[string]string{
		"main.worker":                        "---\ndescription: It says something at length, so that its line in the list of workers is wider than the terminal is\ntoolsets:\n  workers: {allowed_workers: [sumarizer_of_texts]}\n---\nTalk.\n",
		"workers/summarizer_of_texts.worker": "---\ndescription: It also says something at length, so that its line in the list of workers is wider than the terminal is\n---\nTalk.\n",
	})
	for _, args := range [][]string{{"check", "."}, {"workers", "."}, {"workers", ".", "--tree"}, {"run", "nothing_of_this_name_in_the_directory", "hello"}, {"init", "."}} {
		r := startPTY(t, dir, nil, false, args...)
		r.cmd.Wait()
		<-r.done
		if len(r.text()) < 30 {
			t.Errorf("golem %v said only %q", args, r.text())
		}
		for _, line := range r.lines() {
			if len([]rune(line)) > 100 && strings.Contains(strings.TrimLeft(line, " ")[:100], " ") {
				t.Errorf("golem %v: a line is wider than the terminal: %s", args, line)
			}
		}
	}
}
