package suites

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
)

// Example is one example of the CommonMark specification.
type Example struct {
	Markdown, HTML string
	Example        int // its number in the specification
}

// CommonMark returns the examples of the CommonMark specification.
func CommonMark(t testing.TB) (examples []Example) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(Dir(t, "github.com/yuin/goldmark"), "_test", "spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &examples); err != nil || len(examples) < 650 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	return examples
}

// Lost returns the first letter or digit of an example's HTML that is not in what was drawn
// for it, after those before it, and whether there is one. Between them may be more, such as
// the addresses of links.
func (e Example) Lost(drawn string) (rune, bool) {
	rest := lettersOf(drawn)
	for _, want := range lettersOf(shownText(e.HTML)) {
		_, after, found := strings.Cut(rest, string(want))
		if !found {
			return want, true
		}
		rest = after
	}
	return 0, false
}

// shownText returns the text of HTML, with the texts of images.
func shownText(page string) string {
	var b strings.Builder
	for in := html.NewTokenizer(strings.NewReader(page)); ; {
		switch in.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.Write(in.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			for name, more := in.TagName(); string(name) == "img" && more; {
				var key, value []byte
				if key, value, more = in.TagAttr(); string(key) == "alt" {
					b.Write(value)
				}
			}
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
