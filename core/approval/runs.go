package approval

import (
	"fmt"
	"slices"
	"strings"

	"golem/core/tool"
)

// maxRuns is how many commands of a command line are listed; the command itself is always
// shown whole.
const maxRuns = 40

// runs returns the simple commands in a command of several lines, without comments and
// blank lines, so that one line among many cannot be overlooked (SPEC §7). Those that golem
// does not know as harmless come first; each is listed once. It returns nil for a command of
// one line, which a person sees whole.
func (s subject) runs() []string {
	raw, ok := s.command("command")
	if !ok || !strings.Contains(strings.TrimSpace(raw), "\n") {
		return nil
	}
	l := newCommandLine(raw, s.grammar("command"))
	if l.Broken || len(l.Commands) == 0 {
		return []string{"golem cannot tell what it runs: read all of it"}
	}
	var known, unknown []string
	for _, c := range l.Commands {
		text := commandText(c)
		if strings.HasPrefix(text, "-") { // an option of a shell, which could be a command
			continue
		}
		if op := c.Redirects(); op == "" && l.grammar.Covers(c, []string{"*"}) {
			known = append(known, text)
		} else {
			unknown = append(unknown, text)
		}
	}
	out := append(distinct(unknown), distinct(known)...)
	if more := len(out) - maxRuns; more > 0 {
		out = append(out[:maxRuns], fmt.Sprintf("and %d more", more))
	}
	return out
}

// distinct returns the texts without duplicates, in their order.
func distinct(list []string) []string {
	var out []string
	for _, one := range list {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// commandText returns a simple command as one line of text. A part that the shell replaces
// is … .
func commandText(c tool.SimpleCommand) string {
	words := make([]string, len(c))
	for i, w := range c {
		words[i] = strings.ReplaceAll(w.Text, "\n", " ")
		if w.Unknown {
			words[i] += "…"
		}
	}
	switch c.Redirects() {
	case tool.WritesFile:
		return "write to " + strings.Join(words[1:], " ")
	case tool.ReadsFile:
		return "read from " + strings.Join(words[1:], " ")
	}
	return strings.Join(words, " ")
}
