//go:build !js

package docs_test

import "testing"

// maxTotalBytes is the most that all pages for users may have together. Lower it when they are
// shorter; never raise it.
const maxTotalBytes = 180 << 10

// TestPagesAreShort tests that a person can read each page for users in some minutes.
func TestPagesAreShort(t *testing.T) {
	total := 0
	for _, name := range userPages(t) {
		n := len(page(t, name))
		total += n
		if n > maxPageBytes {
			t.Errorf("%s has %d bytes, more than %d: split it, or move a part to another page", name, n, maxPageBytes)
		}
	}
	if total > maxTotalBytes {
		t.Errorf("the pages for users have %d bytes together, more than %d", total, maxTotalBytes)
	}
	t.Logf("%d bytes together", total)
}
