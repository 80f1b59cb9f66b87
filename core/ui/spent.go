package ui

import (
	"strconv"

	"golem/core/trace"
)

// Spent returns the line for the end of a run, with its cost and its tokens. If the cost
// is unknown, it returns the tokens alone if tokens is true, else "".
func Spent(u trace.Usage, tokens bool) string {
	cost := u.CostText()
	if cost == "" && (!tokens || u.In+u.Out == 0) {
		return ""
	}
	about := ""
	if u.Estimated {
		about = "about "
	}
	text := about + strconv.Itoa(u.In) + " tokens in"
	if u.Cached > 0 {
		text += ", " + strconv.Itoa(u.Cached) + " of them from the cache"
	}
	text += ", " + strconv.Itoa(u.Out) + " out"
	if cost == "" {
		return "Used: " + text
	}
	return "Cost: " + cost + " (" + text + ")"
}
