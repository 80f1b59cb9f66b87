package batch

import "golem/core/fault"

// Listing is a batch in a list.
type Listing struct {
	Head
	Counts  Counts       `json:"counts"`
	Running bool         `json:"running"`         // somebody runs it now
	Error   *fault.Fault `json:"error,omitempty"` // it cannot be read
}

// Listed returns a batch for a list.
func Listed(l *Local) Listing {
	return Listing{Head: l.Head, Counts: l.Counts(), Running: l.Held()}
}

// State returns how far the batch is, in one word.
func (l Listing) State() string {
	switch {
	case l.Error != nil:
		return string(l.Error.Code)
	case l.Running:
		return "running"
	case l.Counts.Open+l.Counts.Parked == 0:
		return "done"
	}
	return "stopped"
}
