package docs_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golem/cmd/cli/ptytest"
)

// screenColumns and screenRows are so many that no line is broken and none leaves the screen.
// golem breaks its own texts at the 100 columns of ptytest.
const screenColumns, screenRows = 600, 200

// excerpt is a line of a block in a page. It says that the page leaves out lines there.
const excerpt = "…"

// varying are the parts of what golem prints that each run has new, and what the pages show.
var varying = []struct {
	found *regexp.Regexp
	shown string
}{
	{regexp.MustCompile(`20\d{6}-\d{6}-[0-9a-f]{8}`), "20260102-030405-0a1b2c3d"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d \d\d:\d\d`), "2026-01-02 03:04"},
	{regexp.MustCompile(`done in \d+(\.\d+)? s`), "done in 0 s"},
	{regexp.MustCompile(`\b\d+(\.\d+)?m?s\b`), "3ms"},
	{regexp.MustCompile(`"ms":\d+`), `"ms":3`},
	{regexp.MustCompile(`\b([a-z]+)-[0-9a-f]{10}\b`), "$1-0a1b2c3d4e"}, // the id of a batch, which has the path in it
}

// onTerminal runs commands in bash on a terminal, as if a person had pasted them in dir, and
// returns the lines that are on the screen after them. The first command that fails ends them.
func onTerminal(t *testing.T, dir, commands string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // for a question that nobody answers
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-eu", "-c", commands)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + filepath.Join(dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + filepath.Join(dir, "home"), "NO_COLOR=1", "TERM=xterm-256color",
	}
	master, slave := ptytest.Open(t)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	written := make(chan string)
	go func() {
		out, _ := io.ReadAll(master) // it ends with an error, because the terminal is closed
		written <- string(out)
	}()
	err := cmd.Wait()
	out := <-written
	master.Close()
	out = strings.ReplaceAll(out, dir, "/home/ada")
	for _, v := range varying {
		out = v.found.ReplaceAllString(out, v.shown)
	}
	screen := screenOf(t, out)
	if err != nil {
		t.Fatalf("%v in\n%s\n%s", err, commands, screen)
	}
	return screen
}

// screenOf returns the lines that a terminal shows after it got out, without spaces at their
// ends.
func screenOf(t *testing.T, out string) string {
	t.Helper()
	e := ptytest.Screen(t, out, screenColumns, screenRows)
	var all strings.Builder
	for y := range screenRows {
		var line strings.Builder
		for x := range screenColumns {
			if cell := e.CellAt(x, y); cell != nil && cell.Content != "" {
				line.WriteString(cell.Content)
			}
		}
		all.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return strings.TrimRight(all.String(), "\n") + "\n"
}

// sameScreen tests that shown, a block of a page, is the whole of what the commands before it
// print. A line … stands for one or more lines that the page leaves out. GOLEM_UPDATE=1 writes a
// block without such a line into the page.
func sameScreen(t *testing.T, name, shown, printed string) {
	t.Helper()
	if matches(strings.Split(shown, "\n"), strings.Split(printed, "\n")) {
		return
	}
	text, old := page(t, name), "```text\n"+shown+"```\n"
	if os.Getenv("GOLEM_UPDATE") == "" || strings.Contains("\n"+shown, "\n"+excerpt+"\n") || strings.Count(text, old) != 1 {
		t.Errorf("%s shows\n%s\nthe commands print\n%s\nGOLEM_UPDATE=1 go test ./docs writes the block, unless it has a line …, which stands for lines that the page leaves out, or the page has it twice: then change it by hand", name, shown, printed)
		return
	}
	if err := os.WriteFile(name, []byte(strings.Replace(text, old, "```text\n"+printed+"```\n", 1)), 0o644); err != nil {
		t.Error(err)
	}
}

// matches reports whether lines are those of a page, in which a line … stands for one or more.
func matches(shown, lines []string) bool {
	switch {
	case len(shown) == 0:
		return len(lines) == 0
	case len(lines) == 0:
		return false
	case shown[0] == excerpt:
		return matches(shown[1:], lines[1:]) || matches(shown, lines[1:])
	}
	return shown[0] == lines[0] && matches(shown[1:], lines[1:])
}

// A block of a page with a line too few or too many differs from the screen, unless it says …
func TestScreensAreWhole(t *testing.T) {
	printed := screenOf(t, "one\r\n\x1b[2Kwaiting\r\x1b[Ktwo  \r\nthree\r\n")
	for shown, same := range map[string]bool{
		"one\ntwo\nthree\n": true, "one\n…\n": true, "…\nthree\n": true, "one\n…\nthree\n": true,
		"two\n": false, "one\ntwo\n": false, "two\nthree\n": false, "one\ntwo\n…\nthree\n": false,
		"one\ntwo\nthree\n…\n": false, "one\nwaiting\ntwo\nthree\n": false, "": false,
	} {
		if matches(strings.Split(shown, "\n"), strings.Split(printed, "\n")) != same {
			t.Errorf("the page shows %q, the terminal %q", shown, printed)
		}
	}
}

// TestBlocksAreCopiedFromTheTerminal tests that the commands which golem docs shows on a terminal
// run when a person copies them from there: a heredoc that is moved to the right has no end.
func TestBlocksAreCopiedFromTheTerminal(t *testing.T) {
	blocks := block.FindAllStringSubmatch(page(t, "start.md"), -1)
	screen := onTerminal(t, checkout(t), "golem docs start")
	for _, b := range blocks {
		if !strings.Contains(screen, "\n\n"+b[2]+"\n") {
			t.Errorf("golem docs start does not show this block of docs/start.md as the page has it, so that it cannot be copied (no line may be longer than the terminal, or indented):\n%s\nIt shows\n%s", b[2], screen)
			return
		}
	}
	if len(blocks) < 6 {
		t.Errorf("only %d blocks", len(blocks))
	}
}
