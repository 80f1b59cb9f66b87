package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall/js"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/core/otlp"
	"golem/core/sandbox"
	"golem/core/trace"
	"golem/core/workspace"
	"golem/sandbox/opfs"
)

func listRuns(c *call, _ named, fsys *opfs.FS) (any, []byte, error) {
	out := []entry{}
	entries, err := fs.ReadDir(fsys, trace.RunsDir)
	if err != nil {
		return out, nil, nil // no run yet
	}
	for _, e := range slices.Backward(entries) {
		if info, err := e.Info(); err == nil && !e.IsDir() && info.Size() > 0 { // empty: the run waits for its first message, or was killed before it
			out = append(out, entry{Path: e.Name(), Size: info.Size(), Modified: info.ModTime().UnixMilli()})
		}
	}
	return out, nil, nil
}

// oneRun returns the path of the trace of the run that a message names, and the project.
func oneRun(c *call) (string, *opfs.FS, error) {
	n, fsys, err := target(c)
	if err == nil && (strings.Contains(n.Name, "/") || sandbox.Valid(n.Name) != nil) {
		err = fault.New(fault.Path, "%q is not the name of a run", n.Name)
	}
	return path.Join(trace.RunsDir, n.Name), fsys, err
}

// readPrompts returns the messages of each worker run of a run, by the ID of its call. It
// returns none if the run did not keep them.
func readPrompts(c *call) (any, []byte, error) {
	name, fsys, err := oneRun(c)
	if err != nil {
		return nil, nil, err
	}
	out := map[string]json.RawMessage{}
	dir := trace.TextsDir(name)
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return out, nil, nil // the run kept no texts
	}
	for _, e := range entries {
		if id, ok := trace.PromptOf(e.Name()); ok {
			data, err := sandbox.ReadFile(fsys, path.Join(dir, e.Name()), workspace.MaxFile)
			if err != nil {
				return nil, nil, err
			}
			if json.Valid(data) {
				out[id] = data
			}
		}
	}
	return out, nil, nil
}

// readRun returns the trace of a run. Long texts, which are kept in files of their own, are
// put back in their places.
func readRun(c *call) (any, []byte, error) {
	name, fsys, err := oneRun(c)
	if err != nil {
		return nil, nil, err
	}
	data, err := sandbox.ReadFile(fsys, name, workspace.MaxFile)
	if err != nil {
		return nil, nil, err
	}
	var whole bytes.Buffer
	if trace.Inline(&whole, bytes.NewReader(data), textsOf{fsys, name}) != nil {
		return nil, data, nil // the file is not a trace: the page says so
	}
	return nil, whole.Bytes(), nil
}

// wholeTraceAsked has the parameters of wholeTrace.
type wholeTraceAsked struct {
	Names []string `json:"names"` // of the texts, behind the trace
}

// wholeTrace returns a trace that the page got from elsewhere, with the long texts that came
// with it put in their places.
func wholeTrace(c *call, n wholeTraceAsked) (any, []byte, error) {
	if c.bytes.Type() != js.TypeObject || c.bytes.Length() != len(n.Names)+1 {
		return nil, nil, fault.New(fault.Usage, "the content of the trace is missing")
	}
	var whole bytes.Buffer
	err := trace.Inline(&whole, bytes.NewReader(jsbytes.Bytes(c.bytes.Index(0))), sentTexts{c.bytes, n.Names})
	return nil, whole.Bytes(), err
}

// otlpAsked has the parameters of exportOTLP.
type otlpAsked struct {
	Contents bool `json:"contents"`
}

// exportOTLP returns a trace that the page sent as requests of OTLP, one a line.
func exportOTLP(c *call, o otlpAsked, data []byte) (any, []byte, error) {
	h, events, err := trace.Read(bytes.NewReader(data), nil)
	if err != nil {
		return nil, nil, err
	}
	var out bytes.Buffer
	err = otlp.Export(&out, h, events, otlp.Options{Contents: o.Contents})
	return nil, out.Bytes(), err
}

// sentTexts are the long texts that the page sent behind a trace.
type sentTexts struct {
	bytes js.Value
	names []string
}

// Text returns one of them.
func (t sentTexts) Text(name string, _ int64) ([]byte, error) {
	if i := slices.Index(t.names, name); i >= 0 {
		return jsbytes.Bytes(t.bytes.Index(i + 1)), nil
	}
	return nil, fs.ErrNotExist
}
