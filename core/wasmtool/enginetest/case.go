// Package enginetest is the conformance suite of tool engines: modules, most of
// them hostile, each with what must come of it. The cases are data (cases.json
// and testdata), so that an engine in another language can be held to the same
// ones: same results, same codes, same fuel (SPEC §6).
//
// The modules' sources are the .wat files beside them; make fixtures builds
// them. What text cannot express is tried on package guard alone.
package enginetest

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"golem/core/wasmtool"
)

//go:embed cases.json testdata/*.wasm
var data embed.FS

// Case is one call of one module.
type Case struct {
	Name   string            `json:"name"`
	Module string            `json:"module"`           // testdata/MODULE.wasm
	Form   string            `json:"form,omitempty"`   // extism (default) or command
	Export string            `json:"export,omitempty"` // default run
	Input  string            `json:"input,omitempty"`
	Args   []string          `json:"args,omitempty"`
	Stdin  string            `json:"stdin,omitempty"`
	Config map[string]string `json:"config,omitempty"`
	// Files is the sandbox the module sees; absent: none is granted.
	Files map[string]string `json:"files,omitempty"`
	// HTTP grants a network in which every request is answered with its method
	// and URL; Call a golem_call that answers "called NAME with ARGS".
	HTTP   bool   `json:"http,omitempty"`
	Call   bool   `json:"call,omitempty"`
	Limits Limits `json:"limits,omitzero"`
	// Repeat calls again and judges the last call; Keep does so in one instance.
	Repeat int  `json:"repeat,omitempty"`
	Keep   bool `json:"keep,omitempty"`
	Want   Want `json:"want"`
}

// Limits of a call; zero is the engine's default, and 10 seconds.
type Limits struct {
	Fuel   int64 `json:"fuel,omitempty"`
	Time   int64 `json:"time_ms,omitempty"`
	Output int64 `json:"output,omitempty"`
}

// Want is what must come of the call. A code is a failure; without one the
// call returns, and takes exactly Fuel.
type Want struct {
	Code    string            `json:"code,omitempty"`
	Message string            `json:"message,omitempty"` // part of the fault's
	Output  *string           `json:"output,omitempty"`
	Match   string            `json:"match,omitempty"`  // part of the output
	Length  int               `json:"length,omitempty"` // of the output, in bytes
	Exit    int               `json:"exit,omitempty"`
	Fuel    int64             `json:"fuel,omitempty"`
	Files   map[string]string `json:"files,omitempty"` // all of them, afterwards
}

// Cases are all cases, in order.
func Cases() ([]Case, error) {
	raw, err := data.ReadFile("cases.json")
	if err != nil {
		return nil, err
	}
	var doc struct {
		Cases []Case `json:"cases"`
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("cases.json: %w", err)
	}
	return doc.Cases, nil
}

// Bytes is the module of a case, not yet guarded.
func (c Case) Bytes() ([]byte, error) { return fs.ReadFile(data, "testdata/"+c.Module+".wasm") }

// Invocation is the call of a case.
func (c Case) Invocation() wasmtool.Invocation {
	in := wasmtool.Invocation{
		Form: wasmtool.Form(c.Form), Export: c.Export, Input: []byte(c.Input), Args: c.Args, Stdin: []byte(c.Stdin), Config: c.Config,
		Limits: wasmtool.Limits{Fuel: c.Limits.Fuel, Output: c.Limits.Output, Time: 10 * time.Second},
	}
	if in.Form == "" {
		in.Form = wasmtool.Extism
	}
	if in.Export == "" {
		in.Export = "run"
	}
	if c.Limits.Time > 0 {
		in.Limits.Time = time.Duration(c.Limits.Time) * time.Millisecond
	}
	return in
}
