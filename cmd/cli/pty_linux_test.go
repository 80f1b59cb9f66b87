package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golem/cmd/cli/ptytest"
)

// ptyRun is golem on a terminal of its own.
type ptyRun struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd
	dir    string
	stdout *bytes.Buffer // if standard output is not the terminal

	mu     sync.Mutex
	screen bytes.Buffer
	done   chan struct{}
}

// ptyProject writes a project whose worker writes a file, and its script.
func ptyProject(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"main.worker": "---\ntoolsets:\n  filesystem: {}\nsandbox:\n  paths:\n    out: {root: ./out, mode: rw}\n---\nWrite it.\n",
		"script.yaml": "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /out/a.txt, content: hello}}]\n    - when: {error: E_DENIED}\n      say: it was denied\n    - say: it is written\n",
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// startPTY starts golem in dir. Streams that are nil are the terminal.
func startPTY(t *testing.T, dir string, in io.Reader, piped bool, args ...string) *ptyRun {
	t.Helper()
	if !piped {
		return startPTYTo(t, dir, in, nil, args...)
	}
	out := new(bytes.Buffer)
	r := startPTYTo(t, dir, in, out, args...)
	r.stdout = out
	return r
}

// startPTYTo is startPTY with a standard output of its own.
func startPTYTo(t *testing.T, dir string, in io.Reader, out io.Writer, args ...string) *ptyRun {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	master, slave := ptytest.Open(t)
	r := &ptyRun{t: t, master: master, dir: dir, done: make(chan struct{})}
	r.cmd = exec.Command(exe, args...)
	r.cmd.Dir = dir
	r.cmd.Env = append(os.Environ(), asGolem+"=1", "GOLEM_HOME="+homeOf(dir))
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = slave, slave, slave
	if in != nil {
		r.cmd.Stdin = in
	}
	if out != nil {
		r.cmd.Stdout = out
	}
	r.cmd.ExtraFiles = []*os.File{slave}
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	go func() {
		defer close(r.done)
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			r.mu.Lock()
			r.screen.Write(buf[:n])
			r.mu.Unlock()
			if err != nil { // EIO: nobody has the terminal open any more
				return
			}
		}
	}()
	t.Cleanup(func() {
		r.cmd.Process.Kill()
		master.Close()
		<-r.done
	})
	return r
}

func (r *ptyRun) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return escapes.ReplaceAllString(strings.ReplaceAll(r.screen.String(), "\r\n", "\n"), "")
}

// escapes matches colours, and the sequences with which the status line and the tree of
// a slow run are erased and drawn again.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[mKJA]|\r")

// lines returns the lines of text, without the status lines that a slow golem erased.
func (r *ptyRun) lines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	stays := erased.ReplaceAllString(strings.ReplaceAll(r.screen.String(), "\r\n", "\n"), "")
	return strings.Split(escapes.ReplaceAllString(stays, ""), "\n")
}

var erased = regexp.MustCompile("[^\n]*\r\x1b\\[K")

func (r *ptyRun) coloured() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return regexp.MustCompile("\x1b\\[[0-9;]+m").Match(r.screen.Bytes())
}

// expect waits until the screen holds text.
func (r *ptyRun) expect(text string) { r.t.Helper(); r.expectTimes(text, 1) }

func (r *ptyRun) expectTimes(text string, n int) {
	r.t.Helper()
	if !waitFor(func() bool {
		return strings.Count(r.text(), text) >= n || n == 1 && strings.Contains(r.glass().text(), text) // it may come in pieces
	}) {
		r.t.Fatalf("no %q on the screen:\n%s", text, r.text())
	}
}

func (r *ptyRun) typeKeys(s string) {
	r.t.Helper()
	if _, err := io.WriteString(r.master, s); err != nil {
		r.t.Fatal(err)
	}
}

// exit waits for the end and checks the exit code.
func (r *ptyRun) exit(want int) {
	r.t.Helper()
	stop := time.AfterFunc(patience, func() { r.cmd.Process.Kill() })
	defer stop.Stop()
	err := r.cmd.Wait()
	<-r.done
	if got := r.cmd.ProcessState.ExitCode(); got != want {
		r.t.Fatalf("exit code %d (%v), want %d; screen:\n%s", got, err, want, r.text())
	}
}

func (r *ptyRun) written() bool {
	_, err := os.Stat(filepath.Join(r.dir, "out", "a.txt"))
	return err == nil
}

