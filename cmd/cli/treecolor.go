package main

import (
	"regexp"
	"strings"
)

// workerLine matches a line of golem workers --tree that names a worker with its file.
// toolsLine matches a line that says what becomes of calls of its tools, and calledLine
// a line that names a called worker.
var (
	workerLine = regexp.MustCompile(`^((?:\s*→ )?)(\S+)( \([^()]+\))`)
	toolsLine  = regexp.MustCompile(`^(\s+)(asks|runs|refused|only a person starts)(:)`)
	calledLine = regexp.MustCompile(`^(\s*→ )(\S+)`)
)

// toolsColors are the colours for what a model can call alone, with a person's yes, or
// not at all.
var toolsColors = map[string]string{"asks": "33", "runs": "32", "refused": "31", "only a person starts": "36"}

// coloredTree returns the tree of workers with colours. Its text must be escaped
// already.
func coloredTree(text string) string {
	paint := func(style, s string) string { return "\x1b[" + style + "m" + s + "\x1b[0m" }
	var b strings.Builder
	for line := range strings.Lines(text) {
		if m := toolsLine.FindStringSubmatch(line); m != nil {
			line = m[1] + paint(toolsColors[m[2]], m[2]+m[3]) + line[len(m[0]):]
		} else if m := workerLine.FindStringSubmatch(line); m != nil {
			line = m[1] + paint("1", m[2]) + paint("2", m[3]) + line[len(m[0]):]
		} else if m := calledLine.FindStringSubmatch(line); m != nil {
			line = m[1] + paint("1", m[2]) + line[len(m[0]):]
		}
		b.WriteString(line)
	}
	return b.String()
}
