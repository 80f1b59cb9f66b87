package sandbox

import (
	"io/fs"
	"slices"
	"strings"
)

// outside is the "not found" error for a path that a restriction hides, or that is in
// no mount. seen lists the paths that the worker sees, for the message.
type outside struct{ seen string }

func (o outside) Error() string {
	if o.seen == "" {
		return "not found: this worker sees no files"
	}
	return "not found: this worker sees only " + o.seen
}

func (o outside) Is(target error) bool { return target == fs.ErrNotExist }

// restriction returns the view's restriction or, if it has none, the list of its mounts.
func (v *view) restriction() string {
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

// maxSeen is the most mounts that an error lists.
const maxSeen = 8
