package markdown

import (
	"strings"

	"golem/cmd/cli/columns"
)

// code is the state of drawing a fenced code block line by line.
type code struct {
	mark   byte
	marks  int
	indent int
	lang   *syntax
	name   string
	until  string // the end mark of an open comment or string that spans lines
}

// opens returns the code block that a line begins, or nil if the line is no opening
// fence.
func opens(line string) *code {
	body := strings.TrimLeft(line, " ")
	indent := len(line) - len(body)
	if indent > 3 || len(body) < 3 || body[0] != '`' && body[0] != '~' {
		return nil
	}
	n := len(body) - len(strings.TrimLeft(body, body[:1]))
	info := strings.TrimSpace(body[n:])
	if n < 3 || body[0] == '`' && strings.Contains(info, "`") {
		return nil
	}
	name, _, _ := strings.Cut(info, " ")
	name = strings.ToLower(strings.Trim(name, "{}."))
	return &code{mark: body[0], marks: n, indent: indent, name: name, lang: syntaxOf(name)}
}

// closes reports whether a line is the closing fence of the block.
func (c *code) closes(line string) bool {
	body := strings.TrimSpace(line)
	return len(body) >= c.marks && strings.Trim(body, string(c.mark)) == "" && len(line)-len(strings.TrimLeft(line, " ")) < 4
}

// head returns the line above the code, which names the language; nil if there is no
// name.
func (c *code) head(o Options) []string {
	if c.name == "" || o.PlainCode {
		return nil
	}
	return []string{paint(o.Color, dim, columns.Cut("  "+leaf(c.name), o.Width))}
}

// line draws one line of the code, in as many screen lines as it needs.
func (c *code) line(o Options, text string) []string {
	drop := 0
	for drop < c.indent && drop < len(text) && text[drop] == ' ' {
		drop++
	}
	text = leaf(strings.TrimSuffix(text[drop:], "\r"))
	spans := []span{{text: text}}
	if o.PlainCode && c.name == "text" { // what a program printed, next to the commands
		spans[0].style = dim
	}
	if o.Color && c.lang != nil && len(text) < maxCoded {
		spans, c.until = c.lang.spans(text, c.until)
	}
	if o.PlainCode {
		return []string{styled(o, spans)}
	}
	var out []string
	for _, l := range chop(spans, max(o.Width-2, 4)) {
		out = append(out, "  "+styled(o, l))
	}
	return out
}

// maxCoded is the length in bytes from which on a line is not coloured, to bound the
// time.
const maxCoded = 4 << 10
