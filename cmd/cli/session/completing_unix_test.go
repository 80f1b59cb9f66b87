//go:build unix

package session

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"golem/cmd/cli/console"
)

// The names of files that an attachment may have are completed in directories only: a FIFO
// in the place of one has none, and golem does not wait for it.
func TestAttachableInAFIFO(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &writing{console: &console.Console{Dir: dir}}
	if got := w.attachable("fifo/"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := w.attachable("f"); len(got) != 1 || got[0].Text != "fifo" {
		t.Errorf("%+v", got)
	}
}
