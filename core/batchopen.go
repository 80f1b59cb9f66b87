package core

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/state"
	"golem/core/workspace"
)

// OpenBatch opens the batch of a store to run it with a packed project; see batch.OpenLocal. If
// the batch began with another content of the project, the error names the files that differ.
func OpenBatch(s *state.Store, h batch.Head, pack *workspace.Pack) (*batch.Local, error) {
	l, err := batch.OpenLocal(s, h)
	var f *fault.Fault
	if !errors.As(err, &f) || f.Code != fault.Conflict {
		return l, err
	}
	data, unread := fs.ReadFile(s.Files, batch.PackFile)
	if unread != nil {
		return nil, err
	}
	began, unread := workspace.ReadPack(data)
	if unread != nil || began.Digest == pack.Digest {
		return nil, err
	}
	named := *f
	named.Message += "; since then: " + differences(began.Index, pack.Index)
	named.Hint += "; a .golemignore file leaves files out"
	return nil, &named
}

// maxDifferences is how many files a message names.
const maxDifferences = 5

// differences says for people which files of a packed project changed, are gone and are new.
func differences(before, now workspace.Index) string {
	sums := map[string]string{}
	for _, f := range before.Files {
		sums[f.Path] = f.SHA256
	}
	said := func(path, how string) string {
		return fmt.Sprintf("%s (%s)", fault.Brief(strings.TrimPrefix(path, "project/")), how)
	}
	var all, added []string
	for _, f := range now.Files {
		switch old, known := sums[f.Path]; {
		case !known:
			added = append(added, said(f.Path, "new"))
		case old != f.SHA256:
			all = append(all, said(f.Path, "changed"))
		}
		delete(sums, f.Path)
	}
	for _, f := range before.Files {
		if _, gone := sums[f.Path]; gone {
			all = append(all, said(f.Path, "gone"))
		}
	}
	all = append(all, added...)
	if len(all) == 0 {
		return "the project's name, version or empty directories"
	}
	if more := len(all) - maxDifferences; more > 0 {
		all = append(all[:maxDifferences], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}
