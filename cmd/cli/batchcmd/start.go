package batchcmd

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golem/core"
	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/workspace"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// start carries out golem batch, from the command line to the exit code.
func (f *flags) start(c *console.Console, words []string) error {
	if err := f.refuse(); err != nil {
		return err
	}
	if f.Inputs == "" {
		return console.Usage("--inputs is missing").Hinting("golem batch DIR --inputs FILE.jsonl, FILE.csv, a directory, or - for standard input")
	}
	src, at, err := inputsOf(c, f.Inputs)
	if err != nil {
		return err
	}
	words = target.OrHere(c, f.Project, words)
	p, _, err := target.Find(c, f.Wanted(), words)
	if err != nil {
		return err
	}
	t := toolhost.New(c, f.Verbose)
	defer t.Close()
	data, pack, staged, err := f.pack(c, p, t, at, words)
	if err != nil {
		return err
	}
	entry := f.Entry
	if p.File {
		entry = p.Entry
	}
	if f.Name == "" {
		f.Name = batch.NameOf(p.Name(), pack.Digest, entry, at)
	}
	chosen := f.Out != ""
	if !chosen {
		f.Out = f.Name + outSuffix
	}
	h := batch.Head{
		Name: f.Name, Pack: pack.Digest, Project: p.Name(), Entry: entry, Key: f.Key, Inputs: at, Out: c.Path(f.Out), OutChosen: chosen,
		Begun: time.Now().UTC().Format(time.RFC3339),
	}
	if p.Pack == nil {
		h.Place = p.Root
	}
	return f.run(c, job{head: h, pack: pack, data: data, source: src, tools: t, opening: f.OpenWith(), staged: staged})
}

// outSuffix ends the usual name of the directory of outputs.
const outSuffix = ".out"

// pack returns the packed project of TARGET, without the outputs of batches and without the
// inputs, and where a project's directory keeps what is staged.
func (f *flags) pack(c *console.Console, p target.Place, t *toolhost.Tools, inputs string, words []string) ([]byte, *workspace.Pack, *clearance.Store, error) {
	if p.Pack != nil {
		data, err := target.ReadPackBytes(c, words[0])
		if err != nil {
			return nil, nil, nil, err
		}
		pack, err := workspace.ReadPack(data)
		if err == nil && pack.Digest != p.Pack.Digest {
			err = fault.New(fault.Conflict, "%s changed while golem read it", words[0])
		}
		return data, pack, nil, err
	}
	if p.Work != "" || p.Assistant {
		return nil, nil, nil, console.Usage("golem batch needs a project directory, a worker file or a packed project")
	}
	if err := target.NoProject(c, p); err != nil {
		return nil, nil, nil, err
	}
	inst, err := machine.Open(c, p, f.OpenWith(), t)
	if err != nil {
		return nil, nil, nil, err
	}
	made, err := core.PackWithout(inst, leftOut(c, p.Root, inputs, f.Out))
	if err != nil {
		return nil, nil, nil, err
	}
	return made.Data, made.Pack, inst.Clearance(), nil
}

// leftOut returns what of a project's directory is not part of a batch: the inputs, the
// directory of outputs, those of other batches, and the stores of queues, which change with each
// batch.
func leftOut(c *console.Console, root, inputs, out string) (names []string) {
	add := func(name string) {
		if rel, err := filepath.Rel(disk.Resolved(root), disk.Resolved(name)); err == nil && filepath.IsLocal(rel) && rel != "." {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	if inputs != fromStdin {
		add(inputs)
	}
	if out != "" {
		add(c.Path(out))
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return names
	}
	for _, e := range entries {
		has := func(name string) bool {
			_, err := os.Stat(filepath.Join(root, e.Name(), name))
			return err == nil
		}
		if strings.HasSuffix(e.Name(), outSuffix) && has(batch.ResultsFile) || has(queueStore) {
			names = append(names, e.Name())
		}
	}
	return names
}

// queueStore is in the directory of each nats-server's store.
const queueStore = "jetstream/$G"

// fromStdin is the path of inputs that come from standard input.
const fromStdin = "-"

// inputsOf returns the inputs that a word names, and their path.
func inputsOf(c *console.Console, word string) (source, string, error) {
	if word == fromStdin {
		return source{c: c, path: fromStdin}, fromStdin, nil
	}
	at := c.Path(word)
	info, err := os.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return source{}, "", console.Usage("--inputs %s: there is no such file or directory", word).Hinting("paths are relative to the current directory")
	case err != nil:
		return source{}, "", console.Usage("--inputs %s cannot be read: %s", word, disk.Cause(err))
	}
	s := source{c: c, path: at, dir: info.IsDir()}
	switch ext := strings.ToLower(path.Ext(filepath.ToSlash(at))); {
	case info.IsDir():
	case ext == ".csv":
		s.table = true
	case ext == ".jsonl" || ext == ".ndjson":
	default:
		return source{}, "", console.Usage("--inputs %s is neither .jsonl nor .csv nor a directory", word).
			Hinting("rename it by what it has: a JSON value a line is .jsonl, a table with a line of names is .csv")
	}
	return s, at, nil
}

// source reads the inputs.
type source struct {
	c          *console.Console
	path       string
	dir, table bool
}

var _ batch.Source = source{}

// Read implements batch.Source.
func (s source) Read(yield func(batch.Input) error) error {
	if s.dir {
		return batch.ReadFiles(os.DirFS(s.path), yield)
	}
	in := s.c.In
	if s.path != fromStdin {
		file, err := os.Open(s.path)
		if err != nil {
			return fault.New(fault.Usage, "the inputs %s cannot be read: %s", s.path, disk.Cause(err))
		}
		defer file.Close()
		in = file
	}
	if s.table {
		return batch.ReadTable(in, yield)
	}
	return batch.ReadLines(in, yield)
}
