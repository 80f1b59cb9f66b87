package main

import (
	"testing"

	"golem/core/wasmtool"
	"golem/core/wasmtool/enginetest"
)

func openEngine(t *testing.T) wasmtool.Engine {
	e, err := newBrowserEngine()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Scenario 15, and every hostile module, on the browser's own engine: same
// codes, same fuel as wazero.
func TestConformance(t *testing.T) { enginetest.Test(t, openEngine, nil) }
