//go:build !js

package enginetest

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"golem/core/wasmtool/wazeroengine"
)

// TestUpdate does nothing unless GOLEM_UPDATE is set. Then it writes into cases.json the
// cases of made, and the fuel of the calls that succeed, as wazero's interpreter charges
// it; and it writes the transcripts of WASI's calls. Read the difference before you keep it.
func TestUpdate(t *testing.T) {
	if os.Getenv("GOLEM_UPDATE") == "" {
		return
	}
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	cases = slices.DeleteFunc(cases, func(c Case) bool { return c.Bytes != nil || c.Module == "" })
	cases = append(cases, made()...)
	engine := wazero(t, wazeroengine.Options{Interpreter: true})
	defer engine.Close()
	for i, c := range cases {
		if c.Want.Code != "" {
			continue
		}
		if o := Play(engine, c); o.Fault == nil {
			cases[i].Want.Fuel = o.Result.Fuel
			if c.Transcript != "" {
				if err := os.WriteFile("testdata/wasi/"+c.Transcript+".txt", o.Result.Output, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	out, err := json.MarshalIndent(map[string]any{"cases": cases}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("cases.json", append(out, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
