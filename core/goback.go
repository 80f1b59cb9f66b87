package core

import (
	"slices"
	"strings"

	"golem/core/run"
	"golem/core/ui"
)

// attachAgain attaches the files of a message that the person took back to the next one, where
// files can be attached by a command. Those that the text names with @ go with it anyway. It
// returns the names of all files that are attached now.
func attachAgain(s *run.Session, host ChatHost, files []run.File, draft string) string {
	if len(files) == 0 || !host.CommandLine() {
		return ""
	}
	named, _, err := host.Mentioned(draft)
	if err != nil {
		named = nil
	}
	for _, f := range files {
		if !slices.ContainsFunc(slices.Concat(named, s.Attached()), func(n run.File) bool { return n.Name == f.Name }) {
			s.Attach(f)
		}
	}
	var names []string
	for _, f := range s.Attached() {
		names = append(names, ui.OneLine(f.Name))
	}
	return strings.Join(names, ", ")
}
