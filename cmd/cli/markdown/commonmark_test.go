package markdown

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
)

// TestCommonMark draws each example of the CommonMark specification, which is part of
// goldmark's source in Go's module cache. All letters that a browser shows must be there, in the
// same order; between them may be more, such as the addresses of links.
func TestCommonMark(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Markdown, HTML string
		Example        int
	}
	if err := json.Unmarshal(data, &examples); err != nil || len(examples) < 650 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	for _, e := range examples {
		drawn := lettersOf(sgr.ReplaceAllString(strings.Join(Render(e.Markdown, Options{Width: 1000, Color: true}), "\n"), ""))
		rest := drawn
		for _, want := range lettersOf(shownText(e.HTML)) {
			_, after, found := strings.Cut(rest, string(want))
			if !found {
				t.Errorf("example %d: a part of %q is missing in %q, which is drawn for\n%s", e.Example, shownText(e.HTML), drawn, e.Markdown)
				break
			}
			rest = after
		}
	}
}

// shownText returns the text of HTML, with a space for each tag.
func shownText(page string) string {
	var b strings.Builder
	for in := html.NewTokenizer(strings.NewReader(page)); ; {
		switch in.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.Write(in.Text())
		}
	}
}

// lettersOf returns the letters and digits of a text.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// An emoji of several characters is one character: it is not cut, and a table's columns stay
// below each other.
func TestEmoji(t *testing.T) {
	lines := Render("| who | what |\n|---|---|\n| 👩\u200d💻 | a |\n| 🇩🇪 | b |\n| e\u0301 | c |\n", Options{Width: 40})
	for _, l := range lines[2:] {
		if columns(l) != columns("who  a") {
			t.Errorf("%d columns in %q", columns(l), l)
		}
	}
	if got := strings.Join(Render(strings.Repeat("👩\u200d💻", 10), Options{Width: 8}), "\n"); strings.Count(got, "👩\u200d💻") != 10 {
		t.Errorf("%q", got)
	}
	if got := Render(`a \&ouml; &ouml; &amp;lt; \\&lt;`, Options{Width: 80}); got[0] != `a &ouml; ö &lt; \<` {
		t.Errorf("%q", got)
	}
}
