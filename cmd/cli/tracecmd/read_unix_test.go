//go:build unix

package tracecmd

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"golem/core/trace"
)

// A FIFO in the place of the directory of a trace's long texts is an error at once.
func TestTextsInAFIFO(t *testing.T) {
	name := filepath.Join(t.TempDir(), "t.jsonl")
	if err := unix.Mkfifo(trace.TextsDir(name), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := textsOf(name).Text("text", 1); err == nil {
		t.Error("a text was read")
	}
}
