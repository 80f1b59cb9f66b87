package migrate

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// testsDir is the directory of tests in a project, and recordingsDir that of their recordings.
const (
	testsDir      = "tests"
	recordingsDir = testsDir + "/recordings"
)

// tests returns the files of tests without their first key, test.
func (m *pass) tests() (out []string) {
	_ = fs.WalkDir(m.files, testsDir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil: // there are none, or what cannot be read is not changed
			return nil
		case d.IsDir() && name == recordingsDir:
			return fs.SkipDir
		case !d.Type().IsRegular() || !m.isTests(name):
			return nil
		}
		data, err := readFile(m.files, name)
		if err != nil || len(data) > maxFile {
			return nil
		}
		if root, faults := yamltree.Parse(name, data); len(faults) == 0 && root.Get("test") == nil && root.Get("cases") != nil {
			out = append(out, name)
		}
		return nil
	})
	return out
}

// isTests reports whether a file that may be changed is one of tests.
func (m *pass) isTests(name string) bool {
	return strings.HasPrefix(name, testsDir+"/") && slices.Contains([]string{".yaml", ".yml"}, path.Ext(name)) && !m.isWorker(name)
}

// testsKey writes the first key of a file of tests, or mends its spelling. It changes nothing if
// a key may be meant as this one and has another value.
func testsKey(d *doc) {
	for _, f := range d.tree.Fields {
		if config.TestShape.Keys[f.Name] == nil && fault.Nearest(f.Name, []string{"test"}) != "" {
			if f.Value.Text == "1" {
				d.rename(f, "test", "the first key of a file of tests is test")
			}
			return
		}
	}
	first := d.tree.Fields[0]
	if at := d.offset(first.Pos); at >= 0 && first.Pos.Column == 1 {
		d.change(first.Pos, "a file of tests begins with test: 1", edit{at, at, "test: 1" + d.newline()})
	}
}
