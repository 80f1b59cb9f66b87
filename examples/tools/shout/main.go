// Command shout is an Extism plug-in in Go over the public PDK, built by the
// standard Go toolchain; README.md says how. It is a module of its own: golem
// does not depend on the PDK.
package main

import (
	"strings"

	"github.com/extism/go-pdk"
)

//go:wasmexport shout
func shout() int32 {
	end, _ := pdk.GetConfig("end")
	pdk.Log(pdk.LogInfo, "shouting")
	pdk.OutputString(strings.ToUpper(pdk.InputString()) + end)
	return 0
}

func main() {}
