package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"golem/core/fault"
	"golem/core/sandbox"
)

// claimed is the beginning of the name of a directory in sandbox.StateDir that says which
// template Init is writing. It is there from before the first file until after the last one.
const claimed = "init-"

// claim is the right to write a template into a directory. Two processes that begin at
// once with different templates see the claims of each other, so that at most one of them
// writes. A claim that a killed process left lets the same template be finished, and keeps
// another one out.
type claim struct {
	dst   afero.Fs
	dir   string   // the directory of the project
	at    string   // the directory that is the claim
	made  []string // what claimDir created, parents first
	found bool     // the claim was there before
}

// claimDir claims a directory for a template.
func claimDir(dst afero.Fs, dir, template string) (*claim, error) {
	state := path.Join(dir, sandbox.StateDir)
	c := &claim{dst: dst, dir: dir, at: path.Join(state, claimed+template)}
	var err error
	if c.made, err = makeDirs(dst, c.at, map[string]bool{}); err != nil {
		c.release()
		return nil, err
	}
	c.found = !slices.Contains(c.made, c.at)
	entries, err := afero.ReadDir(dst, state)
	if err != nil {
		c.release()
		return nil, err
	}
	for _, e := range entries {
		if other, ok := strings.CutPrefix(e.Name(), claimed); ok && other != template {
			c.release()
			return nil, begun(other)
		}
	}
	return c, nil
}

// begun returns the error for a directory into which another template is written.
func begun(template string) error {
	return fault.New(fault.Conflict, "golem init --template %s is writing here, or was stopped before its end", safeName(template)).
		Hinting("choose a new directory; if no golem init runs, the same command with --template %s finishes it", safeName(template))
}

// claimOf returns the template that is being written into a directory; "" if there is none.
func claimOf(dst afero.Fs, dir string) string {
	entries, err := afero.ReadDir(dst, path.Join(dir, sandbox.StateDir))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if template, ok := strings.CutPrefix(e.Name(), claimed); ok && len(entries) == 1 {
			return template
		}
	}
	return ""
}

// unclaimed reports whether a directory has an empty state directory, which an Init leaves
// that is killed before it has its claim.
func unclaimed(dst afero.Fs, dir string) bool {
	entries, err := afero.ReadDir(dst, path.Join(dir, sandbox.StateDir))
	return err == nil && len(entries) == 0
}

// release removes what claimDir created, without directories that contain anything else.
func (c *claim) release() {
	for _, name := range slices.Backward(c.made) {
		_ = c.dst.Remove(name) // it may contain files of another process
	}
}

// end removes the claim after the last file.
func (c *claim) end() {
	for _, name := range []string{c.at, path.Dir(c.at)} {
		_ = c.dst.Remove(name) // another process may have ended the same claim
	}
}

// missing returns those of the nodes that are not there yet, or of which a kill left only the
// beginning. A file of another content, and one that is no part of the nodes, is E_CONFLICT.
func (c *claim) missing(nodes []node) ([]node, error) {
	parts := map[string]bool{path.Join(c.dir, sandbox.StateDir): true}
	var out []node
	for _, n := range nodes {
		for at := n.name; at != "." && at != c.dir; at = path.Dir(at) {
			parts[at] = true
		}
		data, err := afero.ReadFile(c.dst, n.name)
		switch {
		case n.dir, errors.Is(err, fs.ErrNotExist):
			out = append(out, n)
		case err != nil:
			return nil, err
		case !bytes.HasPrefix(n.data, data):
			return nil, occupied(n.name)
		case len(data) < len(n.data):
			out = append(out, n)
		}
	}
	err := c.checkOnlyParts(c.dir, parts)
	return out, err
}

// checkOnlyParts returns an error unless everything in dir is one of the parts.
func (c *claim) checkOnlyParts(dir string, parts map[string]bool) error {
	entries, err := afero.ReadDir(c.dst, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if !parts[name] {
			return occupied(name)
		}
		if e.IsDir() && e.Name() != sandbox.StateDir {
			if err := c.checkOnlyParts(name, parts); err != nil {
				return err
			}
		}
	}
	return nil
}

func occupied(name string) error {
	return fault.New(fault.Conflict, "the directory is not empty: it has %s", safeName(path.Base(name))).Hinting("nothing was written; choose a new directory")
}
