package project

import "golem/core/yamltree"

// ReferenceLists returns the lists of references in a worker's configuration.
func ReferenceLists(got *Loaded) []*yamltree.Node {
	var out []*yamltree.Node
	for _, n := range []*yamltree.Node{got.Keys.Path("toolsets", "workers", "allowed_workers"), got.Keys.Path("imports", "workers")} {
		if n != nil {
			out = append(out, n)
		}
	}
	return out
}
