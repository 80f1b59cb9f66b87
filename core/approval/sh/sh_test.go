package sh

import (
	"fmt"
	"strings"
	"testing"

	"golem/core/tool"
)

// shown returns a command line as text: words in brackets, ~ for Expands, ? for Unknown.
func shown(l tool.CommandLine) string {
	var parts []string
	for _, c := range l.Commands {
		var words []string
		for _, w := range c {
			s := fmt.Sprintf("%q", w.Text)
			if w.Expands {
				s += "~"
			}
			if w.Unknown {
				s += "?"
			}
			words = append(words, s)
		}
		parts = append(parts, strings.Join(words, " "))
	}
	if !l.Plain {
		parts = append(parts, "not plain")
	}
	if l.Broken {
		parts = append(parts, "broken")
	}
	return strings.Join(parts, " | ")
}

func TestParse(t *testing.T) {
	for command, want := range map[string]string{
		"a b":                 `"a" "b"`,
		`a 'b c' "d e" f\ g`:  `"a" "b c" "d e" "f g"`,
		`a "\$x \"y\" \z \\"`: `"a" "$x \"y\" \\z \\"`,
		"a; b && c | d\ne":    `"a" | "b" | "c" | "d" | "e"`,
		"a *.go ~ {x,y} [z]":  `"a" "*.go"~ "~"~ "{x,y}"~ "[z]"~`,
		"a $x":                `"a" ""? | not plain`,
		"a $(b)":              `"a" ""? | "b" | not plain`,
		"a > f":               `"\x00>" "f" | "a"`,
		"a >> 'f g' < h":      `"\x00>" "f g" | "\x00<" "h" | "a"`,
		"> f":                 `"\x00>" "f"`,
		"'>' f":               `">" "f"`,
		"a > $f":              `"\x00>" ""? | "a" | not plain`,
		"a > ~/f":             `"\x00>" "~/f"~ | "a" | not plain`,
		"cd b; a > f":         `"cd" "b" | "\x00>" "f" | "a" | not plain`,
		"cd b; a > /f":        `"cd" "b" | "\x00>" "/f" | "a"`,
		"a 3> f":              `"a" | not plain`,
		"a <> f":              `"a" | not plain`,
		"a << E\nx\nE":        `"a" | not plain`,
		"git -c a=b log":      `"git" "-c" "a=b" "log"`,
		"find a -name b":      `"find" "a" "-name" "b"`,
		"find a -exec b {} +": `"find" "a" "-exec" "b" "{}"~ "+" | "b" "{}"~ "+" | "+"`,
		"a > /dev/null 2>&1":  `"a"`,
		"a &":                 `"a" | not plain`,
		"x=1 a":               `"a" | not plain`,
		"sudo -u x rm y":      `"sudo" "-u" "x" "rm" "y" | "-u" "x" "rm" "y" | "x" "rm" "y" | "rm" "y" | "y"`,
		"sh -c 'a; b'":        `"sh" "-c" "a; b" | "-c" | "a" | "b"`,
		"a # b":               `"a" | not plain`,
		"a \"":                `not plain | broken`,
		"cat <(a)":            `"cat" ""? | "a" | not plain | broken`,
		"":                    `not plain`,
	} {
		got := shown(Grammar{}.Parse(command))
		if got != want {
			t.Errorf("%q:\n got %s\nwant %s", command, got, want)
		}
	}
}

func TestGlobs(t *testing.T) {
	for pattern, want := range map[string]string{
		"echo *": `["echo" "*"]`, `grep "a b" *`: `["grep" "a b" "*"]`, `a '*' "[x]"`: `["a" "\\*" "\\[x\\]"]`, `a \* b`: `["a" "\\*" "b"]`, "a {b,c}/**": `["a" "{b,c}/**"]`,
		"a; b": "[]", "a | b": "[]", "a > b": "[]", "> b/*": `["\x00>" "b/*"]`, "< b": `["\x00<" "b"]`, "> b > c": "[]", "> $b": "[]", "a $x": "[]", "x=1 a": "[]", "(a)": "[]", `a "`: "[]", "": "[]", "a # b": "[]", "!a": `["!a"]`,
	} {
		if got := fmt.Sprintf("%q", Grammar{}.Globs(pattern)); got != want {
			t.Errorf("%q gave %s, want %s", pattern, got, want)
		}
	}
}

// A command that would take too long to check counts as one that cannot be parsed.
func TestBounds(t *testing.T) {
	for _, c := range []string{
		strings.Repeat("a;", maxCommands+1), strings.Repeat("x", maxCommand+1), strings.Repeat("sudo ", maxCommands+2),
		"sh " + strings.Repeat("'a;a;a' ", maxCommands), strings.Repeat("(", 8000), strings.Repeat("$(", 4000), strings.Repeat("a[", 4000),
	} {
		if l := (Grammar{}).Parse(c); !l.Broken || l.Plain || len(l.Commands) > maxCommands {
			t.Errorf("%.20q…: plain %v, broken %v, %d commands", c, l.Plain, l.Broken, len(l.Commands))
		}
	}
}
