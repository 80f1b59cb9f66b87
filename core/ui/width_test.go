package ui_test

import (
	"encoding/json"
	"strings"
	"testing"

	"golem/core/ui"
)

// Fit breaks lines between words, indents the rest of a line, and changes no word.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short\n", 20, "short\n"},
		{"one two three four\n", 10, "one two\n  three\n  four\n"},
		{"  one two three\n", 10, "  one two\n    three\n"},
		{"one two three four", 0, "one two three four"},
		{"sha256:0123456789abcdef and more\n", 10, "sha256:0123456789abcdef\n  and more\n"},
		{"a   b   c\n\nd\n", 80, "a   b   c\n\nd\n"},
		{"日本 語語 日本\n", 10, "日本 語語\n  日本\n"},
		{strings.Repeat(" ", 30) + "x y\n", 10, strings.Repeat(" ", 30) + "x\n     y\n"},
	} {
		got := ui.Fit(c.in, c.n)
		if got != c.want {
			t.Errorf("Fit(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(c.in), " ") {
			t.Errorf("Fit(%q, %d) = %q: other words", c.in, c.n, got)
		}
	}
}

// A value that is cut keeps its closing quote.
func TestCallLineKeepsItsQuotes(t *testing.T) {
	args, err := json.Marshal(map[string]string{"content": strings.Repeat("long ", 40)})
	if err != nil {
		t.Fatal(err)
	}
	if got := ui.CallLine("write_file", args); !strings.HasSuffix(got, `…")`) {
		t.Errorf("the value has no closing quote: %s", got)
	}
}

// null is shown as null, not as an empty string.
func TestCallLineShowsNull(t *testing.T) {
	if got := ui.CallLine("fib", json.RawMessage(`{"n":null,"m":""}`)); got != `fib(m: "", n: null)` {
		t.Error(got)
	}
	if got := ui.TaskLine(json.RawMessage(`{"input":null}`)); got != "null" {
		t.Error(got)
	}
}
