package tui

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// area is the lines at the end of what a terminal shows. They are drawn anew where they
// stand, and taken away without a trace. The cursor is on the line below them.
type area struct {
	w     io.Writer
	drawn []string
	width int // of the terminal when they were drawn
}

// draw shows the lines, each shorter than width. The same lines are not written again.
func (a *area) draw(lines []string, width int) {
	if width == a.width && slices.Equal(lines, a.drawn) {
		return
	}
	var b strings.Builder
	b.WriteString(a.up(width))
	for _, l := range lines {
		b.WriteString(l + "\x1b[K\r\n")
	}
	b.WriteString("\x1b[J")
	a.drawn, a.width = lines, width
	io.WriteString(a.w, b.String())
}

// clear takes the lines away. width is that of the terminal now.
func (a *area) clear(width int) {
	if len(a.drawn) > 0 {
		io.WriteString(a.w, a.up(width)+"\x1b[J")
		a.drawn = nil
	}
}

// up moves the cursor to where the lines begin. On a terminal that became narrower a
// line takes several rows.
func (a *area) up(width int) string {
	rows := 0
	for _, l := range a.drawn {
		rows++
		if n := columns(l); width > 0 && n > width {
			rows += (n - 1) / width
		}
	}
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("\r\x1b[%dA", rows)
}
