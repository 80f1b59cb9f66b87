package tool

import (
	"encoding/json"
	"testing"
)

// A model reads the data of a result and the text beside it, but not the data twice.
func TestReadOutput(t *testing.T) {
	for _, c := range []struct {
		out  Output
		want string
	}{
		{Output{Text: "x"}, "x"},
		{Output{Kind: "json", Data: json.RawMessage(`{"n":3}`)}, `{"n":3}`},
		{Output{Kind: "json", Data: json.RawMessage(`{"n":3}`), Text: "Counted by hand"}, "{\"n\":3}\n\nCounted by hand"},
		{Output{Kind: "json", Data: json.RawMessage(`{"n":3,"a":1}`), Text: "{ \"a\": 1, \"n\": 3 }"}, `{"n":3,"a":1}`},
		{Output{Kind: "json", Data: json.RawMessage(`{"question":"Which?"}`), Text: "Which?", NeedsInput: true}, `{"question":"Which?"}`},
	} {
		if got := c.out.Read(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.out, got, c.want)
		}
	}
}
