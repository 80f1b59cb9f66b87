package console

import (
	"encoding/json"
	"strings"
	"testing"
)

// JSON on a terminal has no character that the terminal obeys or hides, and the same value.
func TestJSONLineIsSafe(t *testing.T) {
	hostile := "\x1b[2J \u009b31m \x7f \u202eevil\u2066 \u2028 \U000e0041 ü 日本 🎉 \\u202e"
	line, err := JSONLine(map[string]any{"a": hostile, "b": json.RawMessage(`"` + "\u202e" + `"`)})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"\x1b", "\u009b", "\x7f", "\u202e", "\u2066", "\u2028", "\U000e0041"} {
		if strings.Contains(line, bad) {
			t.Errorf("the line has %q: %q", bad, line)
		}
	}
	if !strings.Contains(line, "ü 日本 🎉") {
		t.Errorf("visible characters are escaped: %q", line)
	}
	var back map[string]string
	if err := json.Unmarshal([]byte(line), &back); err != nil || back["a"] != hostile || back["b"] != "\u202e" {
		t.Errorf("%q %v", back, err)
	}
}
