package clearance_test

import (
	"bytes"
	"context"
	"runtime"
	"strconv"
	"testing"

	"golem/core/clearance"
)

// 10,000 items can be listed, settled and decided on.
func TestManyItems(t *testing.T) {
	d := newDisk(nil)
	s := d.store()
	w := d.workOf(s)
	for n := range 10_000 {
		name := "f" + strconv.Itoa(n)
		if _, err := w.Commit(context.Background(), []clearance.File{{Source: ".", Path: name, Read: func() ([]byte, error) { return []byte(name), nil }}}, name, ""); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(get(t, s)); n != 10_000 {
		t.Errorf("%d items", n)
	}
	if err := s.Settle(context.Background()); err != nil {
		t.Error(err)
	}
	if err := push(s, "10000", clearance.Push{}); err != nil {
		t.Error(err)
	}
	if got := all(t, d.files)["f9999"]; got != "f9999" {
		t.Errorf("%q", got)
	}
}

// Showing and pushing an item of 100 MB in four files needs memory for only one file at a
// time. (The trees of this test are in memory too and are counted separately.)
func TestLargeItem(t *testing.T) {
	const size = 25 << 20
	d := newDisk(nil)
	w := d.work()
	fsys := stage(t, w)
	for n := range 4 {
		if err := fsys.WriteFile("f"+strconv.Itoa(n), bytes.Repeat([]byte{'a' + byte(n), '\n'}, size/2)); err != nil {
			t.Fatal(err)
		}
	}
	it, err := w.Close(context.Background())
	if err != nil || it == nil {
		t.Fatal(it, err)
	}
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := inUse()
	diffs, err := d.store().Diff(*it, "")
	if err != nil || len(diffs) != 4 || len(diffs[0].Patch) > 200 {
		t.Fatalf("%d diffs, %v", len(diffs), err)
	}
	if more := inUse() - min(inUse(), before); more > size {
		t.Errorf("the diff keeps %d bytes", more)
	}
	if err := push(d.store(), it.ID, clearance.Push{}); err != nil {
		t.Fatal(err)
	}
	if got := all(t, d.files)["f3"]; len(got) != size {
		t.Errorf("%d bytes", len(got))
	}
	if after := inUse(); after > before+size {
		t.Errorf("the push keeps %d bytes", after-before)
	}
}
