package sandbox

import (
	"io/fs"
	"maps"
	"slices"
)

// Changed returns the names of what an Overlay of a whole tree shows otherwise than its base,
// in order: files that were written, and names that were removed from base. A directory that
// was removed or moved stands for all that was below it. Of any other tree it returns nil.
func Changed(tree FS) []string {
	o, ok := tree.(*overlay)
	if !ok {
		return nil
	}
	o.mu.RLock()
	defer o.mu.RUnlock()
	names := maps.Clone(o.gone)
	_ = fs.WalkDir(o.upper, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names[name] = true
		}
		return nil
	})
	return slices.Sorted(maps.Keys(names))
}
