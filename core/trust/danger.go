package trust

import (
	"cmp"

	"golem/core/sorting"
)

// Danger says what a person gives away with a yes to a widening. The dangers are in the
// order in which a question shows them (SPEC §7): the zero value is the least one.
type Danger int

// The dangers.
const (
	Other    Danger = iota
	Outside         // files or modules from outside the project, or a library's
	Hosts           // what is sent to a host
	Commands        // calls that run without asking
	Keys            // keys and other values of the person that are sent or given
	Programs        // programs that are started with the person's rights
)

var dangerNames = []string{"other", "outside", "hosts", "commands", "keys", "programs"}

// String returns the name that a Line of a question has for the danger.
func (d Danger) String() string {
	if d < 0 || int(d) >= len(dangerNames) {
		return dangerNames[Other]
	}
	return dangerNames[d]
}

// ByDanger returns the list with the most dangerous widenings first. Those of one danger
// are in the order of Sorted.
func (l List) ByDanger() List {
	out := l.Sorted()
	sorting.By(out, func(a, b Widening) int { return cmp.Compare(b.Danger, a.Danger) })
	return out
}
