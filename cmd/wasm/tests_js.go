package main

import (
	"regexp"
	"slices"

	"golem/core"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/worktest"
)

// testWish are the parameters of the method test, beside those of asked.
type testWish struct {
	Filter  string   `json:"filter"`
	List    bool     `json:"list"` // only list the cases
	Record  bool     `json:"record"`
	Models  []string `json:"models"`
	Samples int      `json:"samples"`
	By      string   `json:"by"` // hardened or worker, see run.Answerer
}

// listed is a case as the method test lists it.
type listed struct {
	File   string `json:"file"`
	Case   string `json:"case"`
	Line   int    `json:"line"`
	Worker string `json:"worker"` // a reference; "": the entry
}

// testProject runs the tests of a project, as golem test does. With real models nobody is
// asked: what the cases do not answer is denied.
func testProject(c *call, want testWish) (any, []byte, error) {
	how := core.TestRun{Record: want.Record, Models: want.Models, Samples: want.Samples, Parallel: 1, Live: liveTests{c}}
	switch how.Answers = run.Answerer(want.By); how.Answers {
	case "", run.ByCode, run.ByModel:
	default:
		return nil, nil, fault.New(fault.Usage, "by is %q, and not hardened or worker", want.By)
	}
	if want.Filter != "" {
		re, err := regexp.Compile(want.Filter)
		if err != nil {
			return nil, nil, fault.New(fault.Usage, "the filter %q is not a regular expression of RE2: %w", want.Filter, err)
		}
		how.Filter = re
	}
	o, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	tests, err := o.inst.Tests()
	if err != nil {
		return nil, nil, err
	}
	if want.List {
		return map[string]any{"cases": listTests(tests), "faults": append(append(fault.List{}, tests.Faults...), tests.Warnings(c.ctx, how)...)}, nil, nil
	}
	if want.Record {
		release, err := c.server.stores.hold(o.fsys)
		if err != nil {
			return nil, nil, err
		}
		defer release()
	}
	verdicts, err := tests.Run(c.ctx, how)
	if err != nil {
		return nil, nil, err
	}
	faults := slices.DeleteFunc(slices.Concat(tests.Faults, tests.Warnings(c.ctx, how)), func(f *fault.Fault) bool { return !how.Concerns(f) })
	return worktest.NewReport("browser", verdicts, faults), nil, nil
}

func listTests(tests *core.Tests) []listed {
	out := []listed{}
	for _, f := range tests.Files {
		for _, one := range f.Cases {
			out = append(out, listed{f.Path, one.Name, one.At.Line, f.Worker})
		}
	}
	return out
}

// liveTests opens the project of a call for real models, with its files in memory.
type liveTests struct{ call *call }

// OpenLive opens the project with a model.
func (l liveTests) OpenLive(model string) (*core.Instance, error) {
	o, err := instance(l.call, func(to *core.Options) { to.Model, to.Sandbox = model, options.Memory })
	return o.inst, err
}
