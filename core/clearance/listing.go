package clearance

import (
	"golem/core/fault"
)

// Listing is an item in the form in which golem clearance --json and the page show it.
type Listing struct {
	Item   Item          `json:"item"`
	Digest string        `json:"digest"`          // binds a push to the item that was shown
	Error  *fault.Fault  `json:"error,omitempty"` // why the item can only be shown
	Files  []FileListing `json:"files,omitempty"` // only with diffs
}

// FileListing is the change that pushing an item makes to one file.
type FileListing struct {
	Path       string `json:"path"` // below the mount
	To         string `json:"to"`   // the place where it is written
	Definition bool   `json:"definition,omitempty"`
	Patch      string `json:"patch"` // see FileDiff
}

// Listing returns the item with its digest and, unless diffs is nil, its files.
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
