package conversation

import (
	"errors"

	"golem/core/fault"
	"golem/core/state"
)

// OfRun reads the conversation of a run: the one with its name, or the one that it resumed. With
// "" it is the one that was written last. Its errors are those of Read.
func OfRun(s *state.Store, run string) (*Kept, error) {
	k, err := Read(s, run)
	if !errors.Is(err, fault.NotFound) || run == "" {
		return k, err
	}
	for id := range newestFirst(s) {
		if other, bad := Read(s, id); bad == nil {
			if found, _ := other.Resumed(run); found {
				return other, nil
			}
		}
	}
	return nil, err
}

// Resumed reports whether a run went on with the conversation. first says that it ended the
// first exchange, which had failed or had no end before.
func (k *Kept) Resumed(run string) (found, first bool) {
	within := false
	for i := range k.entries {
		switch e := &k.entries[i]; e.T {
		case ResumeEntry:
			within = e.Run == run
			found = found || within
		case DoneEntry:
			first = first || within && e.step == 0
		}
	}
	return found, first
}
