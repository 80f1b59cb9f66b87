package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// terminal is what the program knows of the terminal, and what it draws there.
type terminal struct {
	width, height int
	joins         bool              // the terminal draws several code points as one glyph
	palette       *strings.Replacer // replaces styles to suit the background; nil: no change
	drawn         tea.View
	stale         bool // drawn is not up to date
}

// view returns the screen with these lines, and a cursor if x is not negative.
func (t terminal) view(lines []string, width, x, y int) tea.View {
	for i := range lines {
		lines[i] = cut(lines[i], width)
	}
	content := strings.Join(lines, "\n")
	if !t.joins {
		content = singleGlyphs(content)
	}
	if t.palette != nil {
		content = t.palette.Replace(content)
	}
	v := tea.NewView(content)
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	if x >= 0 {
		v.Cursor = tea.NewCursor(min(x, width-1), y)
		v.Cursor.Blink = false
	}
	return v
}
