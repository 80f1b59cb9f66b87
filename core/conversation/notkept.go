package conversation

import (
	"slices"

	"golem/core/fault"
)

// NotKept returns E_CONFLICT for the first file that the calls of a conversation left and whose
// content golem did not keep; nil: all can be put back.
func (k *Kept) NotKept() *fault.Fault {
	for _, c := range k.Files() {
		if c.Left != "" {
			return notKept(c)
		}
	}
	return nil
}

func notKept(c Change) *fault.Fault {
	if c.Left == LeftSecret {
		return fault.New(fault.Conflict, "%s was not kept, because it has a secret", c.Path)
	}
	return fault.New(fault.Conflict, "%s was not kept, because it is larger than golem keeps", c.Path)
}

// ArgsNotKept reports whether a call of the last exchange has not ended and had a secret in its
// arguments, so that golem cannot run it again.
func (k *Kept) ArgsNotKept() bool {
	return slices.ContainsFunc(k.Reopen(), func(d Doubt) bool { return d.Secret })
}

// Repeatable reports whether the conversation can begin anew without a question: each call that
// can have changed something does no more if it runs twice.
func (k *Kept) Repeatable() bool {
	for i := range k.entries {
		if e := &k.entries[i]; e.T == StartEntry && !e.Again {
			return false
		}
	}
	return true
}
