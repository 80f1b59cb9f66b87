package sandboxtest

import (
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hack-pad/hackpadfs"
	"github.com/hack-pad/hackpadfs/fstest"

	"golem/core/sandbox"
)

// Difference is a case of hackpadfs's suite that golem's trees fail on purpose.
type Difference struct {
	Case string // the end of the test's name
	Why  string
}

// Differences lists where golem's trees differ on purpose from hackpadfs's
// suite, which expects the behaviour of package os on a disk.
var Differences = []Difference{
	{"fs.Open/invalid_path", badName},
	{"fs.OpenFile/read-only/invalid_path", badName},
	{"fs.Stat/invalid_path", badName},
	{"file.Stat/invalid_path", badName},
	{"fs.Stat/stat_a_file", noModes},
	{"file.Stat/stat_a_file", noModes},
	{"fs.ReadDir/exists", noModes},
	{"file_concurrent.Stat", noModes},
	{"fs.ReadDir/not_exists", "an error names what was called, readdir, not what that calls"},
	{"fs.Rename/oldpath_does_not_exist", linkError},
	{"fs.Rename/newpath_is_directory", linkError},
	{"base_fs.Chmod", noModes},
	{"fs.Chmod", noModes},
	{"base_fs.Chtimes", "there are no times to set: a file's is when it was written"},
	{"fs.Chtimes", "there are no times to set: a file's is when it was written"},
	{"fs.Rename/same_directory", "moving something to where it is changes nothing and succeeds"},
}

const (
	badName   = "names are checked before anything is looked at; the error is E_PATH, says what is wrong with the name and shows it as an absolute virtual path"
	noModes   = "a sandbox has no permissions to set: a new file has 0644 and a new directory 0755, and there is no Chmod"
	linkError = "errors are fs.PathError, with the one name that is wrong, so that code that shows an error needs to know one type only"
)

// Hackpad runs hackpadfs's conformance suite on a tree, without the cases in
// Differences. open returns a new, empty, writable tree each time.
func Hackpad(t *testing.T, open func(t *testing.T) sandbox.FS) {
	var met sync.Map // cases of Differences that the suite has tried to run
	options := fstest.FSOptions{
		Name:        "hackpadfs",
		Constraints: fstest.Constraints{AllowErrPathPrefix: true}, // paths are virtual: /a
		TestFS: func(tb testing.TB) fstest.SetupFS {
			return setup{open(tb.(*testing.T)).(sandbox.HackpadFS)}
		},
		ShouldSkip: func(f fstest.Facets) bool {
			i := slices.IndexFunc(Differences, func(d Difference) bool { return strings.HasSuffix(f.Name, "/"+d.Case) })
			if i >= 0 {
				met.Store(Differences[i].Case, true)
			}
			return i >= 0
		},
	}
	t.Run("suite", func(t *testing.T) {
		fstest.FS(t, options)
		fstest.File(t, options)
	})
	for _, d := range Differences {
		if _, ok := met.Load(d.Case); !ok {
			t.Errorf("Differences: the suite has no case %s", d.Case)
		}
	}
}

// setup is a tree in the form in which the suite prepares it. Operations that golem's
// trees do not have return ErrNotImplemented, for which the suite skips a case.
type setup struct{ sandbox.HackpadFS }

// Chmod always fails: a sandbox has no permissions to set.
func (setup) Chmod(name string, _ fs.FileMode) error {
	return &fs.PathError{Op: "chmod", Path: name, Err: hackpadfs.ErrNotImplemented}
}

// Chtimes always fails: a sandbox has no times to set.
func (setup) Chtimes(name string, _, _ time.Time) error {
	return &fs.PathError{Op: "chtimes", Path: name, Err: hackpadfs.ErrNotImplemented}
}
