package session

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golem/core/trace"
)

// A run that goes on keeps its trace, however many begin after it.
func TestPruneLeavesARunThatGoesOn(t *testing.T) {
	dir := t.TempDir()
	long, err := newRunFile(dir, []string{".golem", trace.RunsDir}, "20260101-000000-aaaaaa", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer long.Close()
	if err := long.Put("one.txt", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for n := range trace.KeptRuns {
		other, err := newRunFile(dir, []string{".golem", trace.RunsDir}, fmt.Sprintf("20260102-%06d-aaaaaa", n), nil)
		if err != nil {
			t.Fatal(err)
		}
		other.Close()
	}
	if _, err := os.Stat(filepath.Join(dir, trace.RunsDir, "20260101-000000-aaaaaa.jsonl")); err != nil {
		t.Error("the trace:", err)
	}
	if err := long.Put("two.txt", []byte("x")); err != nil {
		t.Error("a long text:", err)
	}
}
