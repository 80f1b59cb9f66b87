package custom

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golem/core/sandbox"
	"golem/core/wasmtool"
)

// files are the files that a module is granted: all that the worker sees, or some
// directories with their modes.
type files struct {
	all  bool
	dirs map[string]sandbox.Mode
}

// UnmarshalJSON reads true, false, and directories with their modes.
func (f *files) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '{' {
		return json.Unmarshal(raw, &f.dirs)
	}
	return json.Unmarshal(raw, &f.all)
}

// files is what a module sees of the worker's files; nil: it sees none. Where no code
// runs, the files are not those of a run, and no directory is looked for in them.
func (c *custom) files(granted files) (sandbox.FS, error) {
	switch {
	case len(granted.dirs) > 0 && !c.found.Inert:
		return sandbox.Parts(c.env.Files, granted.dirs)
	case granted.all || len(granted.dirs) > 0:
		return c.env.Files, nil
	}
	return nil, nil
}

// shown are the granted files for a person, and for comparing.
func (f files) shown(g wasmtool.Grants) (short, exact string) {
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
