//go:build !js

package examples_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golem/core/tool"
	"golem/core/wasmtool"
)

// Plug-ins that were not written for golem run without changes: one in AssemblyScript,
// made with a public Extism PDK, and one in C that imports the same functions (SPEC §6).
func TestPlugins(t *testing.T) {
	for _, c := range []struct{ module, name, args, want string }{
		{"tools/vowels/vowels", "count_vowels", `{"text":"golem"}`, `{"count":2,"unit":"letters","kept":"one"}`},
		{"tools/letters/letters", "count_letters", `{"text":"clay and letters"}`, "4"},
	} {
		bound := bind(t, c.module)
		bound.Grants.Config = map[string]string{"unit": "letters"}
		if got := callTool(t, bound, c.name, c.args); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The calculator prints numbers as other calculators do.
func TestCalculator(t *testing.T) {
	module := bind(t, "calculator/tools/calculator")
	for _, c := range []struct{ name, args, want string }{
		{"add", `{"a":0.1,"b":0.2}`, "0.3"},
		{"add", `{"a":1e-9,"b":1e-9}`, "2e-9"},
		{"add", `{"a":100,"b":23.25}`, "123.25"},
		{"add", `{"a":0.00001,"b":0}`, "0.00001"},
		{"subtract", `{"a":1,"b":1}`, "0"},
		{"subtract", `{"a":1,"b":1000000}`, "-999999"},
		{"multiply", `{"a":1e15,"b":1e5}`, "100000000000000000000"},
		{"multiply", `{"a":1.5e15,"b":1e15}`, "1.5e+30"},
		{"multiply", `{"a":1e-100,"b":1e-10}`, "1e-110"},
		{"divide", `{"a":2,"b":3}`, "0.666666666666667"},
		{"divide", `{"a":1e15,"b":3}`, "333333333333333"},
	} {
		if got := callTool(t, module, c.name, c.args); got != c.want {
			t.Errorf("%s %s is %s, want %s", c.name, c.args, got, c.want)
		}
	}
}

// bind returns the module stem.wasm with its sidecar, and closes it when the test ends.
func bind(t *testing.T, stem string) *wasmtool.Bound {
	t.Helper()
	return bindFile(t, stem+".wasm", stem+".tools.yaml")
}

// bindFile returns a module with its sidecar, if it has one.
func bindFile(t *testing.T, name, sidecar string) *wasmtool.Bound {
	t.Helper()
	module, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var description []byte
	if sidecar != "" {
		if description, err = os.ReadFile(sidecar); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	b := &wasmtool.Bound{Module: library.Module(wasmtool.Source{
		Path: filepath.Base(name), File: wasmtool.MemoryFile{Module: module, Description: description},
	})}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func callTool(t *testing.T, b *wasmtool.Bound, name, args string) string {
	t.Helper()
	ctx := context.Background()
	described, err := b.Module.Describe(ctx, wasmtool.Describing{Run: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range described {
		if d.Name == name {
			out, err := b.Tool(d).Call(ctx, tool.Call{Name: name, Args: tool.ReadArguments([]byte(args))})
			if err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
	}
	t.Fatalf("there is no tool %s in %v", name, described)
	return ""
}
