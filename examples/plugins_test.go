//go:build !js

package examples_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"testing"

	"golem/core/tool"
	"golem/core/wasmtool"
)

// Plug-ins made with public Extism PDKs, in AssemblyScript and C, run as they
// stand (SPEC §6).
func TestPlugins(t *testing.T) {
	for _, c := range []struct{ module, name, args, want string }{
		{"tools/vowels/vowels", "count_vowels", `{"text":"golem"}`, `{"count":3,"unit":"letters","kept":"one"}`},
		{"tools/letters/letters", "count_letters", `{"text":"clay and letters"}`, "5"},
	} {
		bound := bind(t, c.module)
		bound.Grants.Config = map[string]string{"unit": "letters"}
		if got := callTool(t, bound, c.name, c.args); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// bind is a module of this directory with its sidecar.
func bind(t *testing.T, stem string) *wasmtool.Bound {
	t.Helper()
	b := &wasmtool.Bound{Module: library.Module(wasmtool.Source{
		Path:    stem + ".wasm",
		Open:    func() (fs.File, error) { return os.Open(stem + ".wasm") },
		Sidecar: func() ([]byte, error) { return os.ReadFile(stem + ".tools.yaml") },
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
	described, err := b.Module.Describe(ctx, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range described {
		if d.Name == name {
			out, err := b.Tool(d).Call(ctx, tool.Call{Name: name, Args: json.RawMessage(args)})
			if err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
	}
	t.Fatalf("there is no tool %s in %v", name, described)
	return ""
}
