package clearance

import (
	"golem/core/fault"
)

// Listing is an item as golem clearance --json and the page show it.
type Listing struct {
	Item   Item          `json:"item"`
	Digest string        `json:"digest"`          // binds a push to what was shown
	Error  *fault.Fault  `json:"error,omitempty"` // why the item is only shown
	Files  []FileListing `json:"files,omitempty"` // with diff
}

// FileListing is what pushing an item does to one file.
type FileListing struct {
	Path       string `json:"path"` // below the mount
	To         string `json:"to"`   // where it goes
	Definition bool   `json:"definition,omitempty"`
	Patch      string `json:"patch"`
}

// Listing describes an item; diffs may be nil.
func (i Item) Listing(diffs []FileDiff) Listing {
	out := Listing{Item: i, Digest: i.Digest()}
	if i.Err != nil {
		out.Error = fault.Of(i.Err, fault.Trust)
	}
	for _, d := range diffs {
		out.Files = append(out.Files, FileListing{d.Path, d.To, d.Definition, d.Patch})
	}
	return out
}
