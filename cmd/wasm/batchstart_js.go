package main

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	"golem/cmd/wasm/jsbytes"
	"golem/core"
	"golem/core/batch"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
	"golem/sandbox/opfs"
)

// givenInputs says where the inputs of a batch are: at a path of the project, or in the message
// with the name of a file. The name "-" stands for JSON Lines without one.
type givenInputs struct {
	Path string `json:"path"`
	Name string `json:"name"`
}

// outSuffix ends the usual name of the directory of outputs.
const outSuffix = ".out"

// start prepares a batch with inputs.
func (j *batchJob) start(g givenInputs) error {
	a := j.asked
	source, at, err := j.inputs(g)
	if err != nil {
		return err
	}
	out := a.Out
	if out != "" {
		if out, err = editable(out); err == nil {
			err = notGit(out)
		}
		if err != nil {
			return err
		}
	}
	left := []string{out}
	if g.Path != "" {
		left = append(left, at)
	}
	made, err := core.PackWithout(j.inst, append(left, outputsIn(j.project)...))
	if err != nil {
		return err
	}
	name := a.Name
	if name == "" {
		name = batch.NameOf(a.Project, made.Pack.Digest, a.Entry, at)
	}
	if out == "" {
		out = name + outSuffix
	}
	j.head = batch.Head{
		Name: name, Pack: made.Pack.Digest, Project: a.Project, Entry: a.Entry, Key: a.Key, Inputs: at, Out: out, OutChosen: a.Out != "",
		Begun: time.Now().UTC().Format(time.RFC3339),
	}
	j.pack, j.begin.Pack, j.begin.Source = made.Pack, made.Data, source
	return nil
}

// goOn prepares a batch that goes on with what it began with.
func (j *batchJob) goOn() error {
	if j.asked.Name == "" {
		return fault.New(fault.Usage, "the inputs are missing").Hinting("give inputs: a path in the project, a list, or {name, data}; or give the name of a batch to go on with it")
	}
	store, err := j.shelf().Batch(j.asked.Name)
	if err != nil {
		return err
	}
	q, err := batch.ReadLocal(&store)
	if err != nil {
		return err
	}
	data, err := sandbox.ReadFile(store.Files, batch.PackFile, workspace.MaxPack)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "golem ended before it kept the packed project of the batch %s", j.asked.Name).Hinting("start it again with its inputs")
	}
	if err == nil {
		j.pack, err = workspace.ReadPack(data)
	}
	j.head = q.Head
	return err
}

// inputs returns the inputs and their path.
func (j *batchJob) inputs(g givenInputs) (batch.Source, string, error) {
	if g.Path == "" {
		if !j.call.bytes.Truthy() {
			return nil, "", fault.New(fault.Usage, "the content of the inputs is missing")
		}
		table, err := isTable(g.Name)
		return inputData{data: jsbytes.Bytes(j.call.bytes), table: table}, g.Name, err
	}
	name, err := editable(g.Path)
	if err != nil {
		return nil, "", err
	}
	info, err := j.project.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fault.New(fault.Usage, "the inputs %s: there is no such file or directory", fault.Quoted(name)).Hinting("paths are relative to the project")
	case err != nil:
		return nil, "", err
	case info.IsDir():
		dir, err := sub(j.project, name)
		return inputData{dir: dir}, name, err
	}
	table, err := isTable(name)
	if err != nil {
		return nil, "", err
	}
	data, err := sandbox.ReadFile(j.project, name, workspace.MaxPack)
	return inputData{data: data, table: table}, name, err
}

// isTable reports by a file's name whether its inputs are a table.
func isTable(name string) (bool, error) {
	switch strings.ToLower(path.Ext(name)) {
	case ".csv":
		return true, nil
	case ".jsonl", ".ndjson":
		return false, nil
	}
	if name == "-" {
		return false, nil
	}
	return false, fault.New(fault.Usage, "the inputs %s are neither .jsonl nor .csv nor a directory", fault.Quoted(name)).
		Hinting("rename the file by what it has: a JSON value a line is .jsonl, a table with a line of names is .csv")
}

// inputData are inputs in memory, or a directory of them.
type inputData struct {
	data  []byte
	table bool
	dir   *opfs.FS
}

var _ batch.Source = inputData{}

// Read implements batch.Source.
func (g inputData) Read(yield func(batch.Input) error) error {
	switch {
	case g.dir != nil:
		return batch.ReadFiles(g.dir, yield)
	case g.table:
		return batch.ReadTable(bytes.NewReader(g.data), yield)
	}
	return batch.ReadLines(bytes.NewReader(g.data), yield)
}

// inputFiles returns the directory of inputs, if they are files.
func inputFiles(project *opfs.FS, name string) fs.FS {
	if sandbox.Valid(name) != nil {
		return nil
	}
	if info, err := project.Stat(name); err != nil || !info.IsDir() {
		return nil
	}
	dir, err := sub(project, name)
	if err != nil {
		return nil
	}
	return dir
}

// outputsIn returns the directories of a project that have outputs of batches.
func outputsIn(project *opfs.FS) (names []string) {
	entries, err := fs.ReadDir(project, ".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasSuffix(e.Name(), outSuffix) {
			if _, err := project.Stat(path.Join(e.Name(), batch.ResultsFile)); err == nil {
				names = append(names, e.Name())
			}
		}
	}
	return names
}

// batchOutputs makes and opens the directory of outputs. It has a file of results from the
// beginning, by which golem knows it.
func batchOutputs(project *opfs.FS, name string) (*opfs.FS, error) {
	if err := project.MkdirAll(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	dir, err := sub(project, name)
	if err != nil {
		return nil, err
	}
	if _, err := dir.Stat(batch.ResultsFile); errors.Is(err, fs.ErrNotExist) {
		return dir, dir.WriteFile(batch.ResultsFile, nil)
	}
	return dir, nil
}

// packMounter opens the root of a packed project, with its files in memory. It has no others.
func packMounter(p *workspace.Pack) func(string) (sandbox.FS, error) {
	files := sandbox.Overlay(p.Project)
	return func(source string) (sandbox.FS, error) {
		if path.Clean(source) == "." {
			return files, nil
		}
		return nil, fault.New(fault.Path, "the mount source %s is outside the project", source).
			Hinting("a packed project reaches its own files only")
	}
}
