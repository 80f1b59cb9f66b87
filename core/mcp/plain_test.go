package mcp

import "testing"

// Invisible characters in a server's JSON become visible escapes, however they were
// written; visible characters and line breaks stay.
func TestPlainJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"b\n\t\r\"\\\/"}`:       `{"a":"b\n\t\r\"\\\/"}`,
		"{\"a\":\"b\x7fc\"}":          `{"a":"b\\u007fc"}`,
		`{"a":"b\bc\f"}`:              `{"a":"b\\u0008c\\u000c"}`,
		`{"a":"\u200b\u0000é\ue000"}`: `{"a":"\\u200b\\u0000é\\ue000"}`,
		`{"a":"` + "\u202e" + `"}`:    `{"a":"\\u202e"}`,
		`{"a":"\ud83d\ude00"}`:        `{"a":"\ud83d\ude00"}`,
	} {
		if got := string(plainJSON([]byte(in), hidden)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
