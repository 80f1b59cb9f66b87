// Command words has two golem tools in Go, made with package sdk: one counts words, the
// other asks a worker for a remark on the most frequent word.
//
//	GOOS=wasip1 GOARCH=wasm go build -o words.wasm ./examples/tools/words
//	golem tool call words.wasm count '{"text":"to be or not to be"}'
package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"golem/sdk"
)

type input struct {
	Text string `json:"text" jsonschema:"the text to count in"`
	Top  int    `json:"top,omitempty" jsonschema:"how many words to list, 3 if left out"`
}

type entry struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
}

type counted struct {
	Words int     `json:"words"`
	Top   []entry `json:"top"`
}

func count(in input) (counted, error) {
	if in.Top <= 0 {
		in.Top = 3
	}
	n := map[string]int{}
	words := strings.Fields(strings.ToLower(in.Text))
	for _, w := range words {
		n[strings.Trim(w, ".,;:!?\"'()")]++
	}
	delete(n, "")
	out := counted{Words: len(words), Top: []entry{}}
	for _, w := range slices.Sorted(maps.Keys(n)) {
		out.Top = append(out.Top, entry{w, n[w]})
	}
	slices.SortStableFunc(out.Top, func(a, b entry) int { return cmp.Compare(b.Count, a.Count) })
	out.Top = out.Top[:min(in.Top, len(out.Top))]
	return out, nil
}

// remark calls the worker "critic" and returns its answer. It fails if the worker that
// called this tool may not call critic.
func remark(ctx context.Context, in input) (string, error) {
	c, err := count(in)
	if err != nil || len(c.Top) == 0 {
		return "There are no words.", err
	}
	return sdk.Call(ctx, "critic", map[string]string{"input": "The most frequent word is " + c.Top[0].Word})
}

func main() {
	sdk.Main(
		sdk.Tool("count", "Counts words and lists the most frequent ones.", count),
		sdk.ToolContext("remark", "Lets a worker remark on the most frequent word.", remark),
	)
}
