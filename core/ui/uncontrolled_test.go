package ui_test

import (
	"testing"

	"golem/core/ui"
)

// What goes to a pipe has no escape sequence, and is exact otherwise.
func TestUncontrolled(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b]52;c;ZXZpbA==\x07b":              `a\u{1b}]52;c;ZXZpbA==\u{7}b`,
		"a\u009b2Jb\x7f\x00":                    `a\u{9b}2Jb\u{7f}\u{0}`,
		"a\r\n\tb \u202e \u200d \u00a0 👩‍💻 ünï": "a\r\n\tb \u202e \u200d \u00a0 👩‍💻 ünï",
		"rm -r /\recho hi\r":                    `rm -r /\u{d}echo hi\u{d}`,
		"\xff stays":                            "\xff stays",
		"":                                      "",
	} {
		if got := ui.Uncontrolled(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
