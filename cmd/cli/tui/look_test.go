package tui

import (
	"image/color"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// The person is notified when a long exchange asks or ends, if they want it, and never
// for a short one.
func TestNotify(t *testing.T) {
	d := drive(t, 80, 24, true)
	told := 0
	d.m.o.Notify = func(text string) string {
		told++
		if !strings.HasPrefix(text, "demo ") {
			t.Errorf("%q", text)
		}
		return "\a"
	}
	begin := `{"type": "run.start", "id": "0", "worker": "main", "depth": 0, "input": "go"}`
	for i, took := range []time.Duration{time.Second, 20 * time.Second} {
		d.events(begin)
		d.at = d.at.Add(took)
		d.ask(write)
		if told != i {
			t.Errorf("asked after %s: %d", took, told)
		}
		d.arm()
		d.keys("n", "enter")
		d.prompt()
		if told != 2*i {
			t.Errorf("ended after %s: %d", took, told)
		}
	}
}

// Lines are broken at spaces, and within a word only if it is wider than the screen.
func TestWrap(t *testing.T) {
	for text, want := range map[string]string{
		"say yes or use golem trust or --trust": "say yes or|use golem|trust or|--trust",
		"a-very-long-word-with-hyphens":         "a-very-lon|g-word-wit|h-hyphens",
		"日本語日本語 -x":                             "日本語日本|語 -x",
	} {
		if got := strings.Join(wrap(text, 10), "|"); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// A wrapped line of two columns continues in its second column, if there is room.
func TestHang(t *testing.T) {
	for text, want := range map[string]string{
		"/set N  use a setting of it": "/set N  use a|        setting|        of it",
		"  one two three four five":   "  one two three|  four five",
		"/a-long-command N  says it":  "/a-long-command|    N  says it",
		"short  one":                  "short  one",
	} {
		if got := strings.Join(hang(text, 16), "|"); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// A command is repeated above its output, separated from the output of another command.
func TestCommandsAreRepeated(t *testing.T) {
	d := drive(t, 40, 20, false)
	for range 2 {
		got := d.prompt()
		d.keys("/cost", "enter")
		if in := <-got; in.Text != "/cost" {
			t.Errorf("%+v", in)
		}
		d.u.Tell("info", "nothing was used")
		d.m.Update(arrived{})
	}
	d.has("> /cost\nnothing was used\n\n> /cost\nnothing was used\n")
	d.fits()
}

// The styles suit the terminal's background after the terminal has told it.
func TestPalette(t *testing.T) {
	d := drive(t, 80, 24, true)
	d.events(`{"type": "warning", "id": "0", "worker": "main", "depth": 0, "code": "E_TAINT", "message": "careful"}`)
	d.has("\x1b[33mwarning: careful")
	d.m.Update(tea.BackgroundColorMsg{Color: color.White})
	d.has("\x1b[38;5;130mwarning: careful")
	d.m.Update(tea.BackgroundColorMsg{Color: color.Black})
	d.has("\x1b[33mwarning: careful")
	d.fits()
}
