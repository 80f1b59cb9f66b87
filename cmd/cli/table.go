package main

import "golem/core/ui"

func oneLine(s string) string { return ui.OneLine(s) }

func table(rows [][]string) string { return ui.Table(rows) }
