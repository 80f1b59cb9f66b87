package markdown

import (
	"strings"
	"testing"

	"golem/bench/suites"

	"golem/cmd/cli/columns"
)

// TestCommonMark draws each example of the CommonMark specification. All letters that a
// browser shows must be there, in the same order.
func TestCommonMark(t *testing.T) {
	c := &suites.Tally{Suite: "CommonMark, terminal"}
	for _, e := range suites.CommonMark(t) {
		drawn := sgr.ReplaceAllString(strings.Join(Render(e.Markdown, Options{Width: 1000, Color: true}), "\n"), "")
		if letter, lost := e.Lost(drawn); lost {
			t.Errorf("example %d: %q is missing in %q, which is drawn for\n%s", e.Example, letter, drawn, e.Markdown)
			continue
		}
		c.Agree()
	}
	c.Compare(t)
}

// An emoji of several characters is one character: it is not cut, and a table's columns stay
// below each other.
func TestEmoji(t *testing.T) {
	lines := Render("| who | what |\n|---|---|\n| 👩\u200d💻 | a |\n| 🇩🇪 | b |\n| e\u0301 | c |\n", Options{Width: 40})
	for _, l := range lines[2:] {
		if columns.Of(l) != columns.Of("who  a") {
			t.Errorf("%d columns in %q", columns.Of(l), l)
		}
	}
	if got := strings.Join(Render(strings.Repeat("👩\u200d💻", 10), Options{Width: 8}), "\n"); strings.Count(got, "👩\u200d💻") != 10 {
		t.Errorf("%q", got)
	}
	if got := Render(`a \&ouml; &ouml; &amp;lt; \\&lt;`, Options{Width: 80}); got[0] != `a &ouml; ö &lt; \<` {
		t.Errorf("%q", got)
	}
}
