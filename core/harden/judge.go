package harden

import (
	"context"
	"encoding/json"

	"golem/core/fault"
	"golem/core/worktest"
)

// Part is what code did on a part of the cases.
type Part struct {
	Cases  int `json:"cases"`
	Same   int `json:"same"`   // the worker's answer
	Differ int `json:"differ"` // another answer
	Fail   int `json:"fail"`   // no answer that counts
	Unsure int `json:"unsure"` // it leaves the answer to the worker
	// Differences are the cases that are not the same.
	Differences []Difference `json:"differences,omitempty"`

	fuel, ms int64
	changing int                // cases in which the worker changes files
	open     []worktest.Example // the cases of Differences
	tried    map[string]int     // what the code may not do, and how often it was refused
}

// Difference is a case for which code did not give the worker's answer.
type Difference struct {
	Input  json.RawMessage `json:"input"`
	Worker json.RawMessage `json:"expected"`
	Code   json.RawMessage `json:"got,omitempty"`
	Unsure string          `json:"unsure,omitempty"`
	Fault  string          `json:"error,omitempty"`
	// Files are those that the code left otherwise than the worker.
	Files []worktest.FileDifference `json:"files,omitempty"`
}

// judge calls code with the input of each case, and compares its answers, and what it made of
// the files, with the worker's. Code that leaves the answer to the worker after it changed
// files differs, too: the worker then begins with other files.
func judge(ctx context.Context, code Code, cases []worktest.Example) (p Part, err error) {
	p.Cases = len(cases)
	for _, c := range cases {
		got := code.Call(ctx, c)
		if ctx.Err() != nil {
			return p, fault.Of(context.Cause(ctx), fault.Interrupted)
		}
		p.fuel += got.Fuel
		p.ms += got.MS
		if len(c.Written) > 0 {
			p.changing++
		}
		addTried(&p.tried, got.Tried)
		p.count(c, got)
	}
	return p, nil
}

// count adds what code made of one case.
func (p *Part) count(c worktest.Example, got Result) {
	d := Difference{Input: c.Input, Worker: c.Output, Code: got.Output, Unsure: got.Unsure}
	if got.Fault != nil {
		d.Fault = got.Fault.Error()
	}
	open := got.Unsure != "" || got.Fault != nil
	switch {
	case open && len(got.Written) > 0:
		p.Differ++
		d.Files = worktest.Written{}.Differences(got.Written)
	case got.Unsure != "":
		p.Unsure++
	case open:
		p.Fail++
	case worktest.Same(got.Output, c.Output) && c.Written.Same(got.Written):
		p.Same++
		return
	default:
		p.Differ++
		d.Files = c.Written.Differences(got.Written)
	}
	p.Differences, p.open = append(p.Differences, d), append(p.open, c)
}

// counts returns the part without its cases.
func (p Part) counts() Part {
	p.Differences, p.open = nil, nil
	return p
}
