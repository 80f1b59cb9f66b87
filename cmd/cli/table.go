package main

import (
	"os"
	"time"

	"golem/core/ui"
)

func oneLine(s string) string { return ui.OneLine(s) }

func table(rows [][]string) string { return ui.Table(rows) }

// when formats a time for people, in local time, to the minute. JSON output uses UTC
// (RFC 3339).
func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// whenText formats a time given as RFC 3339 text; any other text is returned on one
// line.
func whenText(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return oneLine(s)
	}
	return when(t)
}

// narrowed shortens a table for the width of the terminal f. If f is no terminal, it
// returns the rows unchanged.
func narrowed(f *os.File, rows [][]string, spare ...string) [][]string {
	if !isTerminal(f) {
		return rows
	}
	return ui.NarrowTable(rows, columns(f), spare...)
}
