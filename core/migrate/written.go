package migrate

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golem/core/yamltree"
)

// edit replaces bytes [from, to) by text.
type edit struct {
	from, to int
	with     string
}

// written is a file as it is written: its bytes and its lines.
type written struct {
	name   string
	data   []byte
	starts []int // offsets of the lines
	end    int   // where the YAML ends
}

func writtenOf(name string, data []byte) written {
	w := written{name: name, data: data, starts: []int{0}, end: len(data)}
	for i, b := range data {
		if b == '\n' {
			w.starts = append(w.starts, i+1)
		}
	}
	return w
}

// offset returns the byte offset of a position; -1 if it is not in the file.
func (w written) offset(at yamltree.Pos) int {
	if at.File != w.name || at.Line < 1 || at.Line > len(w.starts) || at.Column < 1 {
		return -1
	}
	i := w.starts[at.Line-1]
	if at.Line == 1 && bytes.HasPrefix(w.data, []byte("\ufeff")) {
		i += len("\ufeff")
	}
	for range at.Column - 1 {
		if i >= len(w.data) {
			return -1
		}
		_, size := utf8.DecodeRune(w.data[i:])
		i += size
	}
	return i
}

// span returns the byte range of a key or of a value on one line; ok is false if the
// text there is not written plainly or in simple quotes.
func (w written) span(at yamltree.Pos, text string) (from, to int, ok bool) {
	from = w.offset(at)
	if from < 0 || text == "" || strings.Contains(text, "\n") {
		return 0, 0, false
	}
	rest := string(w.data[from:min(w.end, from+len(text)+2)])
	for _, quote := range []string{"", `"`, "'"} {
		if strings.HasPrefix(rest, quote+text+quote) && (quote == "" || !strings.Contains(text, quote)) && (quote != `"` || !strings.Contains(text, `\`)) {
			to = from + len(text) + 2*len(quote)
			if to == len(w.data) || strings.IndexByte(" \t\r\n,]}:", w.data[to]) >= 0 {
				return from, to, true
			}
		}
	}
	return 0, 0, false
}

// lineOf returns a line without its line end.
func (w written) lineOf(line int) string {
	end := w.end
	if line < len(w.starts) {
		end = w.starts[line]
	}
	return strings.TrimRight(string(w.data[w.starts[line-1]:max(end, w.starts[line-1])]), "\r\n")
}

// newline returns the line end that the file uses.
func (w written) newline() string {
	if i := bytes.IndexByte(w.data, '\n'); i > 0 && w.data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lines returns the lines of a key in block style with its value: first is the line of
// the key, beyond the one after the last, indent the number of spaces before the key.
// ok is false for a key in braces or after a dash.
func (w written) lines(f yamltree.Field) (first, beyond, indent int, ok bool) {
	first = f.Pos.Line
	start := w.offset(f.Pos)
	if start < 0 {
		return
	}
	before := string(w.data[w.starts[first-1]:start])
	if strings.Trim(before, " ") != "" {
		return
	}
	indent, beyond = len(before), first+1
	for line := first + 1; line <= len(w.starts) && w.starts[line-1] < w.end; line++ {
		text := w.lineOf(line)
		trimmed := strings.TrimLeft(text, " ")
		here := len(text) - len(trimmed)
		item := here == indent && f.Value.Kind == yamltree.List && strings.HasPrefix(trimmed, "-")
		switch {
		case trimmed == "" || here <= indent && trimmed[0] == '#':
			continue
		case here <= indent && !item:
			return first, beyond, indent, lastLine(f.Value) < beyond
		}
		beyond = line + 1
	}
	return first, beyond, indent, lastLine(f.Value) < beyond
}

// bytesOf returns the edit that replaces the lines [first, beyond).
func (w written) bytesOf(first, beyond int, with string) edit {
	to := w.end
	if beyond <= len(w.starts) {
		to = min(w.end, w.starts[beyond-1])
	}
	return edit{w.starts[first-1], to, with}
}

// shifted returns the lines [first, beyond), each with more (or, if by is negative,
// fewer) spaces before it; "" and false if a line does not have so many.
func (w written) shifted(first, beyond, by int) (string, bool) {
	var b strings.Builder
	for line := first; line < beyond; line++ {
		text := w.lineOf(line)
		switch {
		case strings.TrimSpace(text) == "":
		case by >= 0:
			text = strings.Repeat(" ", by) + text
		case strings.HasPrefix(text, strings.Repeat(" ", -by)):
			text = text[-by:]
		case strings.HasPrefix(strings.TrimLeft(text, " "), "#"):
			text = strings.TrimLeft(text, " ")
		default:
			return "", false
		}
		b.WriteString(text + w.newline())
	}
	return b.String(), true
}

// block reports whether each member of a mapping or list has a line of its own.
func (w written) block(n *yamltree.Node) bool {
	for _, f := range n.Fields {
		if _, _, _, ok := w.lines(f); !ok {
			return false
		}
	}
	for _, item := range n.Items {
		if item.Kind != yamltree.Scalar || item.Line < 1 || !strings.HasPrefix(strings.TrimLeft(w.lineOf(item.Line), " "), "- ") {
			return false
		}
	}
	return len(n.Fields)+len(n.Items) > 0
}

func (w written) line(indent int, text string) string {
	return strings.Repeat(" ", indent) + text + w.newline()
}

// lastLine returns the last line on which a value of a tree begins.
func lastLine(n *yamltree.Node) int {
	last := n.Line
	for _, f := range n.Fields {
		last = max(last, f.Pos.Line, lastLine(f.Value))
	}
	for _, item := range n.Items {
		last = max(last, lastLine(item))
	}
	return last
}
