// Command shout is an Extism plug-in in Go, made with the public PDK and built by the
// standard Go toolchain; README.md says how. It is a Go module of its own, so that
// golem does not depend on the PDK.
package main

import (
	"errors"
	"strings"

	"github.com/extism/go-pdk"
)

// shout returns the text in capitals, with the configuration's end after it.
//
//go:wasmexport shout
func shout() int32 {
	var in struct {
		Text string `json:"text"`
	}
	if err := pdk.InputJSON(&in); err != nil {
		pdk.SetError(err)
		return 1
	}
	if strings.TrimSpace(in.Text) == "" {
		pdk.SetError(errors.New("there is nothing to shout"))
		return 1
	}
	end, _ := pdk.GetConfig("end")
	pdk.Log(pdk.LogInfo, "shouting "+in.Text)
	pdk.OutputString(strings.ToUpper(in.Text) + end)
	return 0
}

func main() {}
