package trace

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// RunsDir is the directory of the traces, relative to the project's root.
const RunsDir = ".golem/runs"

// OrderKind is the kind of a project's traces in state.Store.Order.
const OrderKind = "runs"

// KeptRuns is the number of traces that golem keeps for each project
// (SPEC §14).
const KeptRuns = 200

// Folder is the directory in which a project's traces are kept.
type Folder interface {
	fs.FS
	Remove(name string) error // removes a file or an empty directory
}

// Prune removes old traces with their long texts, so that at most keep of the person's own
// stay, and removes long texts without a trace. Call it before the trace called next is
// made. own are the traces that golem wrote on this machine, the newest last: others, as
// a clone brings them along, neither count nor are removed. If own is nil, golem has no
// key to tell; then all count, and the names that sort after next are removed first, so
// that traces of the year 9999 in a cloned project do not displace the real ones. Files with other names do not belong to golem and stay. So do the traces of runs
// that still run: goesOn reports whether the run of a trace does; nil means that none
// does. Errors are ignored, because the next Prune tries again.
func Prune(f Folder, next string, keep int, own []string, goesOn func(name string) bool) {
	entries, err := fs.ReadDir(f, ".")
	if err != nil {
		return
	}
	var files, dirs []string
	for _, e := range entries {
		switch {
		case isTrace(e):
			files = append(files, e.Name())
		case ofRun(e) && e.IsDir() && strings.HasSuffix(e.Name(), ".d"):
			dirs = append(dirs, e.Name())
		}
	}
	slices.Sort(files)
	mine := slices.DeleteFunc(slices.Clone(own), func(name string) bool { return !slices.Contains(files, name) })
	others := slices.DeleteFunc(slices.Clone(files), func(name string) bool { return slices.Contains(mine, name) })
	now, found := slices.BinarySearch(others, next)
	if found {
		now++
	}
	others = slices.Concat(others[now:], others[:now])
	if own != nil {
		others = nil
	}
	old := slices.Concat(others[:max(len(others)-keep, 0)], mine[:max(len(mine)-keep, 0)])
	if goesOn != nil {
		old = slices.DeleteFunc(old, goesOn)
	}
	for _, dir := range dirs {
		if name := strings.TrimSuffix(dir, ".d") + ".jsonl"; slices.Contains(old, name) || !slices.Contains(files, name) {
			RemoveTexts(f, dir)
		}
	}
	for _, name := range old {
		_ = f.Remove(name) // another golem may already have removed it
	}
}

// Listed returns the names of the traces in a directory, for state.Store.Last; nil if it
// cannot be read.
func Listed(f fs.FS, dir string) map[string]bool {
	entries, err := fs.ReadDir(f, dir)
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for _, e := range entries {
		if isTrace(e) {
			out[e.Name()] = true
		}
	}
	return out
}

// ofRun reports whether the name of a file or directory begins as a run's ID does.
func ofRun(e fs.DirEntry) bool {
	run, _ := path.Match("[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]-*", e.Name())
	return run
}

func isTrace(e fs.DirEntry) bool {
	return ofRun(e) && e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".jsonl")
}

// RemoveTexts removes a TextsDir with its long texts and prompts. If it contains files
// that do not belong to golem, they and the folder stay.
func RemoveTexts(f Folder, dir string) {
	entries, err := fs.ReadDir(f, dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if _, prompt := PromptOf(e.Name()); prompt || isText(e.Name()) {
			_ = f.Remove(path.Join(dir, e.Name())) // the next run tries again
		}
	}
	_ = f.Remove(dir) // the next run tries again
}
