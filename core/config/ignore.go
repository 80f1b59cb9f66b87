package config

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/gitglob"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// IgnoreFiles are read for scanning only; the second name is llm-do's (S2-11).
var IgnoreFiles = []string{".golemignore", ".llm-doignore"}

// AlwaysIgnored directories are never scanned (S2-43).
var AlwaysIgnored = []string{".git", ".venv", "__pycache__", "node_modules", sandbox.StateDir}

const maxIgnoreLines = 1000

// ReadIgnoreFile returns the patterns in the text of an ignore file.
func ReadIgnoreFile(name string, data []byte) (patterns IgnorePatterns, faults fault.List) {
	if f := yamltree.CheckText(name, data); f != nil {
		return nil, fault.List{f}
	}
	lines := strings.Split(string(bytes.TrimPrefix(data, []byte("\ufeff"))), "\n")
	if len(lines) > maxIgnoreLines {
		faults = append(faults, yamltree.At(name, maxIgnoreLines, 1).Fault(fault.Config, "more than %d lines", maxIgnoreLines))
		lines = lines[:maxIgnoreLines]
	}
	for i, line := range lines {
		pattern, ok, err := gitglob.ParseIgnore(line, false)
		if err != nil {
			faults = append(faults, yamltree.At(name, i+1, 1).Fault(fault.Config, "the pattern cannot be read: %s", err))
		}
		if ok {
			patterns = append(patterns, pattern)
		}
	}
	return patterns, faults
}

// IgnorePatterns are the lines of the ignore files of a project, in order.
type IgnorePatterns []gitglob.Ignore

// Skips reports whether the ignore files leave a path out of a scan: the last pattern
// that matches decides. The caller checks the directories above the path.
func (all IgnorePatterns) Skips(name string, dir bool) bool {
	if slices.Contains(AlwaysIgnored, path.Base(name)) {
		return true
	}
	for _, p := range slices.Backward(all) {
		if p.Match(name, dir) {
			return !p.Included
		}
	}
	return false
}

// Ignored does the same as skips for a path that the scan did not walk to: it also
// checks each directory above the path.
func (all IgnorePatterns) Ignored(name string, dir bool) bool {
	for i, r := range name {
		if r == '/' && all.Skips(name[:i], true) {
			return true
		}
	}
	return all.Skips(name, dir)
}
