// Package worktest has the tests of workers (SPEC §17): it reads the files in tests/, says
// what a run of a case did and whether that is what the case expects, and answers in the
// place of everything that a test must not reach. It runs nothing: package core does.
package worktest

import (
	"encoding/json"
	"regexp"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/yamltree"
)

// File is one file of tests.
type File struct {
	Path     string // from the project root: "tests/summary.yaml"
	Worker   string // a reference; "": the entry of the project
	WorkerAt yamltree.Pos
	Models   []string
	Samples  int     // of each case with a real model, at least 1
	PassRate float64 // of a case's samples, 1: all must pass
	Cases    []Case
}

// Case is one case: an input, what a person and the world answer, and what is expected. It
// is not changed after it was read.
type Case struct {
	Name      string
	At        yamltree.Pos // of the case in its file
	Input     Input
	Attach    []string          // files of the project
	Files     map[string]string // from paths of the project to contents
	FilesFrom string            // a directory of the project
	Laid      []Laid            // files of the project that lie elsewhere in the sandbox
	Answers   []Answer
	Results   []Result
	Expect    Expect
	// Expected describes a good answer, and Expectations has statements about it, for the judge.
	Expected     string
	Expectations []string
}

// Laid is a file of the project that lies at another path while a case runs.
type Laid struct{ From, To string }

// Input is what a case gives to the worker: a text, an object, or a file that has one of
// these.
type Input struct {
	Text string
	JSON json.RawMessage
	File string
}

// Raw returns an input that is not in a file as JSON.
func (in Input) Raw() json.RawMessage {
	if len(in.JSON) > 0 {
		return in.JSON
	}
	return jsonText(in.Text)
}

// Answer is a person's answer to the next question of a tool.
type Answer struct {
	Tool   string
	Yes    bool
	Reason string
}

// Result is what a call returns that does not run.
type Result struct {
	Tool  string
	When  map[string]json.RawMessage // arguments that the call must have, by name
	Text  string                     // of a result that is a text
	JSON  json.RawMessage            // of any other
	Error *fault.Fault               // nil: the call returns a result
}

// Expect is what must hold after a run.
type Expect struct {
	Status string // ok, needs_input or an error code
	Output Want
	Judge  *Judge
	Files  []FileWant // ordered by path
	Must   []string   // tools that must be called
	Never  []string
	AtMost map[string]int
	Denied []string // nil: not compared
	Limits Limits
}

// Want is what a value must be. The zero value accepts everything.
type Want struct {
	Equals    json.RawMessage // nil: not compared
	Contains  []string
	Matches   *regexp.Regexp
	Schema    json.RawMessage // a JSON Schema, nil if SchemaRef has its place
	SchemaRef string          // file.json or file.json#/$defs/Name of the project
	JSON      []Pointed
}

// Pointed is a value at a JSON pointer.
type Pointed struct {
	Pointer string
	Value   json.RawMessage
}

// FileWant is what a file must be afterwards.
type FileWant struct {
	Path   string
	Absent bool
	Want
}

// Judge is a worker that gives an output a score from 0 to 1.
type Judge struct {
	Worker  string
	AtLeast float64
}

// Limits are what a run may use at most; nil: not limited.
type Limits struct {
	Turns, Tokens *int64
	Cost          *money.USD
}
