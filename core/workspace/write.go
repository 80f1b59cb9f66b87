package workspace

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"
)

// node is a file or directory that is to be created.
type node struct {
	name string
	dir  bool
	data []byte
}

// write creates all nodes in order. At the first error it removes what it has created
// and returns that error.
func write(dst afero.Fs, nodes []node) error {
	var made []string          // files and directories in the order in which they were created
	there := map[string]bool{} // directories
	for _, n := range nodes {
		parent := n.name
		if !n.dir {
			parent = path.Dir(n.name)
		}
		dirs, err := makeDirs(dst, parent, there)
		made = append(made, dirs...)
		if err == nil && !n.dir {
			made = append(made, n.name)
			err = afero.WriteFile(dst, n.name, n.data, 0o644)
		}
		if err != nil {
			for _, name := range slices.Backward(made) {
				_ = dst.Remove(name) // write returns the error that stopped it, not this one
			}
			return err
		}
	}
	return nil
}

// makeDirs creates a directory and its parents, and returns those that did not exist
// before. It skips the directories in there, which are known to exist, and adds the
// others to it.
func makeDirs(dst afero.Fs, dir string, there map[string]bool) (made []string, err error) {
	at := ""
	for elem := range strings.SplitSeq(dir, "/") {
		if at = path.Join(at, elem); at == "." || there[at] {
			continue
		}
		there[at] = true
		switch err := dst.Mkdir(at, 0o755); {
		case err == nil:
			made = append(made, at)
		case !errors.Is(err, fs.ErrExist):
			return made, err
		}
	}
	return made, nil
}
