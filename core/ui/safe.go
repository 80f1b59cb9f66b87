package ui

import (
	"strings"
	"unicode"

	"golem/core/approval"
)

// safe is text for the view: control, bidirectional and invisible characters
// are escapes; line ends and tabs stay. It is kinder to prose than an approval
// request is: joiners of emoji and the spaces of typography are not a threat
// where nobody is asked for anything.
// Safe is text that others wrote, for a terminal: what is not a printable character is
// shown as an escape.
func Safe(s string) string { return safe(s) }

func safe(s string) string {
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

// lines are the safe lines of a text, without a last empty one.
func lines(s string) []string {
	return strings.Split(strings.TrimSuffix(safe(s), "\n"), "\n")
}
