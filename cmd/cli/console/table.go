package console

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golem/core/ui"
)

// Marked returns a diff, whose lines golem did not write, escaped and wrapped for the
// width of the terminal.
func Marked(c *Console, patch string) string {
	width := Columns(c.Out)
	var b strings.Builder
	for line := range strings.Lines(patch) {
		b.WriteString(strings.Join(ui.Marked(strings.TrimSuffix(line, "\n"), width), "\n") + "\n")
	}
	return b.String()
}

// When formats a time for people, in local time, to the minute. JSON output uses UTC
// (RFC 3339).
func When(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// WhenText formats a time given as RFC 3339 text; any other text is returned on one
// line.
func WhenText(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return ui.OneLine(s)
	}
	return When(t)
}

// Narrowed shortens a table for the width of the terminal f. If f is no terminal, it
// returns the rows unchanged.
func Narrowed(f *os.File, rows [][]string, spare ...string) [][]string {
	if !IsTerminal(f) {
		return rows
	}
	return ui.NarrowTable(rows, Columns(f), spare...)
}

// Bytes returns a size for people, rounded and in bytes.
func Bytes(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB (%d bytes)", float64(n)/(1<<20), n)
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB (%d bytes)", float64(n)/(1<<10), n)
	}
	return strconv.Itoa(n) + " bytes"
}