const question = "[y]es / [n]o / this session: [s]ame call, [a]ll write_file calls, [d]eny; in this project: [r]ule: "

// The question has the words of S4 §3, and a yes runs the call; the answer is on the
// screen once.
func TestTerminalAsksAndYesRuns(t *testing.T) {
	r := startPTY(t, ptyProject(t, nil), nil, false, ".", "go", "--plain", "--model", "script:script.yaml")
	r.expect(question)
	r.typeKeys("y\n")
	r.exit(0)
	for _, want := range []string{"[Approval Required] write_file /out/a.txt — new file, 1 line\n", "Risk: medium\n", "Why asked: it changes a file\n", "Worker: main\n", "  │ hello\n", "Golem: "} {
		if !strings.Contains(r.text(), want) {
			t.Errorf("no %q in\n%s", want, r.text())
		}
	}
	if n := strings.Count(r.glass().text(), "it is written"); n != 1 {
		t.Errorf("the answer is there %d times:\n%s", n, r.text())
	}
	if !r.written() {
		t.Error("nothing was written")
	}
}

// SECURITY 9: the default is no; the end of input is no.
func TestTerminalDefaultIsNo(t *testing.T) {
	for name, keys := range map[string][]string{"empty": {"\n"}, "no": {"n\n"}, "end of input": {"\x04"}, "gibberish": {"yess\n", "ok\n", "y y\n"}} {
		t.Run(name, func(t *testing.T) {
			r := startPTY(t, ptyProject(t, nil), nil, false, ".", "go", "--plain", "--model", "script:script.yaml")
			for i, k := range keys {
				r.expectTimes(question, i+1)
				r.typeKeys(k)
			}
			r.exit(0)
			if r.written() || !strings.Contains(r.text(), "it was denied") {
				t.Errorf("written %v:\n%s", r.written(), r.text())
			}
		})
	}
}

// SECURITY 9: what is typed before the question is discarded, complete lines and
// partial ones.
func TestTerminalFlushesTypeAhead(t *testing.T) {
	typed := make(chan struct{}) // the model answers when all is typed
	answers := make(chan string, 2)
	answers <- `{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"write_file","arguments":"{\"path\":\"/out/a.txt\",\"content\":\"hello\"}"}}]},"finish_reason":"tool_calls"`
	answers <- `{"content":"so be it"},"finish_reason":"stop"`
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-typed
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":`+<-answers+"}]}\n\ndata: [DONE]\n\n")
	}))
	defer endpoint.Close()
	t.Setenv("OLLAMA_BASE_URL", endpoint.URL)
	r := startPTY(t, ptyProject(t, nil), nil, false, ".", "go", "--plain", "--model", "ollama:x")
	r.expect("You: go")
	r.typeKeys("y\ny\nye")
	r.expect("y\ny\nye") // the terminal has it
	close(typed)
	r.expect(question)
	time.Sleep(150 * time.Millisecond) // long enough for a line that was not flushed to be read
	if r.written() || strings.Contains(r.text(), "it is written") {
		t.Fatalf("type-ahead answered the question:\n%s", r.text())
	}
	r.typeKeys("y\n") // the end of the line that began before the question
	r.expect("You had begun that line before the question came, so it is not an answer.")
	r.expectTimes(question, 2)
	r.typeKeys("\n")
	r.exit(0)
	if r.written() {
		t.Errorf("half a line typed ahead became part of the answer:\n%s", r.text())
	}
}

// SPEC §11: while the root's model works, a terminal shows a status line that moves,
// and removes it when the answer comes; --json shows none.
func TestTerminalShowsWhatItWaitsFor(t *testing.T) {
	answered := make(chan struct{})
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-answered
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"so be it"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer endpoint.Close()
	t.Setenv("OLLAMA_BASE_URL", endpoint.URL)
	r := startPTY(t, ptyProject(t, nil), nil, false, ".", "go", "--plain", "--model", "ollama:x")
	frames := regexp.MustCompile(`waiting for ollama:x \d+ s`)
	if !waitFor(func() bool { return len(frames.FindAllString(r.text(), 2)) == 2 }) { // it moves; a slow machine may skip seconds
		t.Fatalf("nothing moves:\n%s", r.text())
	}
	close(answered)
	r.exit(0)
	if !strings.HasSuffix(strings.TrimSpace(r.glass().text()), "Golem: so be it") {
		t.Errorf("%q", r.glass().text())
	}
	r = startPTY(t, ptyProject(t, nil), nil, false, ".", "go", "--model", "ollama:x", "--json")
	r.exit(0)
	if strings.Contains(r.text(), "waiting for") {
		t.Error(r.text())
	}
}

