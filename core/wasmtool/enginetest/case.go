// Package enginetest is the conformance suite of tool engines: modules, most of
// them hostile, each with the result that a call must have. The cases are data
// (cases.json and testdata), so that an engine in another language can be tested
// with them too: it must have the same results, codes and fuel (SPEC §6).
//
// The modules' sources are the .wat and .c files beside them; make fixtures
// builds them. Modules that the text format cannot express are bytes in cases.json.
package enginetest

import (
	"bytes"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"golem/core/wasmtool"
)

//go:embed cases.json testdata/*.wasm testdata/wasi/*.txt
var data embed.FS

// Case is one call of one module. The module is guarded, compiled, called, and
// closed; a module that the guard or the engine refuses is a case as well.
type Case struct {
	Name string `json:"name"`
	// Module is testdata/MODULE.wasm; or Bytes are the module.
	Module string `json:"module,omitempty"`
	Bytes  []Part `json:"bytes,omitempty"`

	Form   string   `json:"form,omitempty"`   // extism (default) or command
	Export string   `json:"export,omitempty"` // default run
	Input  string   `json:"input,omitempty"`
	Args   []string `json:"args,omitempty"`
	Stdin  string   `json:"stdin,omitempty"`
	// Transcript names testdata/wasi/TRANSCRIPT.txt: calls of WASI and their results. It is
	// the standard input, and the output that the module must have.
	Transcript string            `json:"transcript,omitempty"`
	Config     map[string]string `json:"config,omitempty"`
	// Files are the files of the sandbox that the module sees; absent: no files are
	// granted.
	Files map[string]string `json:"files,omitempty"`
	// HTTP grants a network in which every response is the request's method and
	// URL; Call grants a golem_call that returns "called NAME with ARGS". The
	// clock stands at 1,700,000,000 s after the epoch, every random byte is 42.
	HTTP   bool   `json:"http,omitempty"`
	Silent bool   `json:"silent,omitempty"` // the network never answers
	Call   bool   `json:"call,omitempty"`
	Limits Limits `json:"limits,omitzero"`
	// Before are the inputs of calls made before the one that is judged; their results
	// do not matter. With Keep all calls use one kept instance.
	Before []string `json:"before,omitempty"`
	Keep   bool     `json:"keep,omitempty"`
	Want   Want     `json:"want"`
}

// Part is a sequence of bytes in hexadecimal, repeated Times times (0 means once).
type Part struct {
	Hex   string `json:"hex"`
	Times int    `json:"times,omitempty"`
}

// Limits are the limits of a call. Zero means the engine's default, and for Time one hour:
// only cases that test time set it, so that a slow machine does not make others fail.
// Cancel is the time after which the caller cancels the context of the call.
type Limits struct {
	Fuel   int64 `json:"fuel,omitempty"`
	Time   int64 `json:"time_ms,omitempty"`
	Output int64 `json:"output,omitempty"`
	Cancel int64 `json:"cancel_ms,omitempty"`
}

// Want is the expected result of the call. With a Code the call must fail with it;
// without one the call must succeed and use exactly Fuel.
type Want struct {
	Code    string            `json:"code,omitempty"`
	Message string            `json:"message,omitempty"` // part of the fault's message
	Output  *string           `json:"output,omitempty"`
	Match   string            `json:"match,omitempty"`  // part of the output
	Length  int               `json:"length,omitempty"` // of the output, in bytes
	Stderr  string            `json:"stderr,omitempty"` // part of standard error
	Exit    int               `json:"exit,omitempty"`
	Fuel    int64             `json:"fuel,omitempty"`
	Files   map[string]string `json:"files,omitempty"` // all files after the call
}

// Cases returns all cases, in the order of cases.json.
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

// Named returns one case, for other tests that need its module.
func Named(name string) (Case, error) {
	cases, err := Cases()
	if err != nil {
		return Case{}, err
	}
	i := slices.IndexFunc(cases, func(c Case) bool { return c.Name == name })
	if i < 0 {
		return Case{}, fmt.Errorf("there is no case %s", name)
	}
	return cases[i], nil
}

// Source returns the module of a case, not yet guarded.
func (c Case) Source() ([]byte, error) {
	if c.Module != "" {
		return fs.ReadFile(data, "testdata/"+c.Module+".wasm")
	}
	var out []byte
	for _, p := range c.Bytes {
		b, err := hex.DecodeString(p.Hex)
		if err != nil {
			return nil, fmt.Errorf("bytes of %s: %w", c.Name, err)
		}
		out = append(out, bytes.Repeat(b, max(1, p.Times))...)
	}
	return out, nil
}

// Calls returns the transcript of a case: the calls of WASI that testdata/wasi.c makes, with
// their results. It is empty if the case has none.
func (c Case) Calls() string {
	if c.Transcript == "" {
		return ""
	}
	text, err := fs.ReadFile(data, "testdata/wasi/"+c.Transcript+".txt")
	if err != nil {
		return err.Error() // fails: nothing prints that
	}
	return string(text)
}

// Invocation returns the call of a case, with the defaults filled in.
func (c Case) Invocation() wasmtool.Invocation {
	in := wasmtool.Invocation{
		Form: wasmtool.Form(c.Form), Export: c.Export, Input: []byte(c.Input), Args: c.Args, Stdin: []byte(c.Stdin), Config: c.Config,
		Limits: wasmtool.Limits{Fuel: c.Limits.Fuel, Output: c.Limits.Output, Time: time.Hour},
	}
	if c.Transcript != "" {
		in.Stdin = []byte(c.Calls())
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
