package session

import (
	"encoding/base64"
	"strings"
	"testing"
)

// A text for the clipboard cannot control the terminal: between the beginning and the
// end of the sequence there is only base64.
func TestClipSequence(t *testing.T) {
	for _, text := range []string{"hello", "", "a\x1b]52;c;evil\a\nb", strings.Repeat("ä€😀\x1b\\", 5000)} {
		seq := clipSequence(text, "xterm-256color")
		body, ok := strings.CutPrefix(seq, "\x1b]52;c;")
		body, ends := strings.CutSuffix(body, "\a")
		got, err := base64.StdEncoding.DecodeString(body)
		if !ok || !ends || err != nil || string(got) != text {
			t.Errorf("%q: %v", seq[:min(len(seq), 80)], err)
		}
		var joined strings.Builder
		for _, piece := range strings.Split(strings.TrimSuffix(clipSequence(text, "screen.xterm"), "\x1b\\"), "\x1b\\") {
			piece, ok := strings.CutPrefix(piece, "\x1bP")
			if !ok || len(piece) > 512 {
				t.Errorf("a piece for screen: %q", piece)
			}
			joined.WriteString(piece)
		}
		if joined.String() != seq {
			t.Errorf("screen gets %q", joined.String()[:min(joined.Len(), 80)])
		}
	}
}

func TestLastCode(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "",
		"no code":                              "",
		"a\n```go\nx := 1\n```\nb":             "x := 1\n",
		"```\none\n```\n~~~sh\ntwo\n~~~\n":     "two\n",
		"````md\n```\ninner\n```\n````":        "```\ninner\n```\n",
		"- list\n  ```\n  indented\n  ```\n":   "  indented\n",
		"```\nclosed\n```\n```\nnever closed ": "closed\n",
	} {
		if got := lastCode(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
