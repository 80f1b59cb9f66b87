package core

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"sync"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/model"
	"golem/core/options"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/tool"
	"golem/core/trace"
	"golem/core/worktest"
)

// Tests are the tests of a project (SPEC §17).
type Tests struct {
	worktest.Suite
	of   *Instance // as the person opened the project
	bare *Instance // nothing of the person and of the world: what tests on recordings run in
	red  *values   // removes the person's secrets

	scripts model.Scripts

	asking sync.Mutex // one question at a time, although each run has a gate of its own
	mu     sync.Mutex
	live   map[string]*Instance // for real models, by name
}

// TestRun says how tests run.
type TestRun struct {
	Filter *regexp.Regexp // of FILE: CASE; nil: every case
	File   string         // only the cases of this file, by its path from the project root; "": of all
	// Models replaces the models of the files; the word tests stands for those that the
	// files name. Record writes recordings of what real models answer. Without both,
	// nothing but recordings and scripts is used.
	Models  []string
	Record  bool
	Samples int // of each case with a real model; 0: the file decides
	// Answers says who answers for hardened workers. With Record it is the model.
	Answers run.Answerer
	// Parallel is how many cases run beside each other; 0: 4.
	Parallel int
	// Person is asked about what real models want to do beyond the files of a test. nil:
	// nobody is there.
	Person approval.Approver
	// Live opens the project for a real model, with files in memory; "" is the model that
	// its files name. nil: real models cannot be used.
	Live LiveTests
	// Watch gets each verdict as soon as it is there. nil: nobody waits for them.
	Watch TestWatcher

	written bool // verdicts say what the runs made of the files
}

// LiveTests opens a project for a test with a real model.
type LiveTests interface {
	OpenLive(model string) (*Instance, error)
}

// TestWatcher sees tests run. Its methods are called one at a time.
type TestWatcher interface {
	// Judged gets a verdict; done of total runs of cases have ended.
	Judged(v worktest.Verdict, done, total int)
}

// Tests returns the tests of the project. They run in the project as its files are now.
func (i *Instance) Tests() (*Tests, error) {
	p := i.platform
	kept, _ := i.values.personSecrets() // a store that cannot be read has no values to remove
	secrets := append(platformSecrets(p), kept...)
	p.Env, p.DotEnv, p.HTTP, p.Models, p.Fetch, p.MCP = map[string]string{}, nil, nil, nil, nil, mcp.Host{}
	p.Person, p.State, p.Git, p.ReadScript = Person{Home: p.Home, Secrets: secrets}, state.Store{}, nil, nil
	o := i.options
	o.Opening = options.Opening{Entry: o.Entry, NoProject: o.NoProject, NoImportTools: o.NoImportTools, Model: "replay:" + worktest.Recordings, Sandbox: options.Memory}
	o.TrustDigest, o.Origin = "", nil
	bare, err := Open(p, o)
	if err != nil {
		return nil, err
	}
	bare.values.add(secrets...)
	return &Tests{Suite: worktest.Find(o.Files), of: i, bare: bare, red: bare.values, live: map[string]*Instance{}}, nil
}

// input returns the input of a case. made has attached files that are not written yet; nil: all
// are in the project.
func (t *Tests) input(c worktest.Case, made *worktest.NewCase) (in run.Input, err error) {
	files := t.of.options.Files
	in = run.Input{Text: c.Input.Text, JSON: c.Input.JSON}
	if c.Input.File != "" {
		data, err := sandbox.ReadFile(files, c.Input.File, run.MaxInput)
		if err != nil {
			return in, missing("input_file", c.Input.File, err)
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) == nil && object != nil {
			in.JSON = data
		} else {
			in.Text = string(data)
		}
	}
	for _, name := range c.Attach {
		data, ok := made.Copied(name)
		if !ok {
			data, err = sandbox.ReadFile(files, name, 64<<20)
		}
		if err != nil {
			return in, missing("attach", name, err)
		}
		in.Attachments = append(in.Attachments, run.File{Name: path.Base(name), Data: data})
	}
	return in, nil
}

func missing(key, name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, "%s: there is no file %s in the project", key, name)
	}
	return fault.New(fault.Path, "%s: %s cannot be read: %s", key, name, fault.Of(err, fault.Path).Message)
}

// testValues are the values of {env} and {secret} in a test: the same on every machine, and
// none of a person's.
type testValues struct{}

var _ run.Values = testValues{}

// Value returns a text that says which value it stands for.
func (testValues) Value(v tool.Value) (string, error) {
	if name := v.Env + v.Secret; name != "" {
		return "the value of " + name + " in a test", nil
	}
	return v.Text, nil
}

// Hide does nothing: there is nothing to hide.
func (testValues) Hide(string) {}

// Given returns nil.
func (testValues) Given() *trace.Redactor { return nil }

// IsSecret returns false.
func (testValues) IsSecret(string) bool { return false }

// workerOf returns the worker that a file tests.
func workerOf(i *Instance, f worktest.File) (*project.Worker, error) {
	if f.Worker == "" {
		return i.project.Workers.Entry()
	}
	return i.project.Workers.Find(f.Worker)
}

// put writes a file of tests, or a recording, into the project.
func (t *Tests) put(name string, data []byte) error {
	files, err := t.of.platform.Files.Mount(".")
	if err == nil {
		err = sandbox.MkdirAll(files, path.Dir(name), 0o755)
	}
	if err == nil {
		err = files.WriteFile(name, data)
	}
	if err != nil {
		return fault.New(fault.Path, "%s cannot be written: %s", name, fault.Of(err, fault.Path).Message)
	}
	return nil
}
