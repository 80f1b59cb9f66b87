package project

import (
	"github.com/bmatcuk/doublestar/v4"

	"golem/core/config"
	"golem/core/fault"
)

// ignores reads the ignore files. ws.mu must be held.
func (ns *Names) ignores() (config.IgnorePatterns, fault.List) {
	var patterns config.IgnorePatterns
	var faults fault.List
	for _, name := range config.IgnoreFiles {
		l := Location{Name: name}
		if !ns.trees.Exists(l) {
			continue
		}
		data, f := ns.trees.read(l, config.MaxFrontMatter)
		if f != nil {
			faults = append(faults, f)
			continue
		}
		more, bad := config.ReadIgnoreFile(name, data)
		patterns, faults = append(patterns, more...), append(faults, bad...)
	}
	return patterns, faults
}

// Ignored returns a function that reports whether the project's ignore files leave out
// a path, and the faults of these files. golem pack uses it. The function does not look
// at the directories above the path.
func (ns *Names) Ignored() (func(name string, dir bool) bool, fault.List) {
	patterns, faults := ns.ignores()
	return patterns.Skips, faults
}

// listed applies include and exclude, which may be written from the workers
// root or from the project root.
func (ns *Names) listed(name, below string) bool {
	match := func(globs []string) bool {
		for _, g := range globs {
			for _, candidate := range []string{below, name} {
				if ok, err := doublestar.Match(g, candidate); err == nil && ok {
					return true
				}
			}
		}
		return false
	}
	return match(ns.trees.Own().Manifest.Include) && !match(ns.trees.Own().Manifest.Exclude)
}
