package opfs_test

import (
	"errors"
	"testing"

	"golem/core/fault"
	"golem/sandbox/opfs"
)

// TestFull needs a page that may store only 4 MB. A write that does not fit is E_QUOTA,
// and the old content stays.
func TestFull(t *testing.T) {
	f := open(t).(*opfs.FS)
	if err := f.WriteFile("a", []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteFile("a", make([]byte, 8<<20)); !errors.Is(err, fault.Quota) {
		t.Fatalf("8 MB into 4: %v, want E_QUOTA", err)
	}
	if got, err := f.ReadFile("a"); err != nil || string(got) != "old" {
		t.Errorf("afterwards it holds %q, %v", got, err)
	}
	log, err := f.Append("log")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}()
	line := make([]byte, 1<<20)
	for range 8 {
		if _, err = log.Write(line); err != nil {
			break
		}
	}
	if !errors.Is(err, fault.Quota) {
		t.Errorf("a log without end: %v, want E_QUOTA", err)
	}
}
