package tui

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golem/cmd/cli/columns"
)

// area is a group of lines below everything else on a terminal. They are drawn again in
// place, and erased without a trace. The cursor is on the line below them.
type area struct {
	w     io.Writer
	drawn []string
	width int // width of the terminal when the lines were drawn
}

// draw shows the lines, each shorter than width. It writes nothing if they did not
// change.
func (a *area) draw(lines []string, width int) {
	if width == a.width && slices.Equal(lines, a.drawn) {
		return
	}
	var b strings.Builder
	b.WriteString(a.moveUp(width))
	for _, l := range lines {
		b.WriteString(l + "\x1b[K\r\n")
	}
	b.WriteString("\x1b[J")
	a.drawn, a.width = lines, width
	io.WriteString(a.w, b.String())
}

// clear erases the lines. width is the terminal's width now.
func (a *area) clear(width int) {
	if len(a.drawn) > 0 {
		io.WriteString(a.w, a.moveUp(width)+"\x1b[J")
		a.drawn = nil
	}
}

// moveUp returns the sequence that moves the cursor to the first line. If the terminal
// became narrower, one line takes several rows.
func (a *area) moveUp(width int) string {
	rows := 0
	for _, l := range a.drawn {
		rows++
		if n := columns.Of(l); width > 0 && n > width {
			rows += (n - 1) / width
		}
	}
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("\r\x1b[%dA", rows)
}
