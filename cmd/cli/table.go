package main

import (
	"os"
	"time"

	"golem/core/ui"
)

func oneLine(s string) string { return ui.OneLine(s) }

func table(rows [][]string) string { return ui.Table(rows) }

// when is a time as what people read has it: that of their clock, to the minute. JSON has
// UTC (RFC 3339).
func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// whenText is when of a time that is a text; one that is none stays as it is.
func whenText(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return oneLine(s)
	}
	return when(t)
}

// narrowed is a table for a stream, as narrow as the terminal that it is.
func narrowed(f *os.File, rows [][]string, spare ...string) [][]string {
	if !isTerminal(f) {
		return rows
	}
	return ui.NarrowTable(rows, columns(f), spare...)
}
