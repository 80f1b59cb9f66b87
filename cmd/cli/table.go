package main

import (
	"os"

	"golem/core/ui"
)

func oneLine(s string) string { return ui.OneLine(s) }

func table(rows [][]string) string { return ui.Table(rows) }

// narrowed is a table for a stream, as narrow as the terminal that it is.
func narrowed(f *os.File, rows [][]string, spare ...string) [][]string {
	if !isTerminal(f) {
		return rows
	}
	return ui.NarrowTable(rows, columns(f), spare...)
}
