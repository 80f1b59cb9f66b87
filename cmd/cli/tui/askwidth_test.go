package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"golem/core/approval"
	"golem/core/tool"
	"golem/core/ui"
)

// columnsOf returns the most columns that a terminal may need for a line: some
// terminals measure each character, some measure glyphs of several characters.
func columnsOf(s string) int { return max(ansi.StringWidth(s), ansi.StringWidthWc(s)) }

// printables returns all characters that a question shows unescaped.
func printables() (out []rune) {
	for r := rune(0x20); r <= unicode.MaxRune; r++ {
		if _, escaped := approval.Visible(string(r)); !escaped {
			out = append(out, r)
		}
	}
	return out
}

// edges returns the characters at which the width changes, their neighbours, and every
// 997th of the others.
func edges() (out []rune) {
	all := printables()
	for i, r := range all {
		if i%997 == 0 || i > 0 && columnsOf(string(r)) != columnsOf(string(all[i-1])) || i < len(all)-1 && columnsOf(string(r)) != columnsOf(string(all[i+1])) {
			out = append(out, r)
		}
	}
	return out
}

func callOf(name, kind string, args map[string]any) approval.Request {
	raw, _ := json.Marshal(args)
	return approval.Request{ID: "q-1", Kind: approval.KindTool, Type: kind, Tool: name, Risk: "high", Why: "it changes something", WorkerPath: []string{"main"}, Args: raw, Answers: []approval.Answer{approval.Yes, approval.No}}
}

// silent is a person who asks to see all of a question (v), and then gives no answer.
type silent struct {
	bytes.Buffer
	asked int
}

func (s *silent) Ask(context.Context, string) (string, error) {
	if s.asked++; s.asked == 1 {
		return "v", nil
	}
	return "", io.EOF
}

// SECURITY 9: a line that is wider than golem computes loses its end, or continues at
// the left edge, where golem's own lines begin. Each character is repeated four times,
// so that a wrong width exceeds the narrowest screen.
func TestNoLineOfAQuestionIsTooWide(t *testing.T) {
	each := func(all []rune) string {
		var b strings.Builder
		for _, r := range all {
			b.WriteString(strings.Repeat(string(r), 4) + "\n")
		}
		return b.String()
	}
	fits := func(r approval.Request, width int) {
		t.Helper()
		p := &silent{}
		_, _ = (ui.Questions{Person: p, Screen: sized(width)}).Approve(t.Context(), r)
		wrong := 0
		for _, l := range append(strings.Split(p.String(), "\n"), ui.RequestLines(r, width, true, false)...) {
			if n := columnsOf(l); n > width && wrong < 5 && !strings.HasPrefix(l, "[y]es") {
				t.Errorf("%s: %d columns of %d: %q", r.Tool, n, width, l)
				wrong++
			}
		}
	}
	fits(callOf("write_file", "file_write", map[string]any{"path": "/notes", "content": each(printables())}), 8)
	some := each(edges())
	for width := 8; width <= 200; width += 1 + width/16 {
		fits(callOf("write_file", "file_write", map[string]any{"path": "/notes", "content": some}), width)
		fits(callOf("run_command", "command", map[string]any{"command": strings.Join(strings.Fields(some), ";")}), width)
	}
}

// asking returns a question below the last line of the terminal that has the keyboard.
func asking(r approval.Request, width, height int) *askProgram {
	q := &askProgram{d: newDialog(asked{Request: r}, false, time.Now), width: width, height: height}
	q.d.giveToQuestion()
	q.View()
	return q
}

// paged returns every line of a question that the person can scroll to, without the
// frames.
func paged(q *askProgram) string {
	var seen []string
	for first := true; ; first = false {
		before := q.d.top
		if !first {
			q.key("pgdown", "")
		}
		lines := strings.Split(q.View().Content, "\n")[1:]
		if q.d.top == before && !first {
			return strings.Join(seen, "\n")
		}
		at := len(seen) - q.d.top // how many lines of this screen were on the previous one
		seen = append(seen, lines[at:q.d.room]...)
	}
}

// shownOf returns what the lines of a question show, without the marks before them.
func shownOf(lines string) string {
	var b strings.Builder
	for l := range strings.Lines(lines) {
		l = strings.TrimSuffix(l, "\n")
		for _, mark := range []string{"  │ ", "  ┆ "} {
			l = strings.TrimPrefix(l, mark)
		}
		b.WriteString(l)
	}
	return b.String()
}

