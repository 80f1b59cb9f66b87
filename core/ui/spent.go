package ui

import (
	"strconv"

	"golem/core/trace"
)

// Spent is the line at the end of a run: what it cost, and the tokens that were
// billed. Where the price is not known it is "", unless tokens are wanted anyhow.
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
