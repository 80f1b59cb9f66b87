//go:build long

package main

import "testing"

// TestLongConformanceClient plays all of the suite's servers.
func TestLongConformanceClient(t *testing.T) {
	out := conformanceSuite(t)(t, "client", "--command", conformanceClient(t), "--suite", "all", "-o", t.TempDir())
	conforms(t, out, 26, 18, failsBecause)
}
