package plain

import (
	"golem/core/trace"
	"golem/core/ui"
)

// clearance prints what happened to a staged item and, at the end of a run, the items that
// wait for a person (S4-18, S4-20, S4-36).
func (p *UI) clearance(e trace.Event, b trace.Clearance) {
	switch {
	case b.Error != nil:
		p.alert(e, "clearance: "+b.Action+" "+ui.SafeLine(b.Item)+": "+ui.SafeLine(b.Error.Error()), ui.Bad)
	case b.Action == "pending":
		p.alert(e, "[!] "+ui.SafeLine(b.Message), ui.Warn)
		p.note(e.ID, "Run: golem clearance list")
	default:
		p.note(e.ID, ui.SafeLine("clearance: "+b.Action+" "+b.Item+" "+b.Message))
	}
}
