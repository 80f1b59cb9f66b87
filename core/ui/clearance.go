package ui

import (
	"golem/core/trace"
)

// clearance prints what happened to a staged item and, at the end of a run, the items that
// wait for a person (S4-18, S4-20, S4-36).
func (p *Plain) clearance(e trace.Event, b trace.Clearance) {
	switch {
	case b.Error != nil:
		p.alert(e, "clearance: "+b.Action+" "+oneLine(b.Item)+": "+oneLine(b.Error.Error()), red)
	case b.Action == "pending":
		p.alert(e, "[!] "+oneLine(b.Message), yellow)
		p.note(e.ID, "Run: golem clearance list")
	default:
		p.note(e.ID, oneLine("clearance: "+b.Action+" "+b.Item+" "+b.Message))
	}
}
