package console

import (
	"testing"
	"time"
)

// Times in tables for people are in local time.
func TestWhen(t *testing.T) {
	before := time.Local
	defer func() { time.Local = before }()
	time.Local = time.FixedZone("IST", 5*3600+1800)
	for given, want := range map[string]string{
		"2026-03-14T23:40:12Z":   "2026-03-15 05:10",
		"2026-03-14T23:40:12.5Z": "2026-03-15 05:10",
		"":                       "", "not\x1b a time": `not\u{1b} a time`,
	} {
		if got := WhenText(given); got != want {
			t.Errorf("%q: %q", given, got)
		}
	}
}
