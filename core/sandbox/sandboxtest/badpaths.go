package sandboxtest

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"golem/core/sandbox"
)

// The texts of errors that badPaths wants after the operation and the path.
const (
	belowAFile = "a part of the path is a file, not a directory"
	absent     = "file does not exist"
	present    = "file already exists"
	directory  = "is a directory"
)

// badPaths tests that every FS gives the same error, with the same text, for the same wrong
// path: a model reads these texts, so that they decide what it does next.
func badPaths(t *testing.T, f sandbox.FS) {
	type errs struct{ open, list, write, mkdir, remove, from, to string }
	all := func(text string) errs { return errs{text, text, text, text, text, text, text} }
	// A name that is not allowed has the same text everywhere because one function judges it.
	judged := []string{"", "/a", "../x", "a/../b", "d/", "a\\b", "a\x00b", "a\nb", "a\u202eb", "a\xffb", strings.Repeat("n", 300)}
	table := map[string]errs{
		"d/f/g":   all(belowAFile),
		"d/f/g/h": all(belowAFile),
		"none":    {open: absent, list: absent, remove: absent, from: absent},
		"none/x":  {open: absent, list: absent, mkdir: absent, remove: absent, from: absent},
		"d":       {write: directory, mkdir: present, remove: "the directory is not empty", to: present},
		"d/f":     {list: belowAFile, mkdir: present},
	}
	for _, name := range judged {
		table[name] = errs{}
	}
	for name, want := range table {
		// The first word of list is that of the step that failed, open or readdir.
		for op, try := range map[string]struct {
			word, want string
			run        func() error
		}{
			"open":   {"open", want.open, func() error { _, err := f.Open(name); return err }},
			"list":   {"", want.list, func() error { _, err := fs.ReadDir(f, name); return err }},
			"write":  {"write", want.write, func() error { return f.WriteFile(name, []byte("3")) }},
			"mkdir":  {"mkdir", want.mkdir, func() error { return f.Mkdir(name, 0o755) }},
			"remove": {"remove", want.remove, func() error { return f.Remove(name) }},
			"from":   {"rename", want.from, func() error { return f.Rename(name, "moved") }},
			"to":     {"rename", want.to, func() error { return f.Rename("source", name) }},
		} {
			wipe(t, f)
			Put(t, f, "d/f", "1")
			Put(t, f, "source", "2")
			err := try.run()
			if slices.Contains(judged, name) {
				if err == nil || !strings.HasSuffix(err.Error(), ": "+sandbox.Valid(name).Error()) {
					t.Errorf("%s %q: %v, want %v", op, name, err, sandbox.Valid(name))
				}
				continue
			}
			if err == nil && try.want == "" {
				continue
			}
			if err == nil || !strings.HasPrefix(err.Error(), try.word) || !strings.HasSuffix(err.Error(), "/"+name+": "+try.want) {
				t.Errorf("%s %q: %v, want %s …/%s: %s", op, name, err, try.word, name, try.want)
			}
		}
	}
}

// wipe removes everything.
func wipe(t *testing.T, f sandbox.FS) {
	t.Helper()
	var names []string
	err := fs.WalkDir(f, ".", func(name string, _ fs.DirEntry, err error) error {
		if name != "." {
			names = append(names, name)
		}
		return err
	})
	for _, name := range slices.Backward(names) {
		if err == nil {
			err = f.Remove(name)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
