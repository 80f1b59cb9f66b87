package clearance_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"golem/core/clearance"
)

// S4-31: an item has its number, its type, its message and the time when it was made.
func TestItemTypes(t *testing.T) {
	for content, want := range map[string]clearance.Type{"text\n": clearance.PendingExport, "\x00\x01": clearance.BinaryOutput, "caf\xe9": clearance.BinaryOutput} {
		w := newDisk(nil).work()
		if err := stage(t, w).WriteFile("out/a", []byte(content)); err != nil {
			t.Fatal(err)
		}
		it, err := w.Close(context.Background())
		if err != nil || it == nil || it.Type != want || it.Created.IsZero() || it.Message == "" {
			t.Errorf("%q: %+v, %v, want %s", content, it, err, want)
		}
	}
	it, err := newDisk(nil).work().Commit(context.Background(), []clearance.File{{Source: ".", Path: "a", Read: func() ([]byte, error) { return []byte("\x00"), nil }}}, "by hand", "")
	if err != nil || it.Type != clearance.StagedCommit || it.Message != "by hand" {
		t.Errorf("%+v, %v", it, err)
	}
	data, err := json.Marshal(it)
	for _, field := range []string{`"id":"1"`, `"type":"staged_commit"`, `"message":"by hand"`, `"created":"`, `"changes":[{`} {
		if err != nil || !strings.Contains(string(data), field) {
			t.Errorf("no %s in %s (%v)", field, data, err)
		}
	}
}
