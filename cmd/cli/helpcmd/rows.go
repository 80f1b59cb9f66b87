package helpcmd

import (
	"fmt"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/docs"
)

// explanations returns what the pages of the codes and help.md say of each code, in the order
// of fault.Codes.
func explanations() ([]explanation, error) {
	help, err := sections("help")
	if err != nil {
		return nil, err
	}
	var symptoms []symptom
	for _, s := range help {
		for _, cells := range tableRows(s.text, "what you see") {
			symptoms = append(symptoms, symptom{cells[0], cells[1], cells[2]})
		}
	}
	var out []explanation
	for _, code := range fault.Codes() {
		e := explanation{Code: string(code), Messages: []message{}}
		for i, name := range docs.PagesOf(e.Code) {
			text, err := docs.Read(name)
			if err != nil {
				return nil, fmt.Errorf("the page %s: %w", name, err)
			}
			if i == 0 {
				e.Meaning = meaning(text)
			}
			for _, cells := range tableRows(text, "usual cause") {
				e.Causes = append(e.Causes, cause{cells[0], cells[1]})
			}
			for _, cells := range tableRows(text, "message") {
				e.Messages = append(e.Messages, message{cells[0], cells[1]})
			}
		}
		for _, s := range symptoms {
			if slices.Contains(codeInText.FindAllString(s.Seen, -1), e.Code) {
				e.Help = append(e.Help, s)
			}
		}
		out = append(out, e)
	}
	return out, nil
}

// meaning returns the sentence below the heading of a code.
func meaning(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return strings.TrimSuffix(line, ".")
		}
	}
	return ""
}

// tableRows returns the cells of the rows of a Markdown table whose first heading is this
// one, as plain text.
func tableRows(text, heading string) [][]string {
	var out [][]string
	columns := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		cells := splitRow(line)
		switch {
		case cells[0] == heading:
			columns = len(cells)
		case len(cells) == columns && strings.Trim(cells[0], "-") != "":
			out = append(out, cells)
		}
	}
	return out
}

// splitRow returns the cells of a row, without the escapes of Markdown, code marks and the
// addresses of links.
func splitRow(line string) []string {
	var cells []string
	var cell strings.Builder
	escaped := false
	for _, r := range strings.Trim(line, "|") + "|" {
		switch {
		case escaped:
			cell.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == '|':
			cells = append(cells, withoutLinks(strings.TrimSpace(cell.String())))
			cell.Reset()
		case r != '`':
			cell.WriteRune(r)
		}
	}
	return cells
}

// withoutLinks returns a text in which [words](page.md#part) is "words (golem docs page#part)".
func withoutLinks(s string) string {
	for {
		before, rest, ok := strings.Cut(s, "](")
		open := strings.LastIndexByte(before, '[')
		address, after, closed := strings.Cut(rest, ")")
		if !ok || !closed || open < 0 {
			return s
		}
		address = strings.Replace(address, ".md", "", 1)
		words, own := before[open+1:], "golem docs "+address
		if strings.TrimSuffix(words, ".md") == address || strings.HasPrefix(words, "golem docs") || strings.HasSuffix(words, ".md") {
			s = before[:open] + own + after
			continue
		}
		s = before[:open] + words + " (" + own + ")" + after
	}
}
