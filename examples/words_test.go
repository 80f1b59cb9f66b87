//go:build !js && !race

package examples_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golem/core/tool"
	"golem/core/wasmtool"
)

// This file is not built under the race detector, where compiling 3.6 MB takes most of a
// minute.

// critic is a Host that answers each call of a tool, in place of the worker "critic".
type critic struct{}

func (critic) Call(_ context.Context, name string, args json.RawMessage) (tool.Output, error) {
	return tool.Output{Text: name + " was asked " + string(args)}, nil
}

func (critic) Taint() {}

// A plug-in made with the public Extism Go PDK runs without changes: input, output,
// error, configuration and log work.
func TestGoPlugin(t *testing.T) {
	b := bind(t, "tools/shout/shout")
	var said []string
	b.Listener = logged{&said}
	b.Grants.Config = map[string]string{"end": "!"}
	if got := callTool(t, b, "shout", `{"text":"quiet"}`); got != "QUIET!" || len(said) != 1 || said[0] != "info: shouting quiet" {
		t.Errorf("%q, logged %q", got, said)
	}
	described, err := b.Module.Describe(context.Background(), wasmtool.Describing{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Tool(described[0]).Call(context.Background(), tool.Call{Name: "shout", Args: tool.ReadArguments([]byte(`{"text":" "}`))})
	if err == nil || err.Error() != "E_TOOL: there is nothing to shout" || out.Fuel == 0 || !out.FuelVaries {
		t.Errorf("%+v, %v", out, err)
	}
}

// S0-15..17: a short Go program, made with package sdk and built with the standard
// toolchain, describes itself, can be called, and can call a worker.
func TestGoTool(t *testing.T) {
	file := filepath.Join(t.TempDir(), "words.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./tools/words")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b := bindFile(t, file, "")
	if got := callTool(t, b, "count", `{"text":"to be or not to be","top":1}`); got != `{"words":6,"top":[{"word":"be","count":2}]}` {
		t.Errorf("count: %s", got)
	}
	described, err := b.Module.Describe(context.Background(), wasmtool.Describing{})
	if err != nil || len(described) != 2 || len(described[0].Input) == 0 {
		t.Fatalf("%v, %v", described, err)
	}
	out, err := b.Tool(described[1]).Call(context.Background(), tool.Call{Name: "remark", Args: tool.ReadArguments([]byte(`{"text":"a a b"}`)), Host: critic{}})
	if err != nil || !strings.Contains(out.Text, `critic was asked {"input":"The most frequent word is a"}`) {
		t.Errorf("remark: %q, %v", out.Text, err)
	}
	if _, err := b.Tool(described[1]).Call(context.Background(), tool.Call{Name: "remark", Args: tool.ReadArguments([]byte(`{"text":"a"}`))}); err == nil || !strings.Contains(err.Error(), "E_GRANT") {
		t.Errorf("without anybody to call: %v", err)
	}
}

// logged collects what a module logs.
type logged struct{ lines *[]string }

func (l logged) Log(level, text string) { *l.lines = append(*l.lines, level+": "+text) }
func (logged) Compiling(string)         {}
