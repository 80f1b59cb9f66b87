package ui

import "strings"

// Role says what a part of a line is for. A front end gives it a colour, or none.
type Role string

// The roles. Body has no colour.
const (
	Body   Role = ""
	Strong Role = "1"
	Faint  Role = "2"
	Bad    Role = "31"
	Good   Role = "32"
	Warn   Role = "33"
	Info   Role = "36"
)

// Paint returns text with the SGR sequence (ECMA-48) of the role around it, if color is
// true. The text must be escaped already.
func (r Role) Paint(color bool, text string) string {
	if !color || r == Body || text == "" {
		return text
	}
	return "\x1b[" + string(r) + "m" + text + "\x1b[0m"
}

// Span is a part of a line with one role. Its text is escaped.
type Span struct {
	Text string
	Role Role
}

// Line is a line in parts, without its line end.
type Line []Span

// String returns the line without colours.
func (l Line) String() string { return l.Paint(false) }

// Paint returns the line for a terminal.
func (l Line) Paint(color bool) string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Role.Paint(color, s.Text))
	}
	return b.String()
}

// Fit breaks the line between words as the function Fit does. Each part keeps its role.
func (l Line) Fit(n int) []Line {
	pieces := strings.Split(Fit(l.String(), n), "\n")
	if len(pieces) == 1 {
		return []Line{l}
	}
	var chars []rune
	var roles []Role
	for _, s := range l {
		for _, r := range s.Text {
			chars, roles = append(chars, r), append(roles, s.Role)
		}
	}
	out := make([]Line, len(pieces))
	for i, piece := range pieces {
		for _, r := range piece {
			role := Body
			for len(chars) > 0 && chars[0] != r && r != ' ' { // the spaces at which the line was broken
				chars, roles = chars[1:], roles[1:]
			}
			if len(chars) > 0 && chars[0] == r {
				role, chars, roles = roles[0], chars[1:], roles[1:]
			}
			if last := len(out[i]) - 1; last >= 0 && out[i][last].Role == role {
				out[i][last].Text += string(r)
			} else {
				out[i] = append(out[i], Span{string(r), role})
			}
		}
	}
	return out
}
