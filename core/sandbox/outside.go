package sandbox

import (
	"io/fs"
	"slices"
	"strings"
)

// outside is the "not found" error for a path that a restriction hides, or that is in
// no mount; seen names what the worker sees.
type outside struct{ seen string }

func (o outside) Error() string {
	if o.seen == "" {
		return "not found: this worker sees no files"
	}
	return "not found: this worker sees only " + o.seen
}

func (o outside) Is(target error) bool { return target == fs.ErrNotExist }

// seen names what the view shows: its restriction, or its mounts.
func (v *view) seen() string {
	if v.only != "." {
		return Abs(v.only)
	}
	var names []string
	for i := range v.mounts {
		if !v.mounts[i].unlisted() {
			names = append(names, Abs(v.mounts[i].at))
		}
	}
	slices.Sort(names)
	if len(names) > maxSeen {
		names = append(names[:maxSeen], "…")
	}
	return strings.Join(names, ", ")
}

// maxSeen is how many mounts an error names.
const maxSeen = 8
