package model

import (
	"fmt"
	"strconv"
	"strings"
)

// callPrefix begins golem's call ids. With five digits they have the nine
// letters and digits that the strictest provider wants.
const callPrefix = "call"

// ownIDs gives calls ids of golem's own, unique in the conversation and the
// same in any two runs. What a model sent as ids is untrusted (SECURITY 12).
func ownIDs(history []Message, calls []Call) {
	next := int64(1)
	for _, m := range history {
		for _, c := range m.Calls {
			if n, err := strconv.ParseInt(strings.TrimPrefix(c.ID, callPrefix), 10, 64); err == nil && n >= next && n < 1<<40 {
				next = n + 1
			}
		}
	}
	for i := range calls {
		calls[i].ID = fmt.Sprintf("%s%05d", callPrefix, next+int64(i))
	}
}