// SPEC §7: the question goes to the controlling terminal although standard
// input is a pipe; SPEC §12: standard output holds the answer alone.
func TestTerminalIsAskedWithPipedStreams(t *testing.T) {
	r := startPTY(t, ptyProject(t, nil), strings.NewReader("y\ny\ny\n"), true, ".", "--plain", "--model", "script:script.yaml")
	r.expect(question)
	time.Sleep(100 * time.Millisecond) // the pipe is full of yes, which answers nothing
	if r.written() {
		t.Fatal("the pipe answered the question")
	}
	r.typeKeys("y\n")
	r.exit(0)
	if got := r.stdout.String(); got != "it is written\n" {
		t.Errorf("standard output: %q", got)
	}
	if strings.Contains(r.text(), "it is written") {
		t.Errorf("the answer is in the view as well:\n%s", r.text())
	}
}

// --headless never asks, even on a terminal: exit 3 and a warning up front.
func TestTerminalHeadlessNeverAsks(t *testing.T) {
	r := startPTY(t, ptyProject(t, nil), nil, false, ".", "go", "--model", "script:script.yaml", "--headless")
	r.exit(3)
	if strings.Contains(r.text(), "[y]es") || !strings.Contains(r.text(), "cannot ask questions here (--headless)") || r.written() {
		t.Error(r.text())
	}
}

// SECURITY 9: a terminal that goes away counts as no.
func TestTerminalThatHangsUpIsADenial(t *testing.T) {
	r := startPTY(t, ptyProject(t, nil), nil, false, ".", "go", "--plain", "--model", "script:script.yaml", "--trace", "t.jsonl")
	r.expect(question)
	r.master.Close()
	r.cmd.Wait()
	if r.written() {
		t.Error("the call ran")
	}
	data, err := os.ReadFile(filepath.Join(r.dir, "t.jsonl"))
	if err != nil || !strings.Contains(string(data), `"type":"run.end"`) || !strings.Contains(string(data), `"decision":"deny"`) {
		t.Errorf("the trace is not complete: %v\n%s", err, data)
	}
}

// Ctrl+C at the question ends the run: 130, nothing written.
func TestTerminalInterruptAtTheQuestion(t *testing.T) {
	r := startPTY(t, ptyProject(t, nil), nil, false, ".", "go", "--plain", "--model", "script:script.yaml", "--trace", "t.jsonl")
	r.expect(question)
	r.typeKeys("\x03")
	r.exit(130)
	data, _ := os.ReadFile(filepath.Join(r.dir, "t.jsonl"))
	if r.written() || !strings.Contains(string(data), `"status":"interrupted"`) {
		t.Errorf("written %v\n%s", r.written(), data)
	}
}

// Scenario 59: r shows the exact rule and asks; a no goes back to the question; a yes
// saves it in the person's own config. The next run does not ask.
func TestTerminalKeepsARule(t *testing.T) {
	dir := ptyProject(t, nil)
	const sure, rule = "Save this rule and run the call? [y]es / [n]o: ", `{tool: write_file, when: {path: "/out/**"}, decide: preApproved}`
	r := startPTY(t, dir, nil, false, ".", "go", "--plain", "--model", "script:script.yaml")
	r.expect(question)
	r.typeKeys("r\n")
	r.expect(sure)
	r.typeKeys("n\n")
	r.expectTimes(question, 2)
	if _, err := os.Stat(filepath.Join(homeOf(dir), "config.yaml")); err == nil || r.written() {
		t.Error("a rule was saved, or the call ran, after no")
	}
	r.typeKeys("r\n")
	r.expectTimes(sure, 2)
	r.typeKeys("y\n")
	r.exit(0)
	config, err := os.ReadFile(filepath.Join(homeOf(dir), "config.yaml"))
	if err != nil || !strings.Contains(string(config), "        - "+rule+"\n") || !strings.Contains(r.text(), "- "+rule) || !r.written() {
		t.Errorf("config %s, %v; screen:\n%s", config, err, r.text())
	}
	os.RemoveAll(filepath.Join(dir, "out"))
	again := startPTY(t, dir, nil, false, ".", "go", "--plain", "--model", "script:script.yaml")
	again.exit(0)
	if !again.written() || strings.Contains(again.text(), "[Approval Required]") {
		t.Errorf("the next run asks:\n%s", again.text())
	}
}
