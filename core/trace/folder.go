package trace

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// KeptRuns is how many traces of a project are kept (SPEC §14).
const KeptRuns = 200

// Folder is where a project keeps its traces.
type Folder interface {
	fs.FS
	Remove(name string) error // a file, or an empty directory
}

// Prune removes all but the newest traces, with their long texts, and texts
// whose trace is gone. Names begin with the time of the run; what has another
// name is not golem's and stays. What cannot be removed stays for the next time.
func Prune(f Folder, keep int) {
	entries, err := fs.ReadDir(f, ".")
	if err != nil {
		return
	}
	var files, dirs []string
	for _, e := range entries {
		switch run, _ := path.Match("[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]-*", e.Name()); {
		case run && e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".jsonl"):
			files = append(files, e.Name())
		case run && e.IsDir() && strings.HasSuffix(e.Name(), ".d"):
			dirs = append(dirs, e.Name())
		}
	}
	slices.Sort(files)
	old, kept := files[:max(len(files)-keep, 0)], files[max(len(files)-keep, 0):]
	for _, dir := range dirs {
		if !slices.Contains(kept, strings.TrimSuffix(dir, ".d")+".jsonl") {
			RemoveTexts(f, dir)
		}
	}
	for _, name := range old {
		_ = f.Remove(name) // another golem may have been faster
	}
}

// RemoveTexts removes a TextsDir; files that are not golem's stay, and the
// folder with them.
func RemoveTexts(f Folder, dir string) {
	entries, err := fs.ReadDir(f, dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if IsText(e.Name()) {
			_ = f.Remove(path.Join(dir, e.Name())) // there is always the next run
		}
	}
	_ = f.Remove(dir) // as above
}
