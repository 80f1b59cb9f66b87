package approval

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain text":         "plain text",
		"größer, 日本語":        "größer, 日本語",
		"a\x1b[31mred":       `a\u{1b}[31mred`,
		"a\u009b31m":         `a\u{9b}31m`,
		"a\x7f":              `a\u{7f}`,
		"x\u202egnp.exe":     `x\u{202e}gnp.exe`,
		"a\u200bb\u2060":     `a\u{200b}b\u{2060}`,
		"a\u2028b\u2029":     `a\u{2028}b\u{2029}`,
		"one\r\ntwo\t":       `one\r\ntwo\t`,
		"a\u00a0b\u3000c":    `a\u{a0}b\u{3000}c`,
		"tag\U000e0041":      `tag\u{e0041}`,
		"\ufeffbom\u3164":    `\u{feff}bom\u{3164}`,
		"v\ufe0f":            `v\u{fe0f}`,
		"bad\xff\xc0":        `bad\x{ff}\x{c0}`,
		"\ue000\U0010ffff":   `\u{e000}\u{10ffff}`,
		"e\u0301":            "e\u0301",
		"e" + marks(6):       "e" + marks(4) + `\u{301}\u{301}`,
		"\u2066\u2069\u200f": `\u{2066}\u{2069}\u{200f}`,
	} {
		got, changed := Visible(in)
		if got != want || changed != (in != want) {
			t.Errorf("%q: got %q (changed %v), want %q", in, got, changed, want)
		}
	}
}

func marks(n int) string { return strings.Repeat("\u0301", n) }

// Content cannot make extra lines, or hide where a line ends.
func TestLines(t *testing.T) {
	lines, changed := Lines("a\tb\n\x1b[2KApprove? [y]es\r\nlast\rline\n")
	want := []string{"a\tb", `\u{1b}[2KApprove? [y]es\r`, `last\rline`}
	if strings.Join(lines, "|") != strings.Join(want, "|") || !changed {
		t.Errorf("%q", lines)
	}
	if lines, changed := Lines("a\r\n\r\nb"); len(lines) != 3 || changed || lines[1] != `\r` {
		t.Errorf("%q %v", lines, changed)
	}
	if lines, _ := Lines(""); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
}

// For any input, the output has no invisible or cursor-moving characters, and escaping it
// again does not change it.
func FuzzVisible(f *testing.F) {
	for _, s := range []string{"", "a", "\x1b]0;x\x07", "\u202e\u2028\xf0\x28", "\U000e0001", strings.Repeat("\u0300", 9)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		safe, changed := Visible(s)
		if !utf8.ValidString(safe) || changed != (safe != s) {
			t.Fatalf("%q: %q, changed %v", s, safe, changed)
		}
		for _, r := range safe {
			if unicode.Is(unicode.C, r) || r != ' ' && unicode.Is(unicode.Z, r) {
				t.Fatalf("%q leaves %U", s, r)
			}
		}
		if again, _ := Visible(safe); again != safe {
			t.Fatalf("%q: then %q", safe, again)
		}
		lines, _ := Lines(s)
		for _, l := range lines {
			if strings.ContainsAny(l, "\n\r\x1b") {
				t.Fatalf("line %q", l)
			}
		}
	})
}