// SECURITY 9, SPEC §7: on a screen of any width a person can read every character of an
// argument before the answer.
func TestEveryCharacterCanBeRead(t *testing.T) {
	end := "; touch OWNED; echo hi"
	commands := map[string]string{"edges": string(edges()) + end, "plain": "echo hi; rm x", "circles": "echo " + strings.Repeat("\U0001f7e0", 35) + end}
	for _, r := range edges() {
		commands[fmt.Sprintf("%U", r)] = "echo " + strings.Repeat(string(r), 35) + end
	}
	for name, command := range commands {
		for width := 8; width <= 200; width++ {
			if strings.HasPrefix(name, "U+") && width != 13 && width != 80 {
				continue
			}
			q := asking(callOf("run_command", "command", map[string]any{"command": command}), width, 24)
			q.key("v", "v")
			if first := q.View().Content; width > 13 && len(q.d.lines) > q.d.room && !strings.Contains(first, "PgDn") {
				t.Fatalf("at %d columns the way to the rest is not told:\n%s", width, first)
			}
			text := paged(q)
			visible, _ := approval.Visible(command)
			if !strings.Contains(shownOf(text), visible) {
				t.Errorf("%s at %d columns is not shown whole:\n%s", name, width, text)
				break
			}
			if strings.Count(text, "…") > 2*strings.Count(command, "…") { // in the first line, and below it
				t.Errorf("%s at %d columns is cut:\n%s", name, width, text)
				break
			}
		}
	}
}

// No line of a question is wider than the screen, also with wide characters in names,
// values and contents: a line that is broken by the terminal would show a file's content
// without the mark before it. A line that golem breaks has the mark.
func TestContentIsBehindMarks(t *testing.T) {
	forged := "[Approval Required] write_file /notes"
	content := strings.Repeat("\U0001f7e0", 38) + forged
	r := callOf("write_file", "file_write", map[string]any{"path": "/" + strings.Repeat("\U0001f7eb", 60), "content": content + "\n" + strings.Repeat("\U0001b170", 90)})
	r.Paths = []tool.PathUse{{Op: "write", Path: "/" + strings.Repeat("\U0001f7eb", 60)}}
	wide := strings.Repeat("\U0001f7e0", 40)
	trust := approval.Request{ID: "q-2", Kind: approval.KindTrust, Title: "Trust this?", Lines: []approval.Line{{Path: "mcp." + wide, Value: wide + forged, Means: "this program runs", Where: "project.yaml:20"}}}
	for width := 8; width <= 200; width++ {
		for _, whole := range []bool{false, true} {
			lines := slices.Concat(ui.RequestLines(r, width, false, whole), ui.RequestLines(trust, width, false, whole))
			if i := slices.IndexFunc(lines, func(l string) bool { return columnsOf(l) > width }); i >= 0 {
				t.Fatalf("%d columns: %q", width, lines[i])
			}
			if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "[") }); i >= 0 {
				t.Fatalf("at %d columns a line of the content has no mark: %q", width, lines[i])
			}
		}
	}
}

// A long name of an argument is shown completely, too.
func TestLongNameIsReadWhole(t *testing.T) {
	name := strings.Repeat("n", 50) + "-\U0001f7e0-" + strings.Repeat("m", 150) + "the end"
	for width := 8; width <= 200; width++ {
		q := asking(callOf("custom", "tool_call", map[string]any{name: "one\ntwo"}), width, 24)
		q.key("v", "v")
		if text := paged(q); !strings.Contains(strings.ReplaceAll(shownOf(text), " ", ""), strings.ReplaceAll(name, " ", "")) {
			t.Fatalf("at %d columns:\n%s", width, text)
		}
	}
}

// The count of further lines has the right form for one line.
func TestOneMoreLine(t *testing.T) {
	content, one := "", false
	for n := range 40 {
		content += fmt.Sprintln(n)
		screen := asking(callOf("write_file", "file_write", map[string]any{"path": "/notes", "content": content}), 40, 20)
		screen.key("v", "v")
		text := screen.View().Content
		one = one || strings.Contains(text, " 1 more line: PgDn")
		if strings.Contains(text, " 1 more lines") {
			t.Fatal(text)
		}
	}
	if !one {
		t.Error("no screen has one more line")
	}
}

// sized is a screen with this number of columns.
type sized int

func (s sized) Size() (columns, lines int) { return int(s), 0 }
func (sized) Live() bool                   { return false }
