//go:build !js

package docs_test

import "testing"

// longPages are the pages that have more than maxPageBytes as yet, with their own limits.
// Nothing may be added to them.
var longPages = map[string]int{"../README.md": 15 << 10}

// TestPagesAreShort tests that a person can read each page for users in some minutes.
func TestPagesAreShort(t *testing.T) {
	total := 0
	for _, name := range userPages(t) {
		n, most := len(page(t, name)), maxPageBytes
		if long, ok := longPages[name]; ok {
			most = long
			if n <= maxPageBytes {
				t.Errorf("%s is short: remove it from longPages", name)
			}
		}
		total += n
		if n > most {
			t.Errorf("%s has %d bytes, more than %d: split it, or move a part to another page", name, n, most)
		}
	}
	t.Logf("%d bytes together", total)
}
