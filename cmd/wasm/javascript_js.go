package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"golem/cmd/wasm/jsbytes"
	"golem/core/jstool"
)

// The files of the JavaScript engine, which are beside the page.
const (
	javascriptFile = "javascript.wasm"
	linkerFile     = "javascript-linker.bin"
)

// javascript is the engine of JavaScript tools. It is loaded when a project first has such a
// tool, and again if that failed.
type javascript struct {
	mu     sync.Mutex
	loaded jstool.Engine
}

var _ jstool.Engines = (*javascript)(nil)

// Engine returns the engine.
func (j *javascript) Engine(context.Context) (jstool.Engine, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.loaded.Version != "" {
		return j.loaded, nil
	}
	var e jstool.Engine
	sum := sha256.New()
	for name, to := range map[string]*[]byte{javascriptFile: &e.Module, linkerFile: &e.Linker} {
		data, err := loadOwnFile("golemBytes", name)
		if err != nil {
			return e, err
		}
		*to = jsbytes.Bytes(data)
	}
	sum.Write(e.Module)
	sum.Write(e.Linker)
	e.Version = hex.EncodeToString(sum.Sum(nil))
	j.loaded = e
	return e, nil
}
