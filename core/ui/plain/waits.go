package plain

import (
	"fmt"
	"strings"
	"time"

	"golem/core/ui"
	"golem/core/ui/view"
)

// maxWaits is the largest number of waits that the status line names.
const maxWaits = 3

// waitsFor returns the status line: what the run waits for, the tokens and the cost so far,
// and the number of staged items. It returns "" while the run does not work.
func waitsFor(s *view.State, now time.Time) string {
	if s.Status != view.Running {
		return ""
	}
	var parts []string
	busy := s.Busy()
	if root := s.Call("0"); root != nil && waits(root, busy) {
		busy = append([]*view.Call{root}, busy...)
	}
	for _, c := range busy[:min(len(busy), maxWaits)] {
		what, since := c.Line(), c.Begun
		switch {
		case c.Run.Requested.IsZero():
		case c.Parent == nil:
			what, since = strings.TrimSpace("waiting for "+ui.SafeLine(c.Run.Model)), c.Run.Requested
		default:
			if what, since = ui.SafeLine(c.Run.Worker), c.Run.Requested; c.Task != "" {
				what += ": " + c.Task
			}
		}
		parts = append(parts, withTime(ui.Clip(what, ui.BriefWidth), now.Sub(since)))
	}
	if more := len(busy) - maxWaits; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	if len(busy) == 0 {
		parts = append(parts, withTime("working", now.Sub(s.Moved)))
	}
	if used := ui.Tokens(s.Usage); used != "" {
		parts = append(parts, used)
	}
	if cost := s.Usage.CostText(); cost != "" {
		parts = append(parts, cost)
	}
	if n := s.Staged(); n > 0 {
		parts = append(parts, fmt.Sprintf("[!] %d pending", n))
	}
	return strings.Join(parts, " · ")
}

// waits reports whether the run waits for the root, too: for the rest of its model's answer,
// or because the root is a tool.
func waits(root *view.Call, busy []*view.Call) bool {
	if root.Run.Thinking {
		return false // it is one of busy
	}
	return !root.Run.Requested.IsZero() || len(busy) == 0 && root.Tool != "" && root.Status == view.Running
}
