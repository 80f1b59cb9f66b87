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

// write creates all nodes or none, in order. It returns the first error.
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
				_ = dst.Remove(name) // the error that is returned is the one that stopped the writing
			}
			return err
		}
	}
	return nil
}

// makeDirs creates a directory and its parents, but for those that there has and to
// which it adds them, and returns those that did not exist before.
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
