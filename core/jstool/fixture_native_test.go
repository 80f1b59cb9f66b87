//go:build !js

package jstool_test

import (
	"bytes"
	"os"
	"testing"

	"golem/core/jstool/embedded"
)

// The module of the case x-js-tool, which the page plays too, is what golem tool build makes
// of its source: GOLEM_UPDATE=1 writes it.
func TestModuleOfTheCaseIsBuilt(t *testing.T) {
	const dir, name = "../coretest/testdata/tools/", "jsnotes"
	l := library(t)
	made, err := embedded.Engine().Link(t.Context(), l.Ungranted, name+".ts", os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("GOLEM_UPDATE") != "" {
		if err := os.WriteFile(dir+name+".wasm", made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(dir + name + ".wasm"); err != nil || !bytes.Equal(kept, made) {
		t.Errorf("%s.wasm is not what its source makes: GOLEM_UPDATE=1 go test ./core/jstool", name)
	}
}
