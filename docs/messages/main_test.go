package main

import (
	"os"
	"strings"
	"testing"
)

// TestMessagesPageIsFresh tests that docs/messages.md is what the generator writes.
func TestMessagesPageIsFresh(t *testing.T) {
	want, err := render("../..")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(want, "\n| "); n < 400 {
		t.Errorf("only %d messages were found: the reader of the source is wrong", n)
	}
	got, err := os.ReadFile("../messages.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/messages.md is stale; run at the repository's root: go run ./docs/messages")
	}
}
