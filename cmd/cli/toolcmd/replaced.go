package toolcmd

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"golem/core/ui"
	"golem/core/wasmtool/guard"
)

// unreadable is the digest of a file that cannot be read or is larger than a module may be.
const unreadable = "of a file that cannot be read"

// digest returns the SHA-256 of a file of the project in hexadecimal; "" if there is none.
func (a *adding) digest(name string) string {
	data, err := a.console.ReadFile(filepath.Join(a.root, filepath.FromSlash(name)), guard.MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return unreadable
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// look notes the files that are in the place of files to write, so that write can refuse
// to replace others than the person saw. It returns the names of those whose content
// would change.
func (a *adding) look(files map[string][]byte) (changed []string) {
	if a.there == nil {
		a.there = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(files[name])
		a.there[name] = a.digest(name)
		if a.there[name] != "" && a.there[name] != hex.EncodeToString(sum[:]) {
			changed = append(changed, name)
		}
	}
	return changed
}

// replaces returns the lines that say what the files to write replace: the module, which
// tools.lock may have, and the description beside it.
func (a *adding) replaces(module string, files map[string][]byte) (text string) {
	changed := a.look(files)
	sum := sha256.Sum256(files[module])
	switch pinned := a.digests[module]; {
	case pinned == hex.EncodeToString(sum[:]):
		text = "  this is the module that tools.lock has\n"
	case pinned != "":
		text = "  it replaces the module with sha256 " + pinned + "\n"
	}
	for _, name := range changed {
		if name != module || a.there[name] != a.digests[name] {
			text += "  it replaces the file " + ui.OneLine(name) + ", sha256 " + a.there[name] + "\n"
		}
	}
	return text
}
