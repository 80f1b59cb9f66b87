package main

import (
	"testing"

	"golem/core/wasmtool"
	"golem/core/wasmtool/enginetest"
)

// Scenario 15, and every hostile module, on the browser's own engine: same
// codes, same fuel as wazero.
func TestBrowser(t *testing.T) { enginetest.Test(t, opening(newBrowserEngine), nil) }

// The same on wazero's interpreter in a worker, which is what a browser gets
// that cannot suspend a module.
func TestWazero(t *testing.T) { enginetest.Test(t, opening(newWazeroEngine), nil) }

func opening(open func() (wasmtool.Engine, error)) func(*testing.T) wasmtool.Engine {
	return func(t *testing.T) wasmtool.Engine {
		e, err := open()
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}
