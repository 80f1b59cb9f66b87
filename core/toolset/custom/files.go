package custom

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golem/core/sandbox"
	"golem/core/wasmtool"
)

// files says which files a module is granted: all that the worker sees, or some
// directories with their modes.
type files struct {
	all  bool
	dirs map[string]sandbox.Mode
}

// UnmarshalJSON reads true, false, or an object of directories and their modes.
func (f *files) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '{' {
		return json.Unmarshal(raw, &f.dirs)
	}
	return json.Unmarshal(raw, &f.all)
}

// files returns the part of the worker's files that a module sees; nil: none. During
// golem check the files are not those of a run, so the granted directories are not looked
// up in them.
func (c *custom) files(granted files) (sandbox.FS, error) {
	switch {
	case len(granted.dirs) > 0 && !c.found.Inert:
		return sandbox.Parts(c.env.Files, granted.dirs)
	case granted.all || len(granted.dirs) > 0:
		return c.env.Files, nil
	}
	return nil, nil
}

// describe returns the granted files as a short text for people, and as an exact text to
// compare grants.
func (f files) describe(g wasmtool.Grants) (short, exact string) {
	short, exact = sandbox.Shown(g.Files)
	if len(sandbox.Mounts(g.Files)) > 0 || len(f.dirs) == 0 {
		return short, exact
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(f.dirs)) {
		at := name
		if clean, err := sandbox.Clean(name); err == nil {
			at = sandbox.Abs(clean)
		}
		all = append(all, at+" ("+string(f.dirs[name])+")")
	}
	return strings.Join(all, ", "), exact
}
