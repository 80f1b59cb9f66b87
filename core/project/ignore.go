package project

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// ignoreFiles are read for scanning only; the second name is llm-do's (S2-11).
var ignoreFiles = []string{".golemignore", ".llm-doignore"}

// alwaysIgnored directories are never scanned (S2-43).
var alwaysIgnored = []string{".git", ".venv", "__pycache__", "node_modules", sandbox.StateDir}

const maxIgnoreLines = 1000

// ignores reads the ignore files. p.mu must be held.
func (p *Project) ignores() ([]ignorePattern, fault.List) {
	var patterns []ignorePattern
	var faults fault.List
	for _, name := range ignoreFiles {
		l := location{name: name}
		if !p.exists(l) {
			continue
		}
		data, f := p.read(l, maxFrontMatter)
		if f == nil {
			f = yamltree.CheckText(name, data)
		}
		if f != nil {
			faults = append(faults, f)
			continue
		}
		lines := strings.Split(string(bytes.TrimPrefix(data, []byte("\ufeff"))), "\n")
		if len(lines) > maxIgnoreLines {
			faults = append(faults, yamltree.At(name, maxIgnoreLines, 1).Fault(fault.Config, "more than %d lines", maxIgnoreLines))
			lines = lines[:maxIgnoreLines]
		}
		for i, line := range lines {
			pattern, ok, err := parseIgnore(line)
			if err != nil {
				faults = append(faults, yamltree.At(name, i+1, 1).Fault(fault.Config, "the pattern cannot be read: %s", err))
			}
			if ok {
				patterns = append(patterns, pattern)
			}
		}
	}
	return patterns, faults
}

// Ignored returns a function that reports whether the project's ignore files leave out
// a path, and the faults of these files. golem pack uses it. The function does not look
// at the directories above the path.
func (p *Project) Ignored() (func(name string, dir bool) bool, fault.List) {
	p.mu.Lock()
	defer p.mu.Unlock()
	patterns, faults := p.ignores()
	return (&scanned{patterns: patterns}).skips, faults
}

// skips reports whether the ignore files leave a path out of a scan: the last pattern
// that matches decides. The caller checks the directories above the path.
func (s *scanned) skips(name string, dir bool) bool {
	if slices.Contains(alwaysIgnored, path.Base(name)) {
		return true
	}
	for _, p := range slices.Backward(s.patterns) {
		if p.match(name, dir) {
			return !p.included
		}
	}
	return false
}

// ignored does the same as skips for a path that the scan did not walk to: it also
// checks each directory above the path.
func (s *scanned) ignored(name string, dir bool) bool {
	for i, r := range name {
		if r == '/' && s.skips(name[:i], true) {
			return true
		}
	}
	return s.skips(name, dir)
}

// listed applies include and exclude, which may be written from the workers
// root or from the project root.
func (p *Project) listed(name, below string) bool {
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
	return match(p.manifest.Include) && !match(p.manifest.Exclude)
}
