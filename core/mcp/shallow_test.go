package mcp

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A value that a server nests too deeply is replaced by a text; everything else is
// passed on unchanged.
func TestShallow(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"a":[`, n/2) + `"]\"}"` + strings.Repeat(`]}`, n/2) }
	deep := strings.Repeat(`{"a":[`, maxNested/2) + tooNested + strings.Repeat(`]}`, maxNested/2)
	for in, want := range map[string]string{
		"": "", `{"a":"[[["}` + "\n": "", nested(maxNested) + "\r\n": "",
		nested(maxNested+2) + "\n[1]\n":                   deep + "\n[1]\n",
		`[` + nested(20_000) + `,"x"]`:                    `[` + strings.Replace(deep, `{"a":[`+tooNested+`]}`, `{"a":`+tooNested+`}`, 1) + `,"x"]`,
		": it's \"\ndata: " + nested(20_000) + "\n\n":     ": it's \"\ndata: " + deep + "\n\n",
		strings.Repeat("[", 400) + "\n\ndata: " + "[1]\n": "",
	} {
		if want == "" {
			want = in
		}
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in)), "end with data": iotest.DataErrReader(strings.NewReader(in))} {
			got, err := io.ReadAll(&shallow{ReadCloser: io.NopCloser(r)})
			if string(got) != want || err != nil {
				t.Errorf("%s: %.80q: %d bytes, want %d, %v", name, in, len(got), len(want), err)
			}
		}
	}
}
