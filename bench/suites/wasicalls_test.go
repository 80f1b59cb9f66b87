package suites_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/bench/suites"
	"golem/core/wasmtool/enginetest"
)

// TestWASICalls makes every call of WASI preview 1 about files, descriptors, clocks, random
// numbers and arguments under wazero alone, on a disk: each has the result that the
// transcripts in core/wasmtool/enginetest have, or is listed below. That golem's own engines have
// these results is what the tests of the engines show.
func TestWASICalls(t *testing.T) {
	cases, err := enginetest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	c := &suites.Tally{Suite: "calls of WASI, one by one"}
	differs := 0
	for _, k := range cases {
		if k.Transcript == "" {
			continue
		}
		module, err := k.Source()
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for name, text := range k.Files {
			full := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		out, exit := bare(t, module, dir, k.Args, k.Calls())
		got, want := strings.Split(string(out), "\n"), strings.Split(k.Calls(), "\n")
		if exit != 0 || len(got) != len(want) {
			t.Fatalf("%s: exit %d, %d lines, want %d", k.Name, exit, len(got), len(want))
		}
		for i, line := range want {
			call, _, is := strings.Cut(line, " = ")
			if !is {
				continue
			}
			reason := wasiCallDifferences[k.Transcript+": "+call]
			switch {
			case got[i] == line:
				c.Agree()
			case reason == "":
				t.Errorf("%s, line %d: %s; wazero alone: %s", k.Name, i+1, line, got[i])
			default:
				c.Differ(reason)
				differs++
			}
		}
	}
	if differs < len(wasiCallDifferences) {
		t.Errorf("%d calls are listed as different, and only %d are", len(wasiCallDifferences), differs)
	}
	c.Compare(t)
}

var wasiCallDifferences = map[string]string{
	"readwrite: fd_pread 4 -1 5":           negative,
	"readwrite: fd_pwrite 4 -1 x":          negative,
	"readwrite: fd_pwrite 4 0 HE":          appending,
	"tree: path_link 3 0 a.txt 3 hard":     noLinks,
	"tree: path_link 3 1 a.txt 3 hard":     noLinks,
	"tree: path_link 3 0 none 3 hard":      noLinks,
	"tree: path_link 3 0 a.txt 3 a.txt":    noLinks,
	"tree: path_link 3 0 trailing 3 hard":  noLinks,
	"tree: path_link 3 0 '' 3 x":           noLinks,
	"tree: path_link 3 0 a.txt 3 ''":       noLinks,
	"tree: path_symlink a.txt 3 soft":      noLinks,
	"tree: path_symlink none 3 dangling":   noLinks,
	"tree: path_symlink /etc 3 out":        noLinks,
	"tree: path_symlink ../../etc 3 out":   noLinks,
	"tree: path_symlink a.txt 3 a.txt":     noLinks,
	"tree: path_filestat_get 3 0 soft":     noLinks,
	"tree: path_filestat_get 3 0 hard":     noLinks,
	"tree: path_filestat_get 3 0 dangling": noLinks,
}

const (
	negative  = "a negative offset is inval, as POSIX has it, not io"
	appending = "a file that appends can be written at an offset, as on Linux"
	noLinks   = "a sandbox has no links: path_link and path_symlink are nosys"
)
