package main

import (
	"testing"

	"golem/core/wasmtool"
	"golem/core/wasmtool/enginetest"
)

// TestBrowser runs scenario 15 and every hostile module on the browser's own engine. Codes
// and fuel are the same as with wazero.
func TestBrowser(t *testing.T) { enginetest.Test(t, opening(newBrowserEngine), nil) }

// TestWazero runs the same cases on wazero's interpreter in a worker, which golem uses in
// browsers that cannot suspend a module.
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
