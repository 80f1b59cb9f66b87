package core

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"slices"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/worktest"
)

// testNames finds names of tools in tests that no tool has. It reads the tools of a worker once.
type testNames struct {
	in    *Instance
	check *run.Checker
	known map[string]*run.Vocabulary // by worker; nil: they are not known
	said  map[string]bool            // file and name, said of the first case that has it
}

func newTestNames(i *Instance) *testNames {
	return &testNames{in: i, check: i.Checker(), known: map[string]*run.Vocabulary{}, said: map[string]bool{}}
}

// of returns a warning for each name in a case that no worker of the case could have as a tool,
// unless a case before in the file has it, too: calls.never would be true for ever.
func (n *testNames) of(ctx context.Context, w *project.Worker, f worktest.File, c worktest.Case) (out fault.List) {
	named := namedTools(c)
	if len(named) == 0 {
		return nil
	}
	v, read := n.known[w.ID]
	if !read {
		if closure, err := n.in.project.Workers.Closure(w); err == nil {
			v = n.check.Vocabulary(ctx, closure)
		}
		n.known[w.ID] = v
	}
	if v == nil {
		return nil
	}
	for _, one := range named {
		near, unknown := v.Unknown(one.tool)
		if !unknown || n.said[f.Path+"\x00"+one.tool] {
			continue
		}
		n.said[f.Path+"\x00"+one.tool] = true
		warning := fault.Warn(fault.Config, "%s of the case %s names the tool %s, and no worker of the case can have such a tool", one.key, fault.Quoted(c.Name), fault.Quoted(one.tool)).
			At(f.Path, c.At.Line, c.At.Column)
		if near != "" {
			out = append(out, warning.Hinting("did you mean %s", near))
		} else {
			out = append(out, warning.Hinting("golem describe shows the tools of a worker"))
		}
	}
	return out
}

// namedTool is the name of a tool in a case, and the key that has it.
type namedTool struct{ key, tool string }

func namedTools(c worktest.Case) (out []namedTool) {
	add := func(key string, tools ...string) {
		for _, t := range tools {
			out = append(out, namedTool{key, t})
		}
	}
	for _, a := range c.Answers {
		add("answers", a.Tool)
	}
	for _, r := range c.Results {
		add("results", r.Tool)
	}
	add("calls.must", c.Expect.Must...)
	add("calls.never", c.Expect.Never...)
	add("calls.at_most", slices.Sorted(maps.Keys(c.Expect.AtMost))...)
	add("denied", c.Expect.Denied...)
	return out
}

// lenient returns faults of files of tests, as warnings if the file does not say test: of itself.
// Then another program may have written it, and golem test says whether its tests run.
func lenient(files fs.FS, faults fault.List) (out fault.List) {
	for _, f := range faults {
		if f.Severity != fault.Warning && f.Where != nil {
			data, err := sandbox.ReadFile(files, f.Where.File, worktest.MaxFile)
			other := err == nil && !bytes.HasPrefix(data, []byte("test:")) && !bytes.Contains(data, []byte("\ntest:"))
			if other || f.Code == fault.Limit { // what is too large is most likely data of another program
				warning := *f
				warning.Severity, f = fault.Warning, &warning
			}
		}
		out = append(out, f)
	}
	return out
}

// checkTests returns what is wrong with the project's files of tests, as far as that is known
// without running one.
func checkTests(i *Instance, platform string) fault.List {
	if i.options.Bare {
		return nil
	}
	suite := worktest.Find(i.options.Files)
	out := lenient(i.options.Files, suite.Faults)
	if i.project.Blind != "" {
		return out
	}
	ctx, names := context.Background(), newTestNames(i)
	for _, f := range suite.Files {
		w, err := workerOf(i, f)
		if err != nil {
			if one := fault.Of(err, fault.WorkerNotFound); f.Worker != "" {
				out = append(out, one.At(f.Path, f.WorkerAt.Line, f.WorkerAt.Column))
			}
			continue // without the key, the fault of the entry is known
		}
		for _, c := range f.Cases {
			if j := c.Expect.Judge; j != nil {
				if _, err := i.project.Workers.Find(j.Worker); err != nil {
					out = append(out, fault.Of(err, fault.WorkerNotFound).At(f.Path, c.At.Line, c.At.Column))
				}
			}
			if platform == i.platform.Name {
				out = append(out, names.of(ctx, w, f, c)...)
			}
		}
	}
	return out
}
