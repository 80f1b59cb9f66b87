package opfs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golem/sandbox/opfs"
)

// two opens one directory twice, as two tabs do.
func two(t *testing.T) (tabs [2]*opfs.FS) {
	t.Helper()
	dir := directory(t)
	for i := range tabs {
		var err error
		if tabs[i], err = opfs.Open(dir, "/two"); err != nil {
			t.Fatal(err)
		}
	}
	return tabs
}

// A tab sees every change of another tab at once, although both cache names, sizes,
// content and missing names.
func TestTabsSeeEachOther(t *testing.T) {
	tabs := two(t)
	want := map[string]string{}
	names := []string{"a", "d/a", "d/b", "d/e/a", "x/y"}
	random := rand.New(rand.NewPCG(1, 2))
	for step := range 150 {
		name, tab := names[random.IntN(len(names))], tabs[random.IntN(2)]
		switch random.IntN(4) {
		case 0:
			err := tab.Remove(name)
			if _, there := want[name]; there != (err == nil) {
				t.Fatalf("step %d: removing %s: %v", step, name, err)
			}
			delete(want, name)
		case 1:
			to := names[random.IntN(len(names))]
			err := tab.Rename(name, to)
			if _, there := want[name]; there != (err == nil) {
				t.Fatalf("step %d: renaming %s: %v", step, name, err)
			}
			if text, there := want[name]; there && name != to {
				delete(want, name)
				want[to] = text
			}
		default:
			want[name] = strings.Repeat("x", random.IntN(3)) + fmt.Sprint(step)
			if err := tab.WriteFile(name, []byte(want[name])); err != nil {
				t.Fatalf("step %d: writing %s: %v", step, name, err)
			}
		}
		for i, tab := range tabs {
			sees(t, fmt.Sprintf("step %d, tab %d", step, i), tab, want, names)
		}
	}
}

// sees fails the test unless the tab shows exactly the files in want.
func sees(t *testing.T, when string, tab *opfs.FS, want map[string]string, names []string) {
	t.Helper()
	for _, name := range names {
		text, there := want[name]
		got, err := tab.ReadFile(name)
		info, serr := tab.Stat(name)
		if !there {
			if !errors.Is(err, fs.ErrNotExist) || !errors.Is(serr, fs.ErrNotExist) {
				t.Fatalf("%s: %s is gone, and there is %q, %v, %v", when, name, got, err, serr)
			}
			continue
		}
		if err != nil || string(got) != text || serr != nil || info.Size() != int64(len(text)) {
			t.Fatalf("%s: %s is %q, %v, %v, want %q", when, name, got, err, serr, text)
		}
	}
	var found []string
	err := fs.WalkDir(tab, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, name)
		}
		return err
	})
	if all := slices.Sorted(maps.Keys(want)); err != nil || !slices.Equal(slices.Sorted(slices.Values(found)), all) {
		t.Fatalf("%s: there are %q, %v, want %q", when, found, err, all)
	}
}

// A tab sees every line that another tab appends to a file below .golem.
func TestTabsSeeLogsGrow(t *testing.T) {
	tabs := two(t)
	log, err := tabs[0].Append(".golem/runs/a.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want := []byte(nil)
	for i := range 5 {
		if err := tabs[1].WriteFile("mine", nil); err != nil { // so it has the lock and may cache what it reads
			t.Fatal(err)
		}
		line := fmt.Appendf(nil, "%d\n", i)
		want = append(want, line...)
		if _, err := log.Write(line); err != nil {
			t.Fatal(err)
		}
		for i, tab := range tabs {
			got, err := tab.ReadFile(".golem/runs/a.jsonl")
			info, serr := tab.Stat(".golem/runs/a.jsonl")
			if err != nil || serr != nil || !bytes.Equal(got, want) || info.Size() != int64(len(want)) {
				t.Errorf("tab %d sees %q, %v, %v, want %q", i, got, err, serr, want)
			}
		}
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
}

// A nested tree and the tree around it see each other's changes.
func TestNestedSeesTheSame(t *testing.T) {
	f := open(t).(*opfs.FS)
	if err := f.WriteFile("d/e/a", []byte("one")); err != nil {
		t.Fatal(err)
	}
	nested, err := f.SubFS("d")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		do   func() error
		want string // "" for none
	}{
		{func() error { return nil }, "one"},
		{func() error { return f.WriteFile("d/e/a", []byte("two")) }, "two"},
		{func() error { return nested.WriteFile("e/a", []byte("three")) }, "three"},
		{func() error { return f.RemoveAll("d/e") }, ""},
		{func() error { return nested.WriteFile("e/a", []byte("four")) }, "four"},
		{func() error { return f.Rename("d", "x") }, ""},
		{func() error { return f.WriteFile("d/e/a", []byte("five")) }, "five"},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		above, err := fs.ReadFile(f, "d/e/a")
		below, berr := fs.ReadFile(nested, "e/a")
		if string(above) != c.want || string(below) != c.want || (err == nil) != (c.want != "") || (berr == nil) != (c.want != "") {
			t.Errorf("%q, %v from above, %q, %v from below, want %q", above, err, below, berr, c.want)
		}
	}
}
