package report

import (
	"cmp"
	"strings"

	"golem/core/fault"
	"golem/core/trace"
	"golem/core/ui/view"
)

// Listing is a run in one line, as golem trace list prints it (SPEC §12).
type Listing struct {
	Run     string       `json:"run"`
	Started string       `json:"started,omitempty"` // RFC 3339, UTC
	Entry   string       `json:"entry,omitempty"`
	Input   string       `json:"input,omitempty"` // its first line that is not empty
	Status  string       `json:"status"`          // as in run.end; "" if the trace ends before the run did
	MS      int64        `json:"ms"`
	Usage   trace.Usage  `json:"usage"`
	Error   *fault.Fault `json:"error,omitempty"` // the trace cannot be read
}

// ListingOf returns the listing of a trace.
func ListingOf(h trace.Header, events []trace.Event) Listing {
	root := view.Read(events).Root()
	input, _, _ := strings.Cut(strings.TrimSpace(plain(root.Args)), "\n")
	return Listing{Run: h.Run, Started: h.Started, Entry: h.Entry, Input: input, Status: string(root.Outcome()), MS: root.MS, Usage: root.Used()}
}

// ListingNames are the headings of the columns that Columns returns.
var ListingNames = []string{"RUN", "TIME", "ENTRY", "STATUS", "DURATION", "TOKENS", "COST", "INPUT"}

// Columns returns the listing for people, in the order of ListingNames. The texts are
// not escaped.
func (l Listing) Columns() []string {
	if l.Error != nil {
		return []string{l.Run, "", "", "unreadable", "", "", "", l.Error.Error()}
	}
	return []string{l.Run, l.Started, l.Entry, cmp.Or(l.Status, "unfinished"), duration(l.MS), tokens(l.Usage), l.Usage.CostText(), l.Input}
}
