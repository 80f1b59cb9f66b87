package consent

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"golem/core/project"
	"golem/core/trust"
)

// byCommands returns the files among those that use reports which still are what a command
// has made of them. What somebody has changed since is not asked about.
func (b *beyond) byCommands(use func(name string) bool) trust.List {
	tree := b.project.Trees.Work()
	if tree.FS == nil {
		return nil
	}
	files := b.changes.rewritten()
	var out trust.List
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !use(name) || !fs.ValidPath(name) {
			continue
		}
		digest, value := "", "removed"
		data, err := fs.ReadFile(tree.FS, name)
		if err == nil {
			sum := sha256.Sum256(data)
			digest = hex.EncodeToString(sum[:])
			value = "sha256:" + digest
		} else if !errors.Is(err, fs.ErrNotExist) {
			digest = files[name] // it cannot be read: nobody knows that it has changed
			value = "sha256:" + digest
		}
		if digest == files[name] {
			out = append(out, trust.Widening{
				File: name, Path: "changed by a command", Value: value, At: name,
				Means: "this file defines the project, and a command of a worker changed it; with a yes, golem uses it as it is now",
			})
		}
	}
	return out
}

func everyFile(string) bool { return true }

// usedBy returns which of the files that commands change a worker uses: its own, and those
// that any worker can use, such as templates and modules. What belongs to git is git's.
func usedBy(w *project.Worker) func(name string) bool {
	return func(name string) bool {
		return name == w.File || !strings.HasSuffix(name, ".worker") && !strings.HasPrefix(name, ".git/") && !strings.Contains(name, "/.git/")
	}
}
