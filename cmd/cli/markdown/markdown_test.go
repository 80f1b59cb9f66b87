package markdown

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"golem/cmd/cli/columns"
)

// sgr matches the only kind of escape sequence that lines may have.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

func sample(t testing.TB) string {
	data, err := os.ReadFile("testdata/sample.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The sample is drawn as the golden files show, at two widths, with and without
// colours. GOLEM_UPDATE=1 writes the files.
func TestGolden(t *testing.T) {
	for _, width := range []int{80, 40} {
		for _, color := range []bool{true, false} {
			name := fmt.Sprintf("testdata/sample-%d.txt", width)
			if color {
				name = fmt.Sprintf("testdata/sample-%d-color.txt", width)
			}
			got := strings.Join(Render(sample(t), Options{Width: width, Color: color}), "\n") + "\n"
			got = strings.ReplaceAll(got, "\x1b", "␛")
			if os.Getenv("GOLEM_UPDATE") != "" {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
		}
	}
}

// hold checks what must be true of all lines: they fit, and nothing in them moves the
// cursor.
func hold(t interface{ Fatalf(string, ...any) }, lines []string, o Options) {
	for _, l := range lines {
		bare := sgr.ReplaceAllString(l, "")
		if !o.Color && bare != l {
			t.Fatalf("an escape sequence without colours: %q", l)
		}
		if strings.ContainsFunc(bare, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u200b' }) {
			t.Fatalf("a control character: %q", l)
		}
		if columns.Of(bare) > o.Width {
			t.Fatalf("%d columns of %d: %q", columns.Of(bare), o.Width, l)
		}
	}
}

// Line breaks of the model are kept, also in list items and quotes, and in lines with
// styles.
func TestLineBreaks(t *testing.T) {
	for text, want := range map[string]string{
		"Roses are red\nViolets are **blue**\nTotal: 3": "Roses are red\nViolets are **blue**\nTotal: 3",
		"- one\n  more\n- two":                          "• one\n  more\n• two",
		"> a\n> b":                                      "│ a\n│ b",
	} {
		if got := strings.Join(Render(text, Options{Width: 80}), "\n"); got != want {
			t.Errorf("%q:\n%s", text, got)
		}
	}
}

// pieces are the parts of random texts: usual Markdown, and hostile characters.
var pieces = []string{"word ", "longer-words ", "\n", "\n\n", "- item\n", "  nested\n", "1. one\n", "```go\n", "```\n", "~~~", "    code\n", "> ", "**", "*", "`", "[a](b)",
	"| a | b |\n|---|---|\n| c | d |\n", "# ", "\x1b[2J", "\x07", "&#27;[H", "&#x9b;", "\u202e", "中文", "👩‍👩‍👧", "\t", "\r\n", "\r", "<div>\n", "---\n", "\xff", "\\", "func x() { return \"s\" } // c\n", "/*", "*/", "e\u0301\u0301"}

// A text gives the same lines in whatever pieces it is written; a finished line does
// not change; hostile text cannot move the cursor.
func TestStreamIsTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "text"), "")
		o := Options{Width: rapid.SampledFrom([]int{8, 20, 40, 80}).Draw(t, "width"), Color: rapid.Bool().Draw(t, "color")}
		want := Render(text, o)
		hold(t, want, o)
		s := New(o)
		var finished []string
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			s.Write(rest[:n])
			rest = rest[n:]
			lines := s.Lines()
			hold(t, lines, o)
			if !slices.Equal(finished, lines[:len(finished)]) {
				t.Fatalf("finished lines changed: %q, then %q", finished, lines)
			}
			finished = slices.Clone(s.Finished())
		}
		s.End()
		if diff := cmp.Diff(want, s.Lines()); diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
	})
}

// The unfinished part, which is drawn again for each piece, stays small in a block of
// any length.
func TestWhatIsNotFinishedStaysSmall(t *testing.T) {
	for name, unit := range map[string]string{
		"words": "word ", "no space": "x", "items": "- item\n", "code": "```go\nx := 1\n", "table": "| a | b |\n|---|---|\n", "quotes": "> > ", "stars": "*", "brackets": "[", "ticks": "`a``", "wide": "中",
	} {
		s := New(Options{Width: 80, Color: true})
		s.Write(strings.Repeat(unit, (64<<10)/len(unit)))
		if len(s.rest) > maxTable {
			t.Errorf("%s: %d bytes are not finished", name, len(s.rest))
		}
		hold(t, s.Lines(), s.o)
	}
}

// BenchmarkFrame measures one frame behind a megabyte of text: a piece is added, and
// the unfinished lines are drawn.
func BenchmarkFrame(b *testing.B) {
	text := strings.Repeat(sample(b), (1<<20)/len(sample(b)))
	s := New(Options{Width: 80, Color: true})
	s.Write(text)
	for i := 0; b.Loop(); i++ {
		at := i * 60 % (len(text) - 60)
		s.Write(text[at : at+60])
		s.Unfinished()
	}
}

// BenchmarkWhole measures drawing a megabyte at once, as after a change of the screen's
// width.
func BenchmarkWhole(b *testing.B) {
	text := strings.Repeat(sample(b), (1<<20)/len(sample(b)))
	for b.Loop() {
		Render(text, Options{Width: 80, Color: true})
	}
}

// Code for people who copy it begins in the first column, and no line of it is broken or named.
func TestPlainCode(t *testing.T) {
	text := "Do:\n\n```sh\ncat >a <<'END'\n" + strings.Repeat("x", 40) + "\nEND\n```\n\n```text\nprinted\n```\n"
	want := "Do:\n\ncat >a <<'END'\n" + strings.Repeat("x", 40) + "\nEND\n\nprinted"
	if got := strings.Join(Render(text, Options{Width: 20, PlainCode: true}), "\n"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	lines := Render(text, Options{Width: 20, Color: true, PlainCode: true})
	if last := lines[len(lines)-1]; last != "\x1b["+dim+"mprinted\x1b[0m" {
		t.Errorf("what a program printed is %q", last)
	}
}
