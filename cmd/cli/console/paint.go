package console

import (
	"os"
	"strings"

	"golem/core/ui"
)

// Painted returns lines for a file: broken between words where it is a terminal, and in
// colours if color is true.
func Painted(f *os.File, lines []ui.Line, color bool) string {
	width := 0
	if IsTerminal(f) {
		width = Columns(f)
	}
	var b strings.Builder
	for _, l := range lines {
		for _, piece := range l.Fit(width) {
			b.WriteString(piece.Paint(color) + "\n")
		}
	}
	return b.String()
}
