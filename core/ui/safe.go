package ui

import (
	"fmt"
	"strings"
	"unicode"

	"golem/core/approval"
)

// Uncontrolled returns a text for a file or a pipe: exactly the text, but for control
// characters, which become escapes (\u{1b}), so that no escape sequence of a model reaches
// a terminal that shows the pipe, and no text is written over another. Line ends and tabs
// stay.
func Uncontrolled(s string) string {
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if isControl(r) && !strings.HasPrefix(s[i:], "\r\n") {
			fmt.Fprintf(&b, "\\u{%x}", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// Safe returns text that golem did not write in a form that is safe to show: control,
// bidirectional and invisible characters become escapes. Line ends and tabs stay. Prose is
// changed less than an approval request: the joiners of emoji stay, and special spaces
// become normal ones. They do no harm where nobody decides anything.
func Safe(s string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
	var b strings.Builder
	for {
		i := strings.IndexAny(plain, emojiJoiners)
		if i < 0 {
			b.WriteString(safePiece(plain))
			return b.String()
		}
		r := []rune(plain[i:])[0]
		b.WriteString(safePiece(plain[:i]))
		b.WriteRune(r)
		plain = plain[i+len(string(r)):]
	}
}

const emojiJoiners = "\u200d\ufe0e\ufe0f"

func safePiece(s string) string {
	if s == "" {
		return ""
	}
	all, _ := approval.Lines(s)
	out := strings.Join(all, "\n")
	if strings.HasSuffix(s, "\n") {
		out += "\n"
	}
	return out
}

// SafeLines returns the SafeLines of a text, made safe, without an empty last line.
func SafeLines(s string) []string {
	return strings.Split(strings.TrimSuffix(Safe(s), "\n"), "\n")
}
