// Package embedded has the JavaScript engine for programs that bring it along: the command
// line. The page loads the same two files when a tool needs them.
package embedded

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"sync"

	"golem/core/jstool"
)

//go:embed engine.wasm.gz
var module []byte

//go:embed link.bytecode.gz
var linker []byte

// Engine returns the engine that make jsengine built.
var Engine = sync.OnceValue(func() jstool.Engine {
	sum := sha256.New()
	sum.Write(module)
	sum.Write(linker)
	return jstool.Engine{Module: unpacked(module), Linker: unpacked(linker), Version: hex.EncodeToString(sum.Sum(nil))}
})

// Packed returns the file that the page knows under a name, which begins with javascript- and
// has a digest of the content; nil if there is none.
func Packed(name string) []byte {
	for form, data := range map[string][]byte{"javascript-%s.wasm.gz": module, "javascript-linker-%s.bin.gz": linker} {
		sum := sha256.Sum256(data)
		if name == fmt.Sprintf(form, hex.EncodeToString(sum[:])[:20]) {
			return data
		}
	}
	return nil
}

// Engines has this engine.
type Engines struct{}

// Engine returns it.
func (Engines) Engine(context.Context) (jstool.Engine, error) { return Engine(), nil }

// unpacked returns the content of a file that golem was built with. For a damaged one it
// returns what could be read, and linking then fails.
func unpacked(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(z)
	return out
}
