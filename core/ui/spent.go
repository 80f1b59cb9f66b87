package ui

import (
	"fmt"
	"strconv"
	"time"

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

// Seconds returns a duration as a status line shows it, such as "5 s", "2 min 5 s" and
// "1 h 2 min"; a negative one is "0 s".
func Seconds(d time.Duration) string {
	s := max(int(d/time.Second), 0)
	switch {
	case s < 60:
		return strconv.Itoa(s) + " s"
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}

// Thought returns the line that stands for what a model reasoned in a turn, such as "thought
// for 4 s · 320 tokens"; nil: it was stopped before its end.
func Thought(r *trace.Reasoned) string {
	if r == nil {
		return "thought, and was stopped"
	}
	text := "thought"
	if r.MS >= 1000 {
		text += " for " + Seconds(time.Duration(r.MS)*time.Millisecond)
	}
	about := ""
	if r.Estimated {
		about = "~"
	}
	if r.Tokens == 1 {
		return text + " · " + about + "1 token"
	}
	return text + " · " + about + Thousands(r.Tokens) + " tokens"
}

// Thousands returns a number of tokens in a few characters: 950, 1.2k, 34k.
func Thousands(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 10_000:
		return strconv.FormatFloat(float64(n/100)/10, 'f', 1, 64) + "k"
	}
	return strconv.Itoa(n/1000) + "k"
}

// Tokens returns the number of Tokens as text, or "" if there are none.
func Tokens(u trace.Usage) string {
	if u.In+u.Out == 0 {
		return ""
	}
	about := ""
	if u.Estimated {
		about = "~"
	}
	return about + Thousands(u.In) + " tokens in, " + about + Thousands(u.Out) + " out"
}
