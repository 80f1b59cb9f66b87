package docs_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core"
	"golem/core/options"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/ui"
)

// begin example

// Options are what a worker may say under toolsets.stock.
type stockOptions struct {
	Unit string `json:"unit"`
}

// Question is the tool's argument; golem infers its JSON Schema.
type question struct {
	Item string `json:"item" jsonschema:"what to count, in the singular"`
}

// stock is a toolset: a factory that gets the worker's options and an Env.
func stock(shelf map[string]int) toolset.Factory {
	return toolset.Factory{
		Name:    "stock",
		Options: func() any { return &stockOptions{Unit: "pieces"} },
		Open: func(_ context.Context, _ toolset.Env, options any) (tool.Toolset, error) {
			unit := options.(*stockOptions).Unit
			count := tool.Func(
				tool.Spec{Name: "count", Description: "Counts an item on the shelf", Risk: tool.Read, Toolset: "stock"},
				func(_ context.Context, q question) (tool.Output, error) {
					return tool.Text("%d %s", shelf[q.Item], unit), nil
				})
			return toolset.Tools{count}, nil
		},
	}
}

func Example() {
	files := fstest.MapFS{ // any fs.FS: os.DirFS, an embed.FS, a zip
		"main.worker": {Data: []byte("---\nmodel: script:script.yaml\ntoolsets: {stock: {unit: boxes}}\n---\nAnswer from the stock.\n")},
		"script.yaml": {Data: []byte(`
script: 1
workers:
  main:
    - calls: [{tool: count, args: {item: apple}}]
    - when: {tool: count, match: "(.*)"}
      say: "There are $1 of apples."
`)},
	}
	golem, err := core.Open(
		core.Platform{Name: "native", ToolSources: core.ToolSources{Toolsets: []toolset.Factory{stock(map[string]int{"apple": 12})}}},
		core.Options{Files: files, Name: "shop", Opening: options.Opening{Sandbox: options.Memory}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	res := golem.Run(context.Background(), run.Input{Text: "How many apples?"}, &ui.Script{}, core.RunOptions{})
	fmt.Println(res.Status, res.Output.Text)
	// Output: ok There are 12 boxes of apples.
}

// end example

// TestEmbeddingPageShowsTheExample tests that embedding.md shows the example above, word for
// word.
func TestEmbeddingPageShowsTheExample(t *testing.T) {
	code, err := os.ReadFile("embedding_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("embedding.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(code), "// begin example\n\n")
	example, _, found := strings.Cut(after, "\n// end example")
	if !found || !strings.Contains(string(page), "```go\n"+example+"```\n") {
		t.Error("docs/embedding.md does not show the example of docs/embedding_test.go")
	}
}
