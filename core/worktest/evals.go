package worktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/trace"
)

// Evals is where a project of Agent Skills, and each of its skills, has its evals.
const Evals = "evals/evals.json"

// Grader is the worker that judges evals: golem's own, or one of that name in the project.
const Grader = "grade"

// The scores that an eval must reach: every expectation holds, or, if it has only a description
// of a good answer, most of it.
const (
	allHold  = 1.0
	mostHold = 0.8
)

// evalFiles returns the paths of the files of evals, of the project and of its skills, and of
// links in their place, which are not followed.
func evalFiles(project fs.FS) (files, links []string) {
	roots := []string{"."}
	for _, dir := range []string{".agents/skills", ".claude/skills", "skills"} {
		entries, _ := fs.ReadDir(project, dir) // there need not be one
		for _, e := range entries {
			if e.IsDir() {
				roots = append(roots, dir+"/"+e.Name())
			}
		}
	}
	for _, root := range roots {
		entries, _ := fs.ReadDir(project, path.Join(root, path.Dir(Evals)))
		for _, e := range entries {
			switch name := path.Join(root, Evals); {
			case e.Name() != path.Base(Evals):
			case e.Type().IsRegular():
				files = append(files, name)
			case e.Type()&fs.ModeSymlink != 0:
				links = append(links, name)
			}
		}
	}
	return files, links
}

// eval is one eval in the format of Agent Skills. Unknown keys are for other programs.
type eval struct {
	ID           any      `json:"id"`
	Name         string   `json:"name"`
	Prompt       string   `json:"prompt"`
	Expected     string   `json:"expected_output"`
	Files        []string `json:"files"` // from the directory of the skill
	Expectations []string `json:"expectations"`
	Assertions   []string `json:"assertions"` // another name of expectations
}

// ReadEvals reads a file of evals: each is a case of the project's entry, which Grader judges.
func ReadEvals(file string, data []byte) (File, fault.List) {
	out := File{Path: file, Models: []string{"replay"}, Samples: 1, PassRate: 1}
	var all struct {
		Evals []json.RawMessage `json:"evals"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		line := 0
		if syntax, ok := err.(*json.SyntaxError); ok {
			line = lineAt(data, int(syntax.Offset))
		}
		return out, fault.List{fault.New(fault.Config, "the file is not JSON with evals: %w", err).At(file, line, 0)}
	}
	var faults fault.List
	at, names := 0, map[string]bool{}
	for _, raw := range all.Evals {
		at += max(bytes.Index(data[at:], raw), 0)
		line := lineAt(data, at)
		at += len(raw)
		c, err := evalCase(path.Dir(path.Dir(file)), raw)
		if err == nil && names[c.Name] {
			err = fault.New(fault.Config, "two evals have the id %s", fault.Quoted(c.Name)).Hinting("give each eval an id of its own")
		}
		if err != nil {
			faults = append(faults, fault.Of(err, fault.Config).At(file, line, 0))
			continue
		}
		c.At.Line, names[c.Name] = line, true
		out.Cases = append(out.Cases, c)
	}
	if len(out.Cases) > maxCases {
		faults = append(faults, fault.New(fault.Config, "the file has %d evals; at most %d are read", len(out.Cases), maxCases).At(file, 1, 0))
	}
	return out, faults
}

// lineAt returns the number of the line at an offset, from 1.
func lineAt(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// evalCase returns an eval as a case. root is the directory of its skill.
func evalCase(root string, raw json.RawMessage) (Case, error) {
	var e eval
	if err := json.Unmarshal(raw, &e); err != nil {
		return Case{}, fault.New(fault.Config, "an eval is not as Agent Skills have it: %w", err)
	}
	name := strings.TrimSpace(e.Name)
	if e.ID != nil {
		name = strings.TrimSpace(fmt.Sprintf("%v %s", e.ID, name))
	}
	switch {
	case e.Prompt == "":
		return Case{}, fault.New(fault.Config, "the eval %s has no prompt", fault.Quoted(name)).Hinting("prompt is the text that the entry gets")
	case name == "" || trace.Visible(name) != name:
		return Case{}, fault.New(fault.Config, "the eval %s has no id that can be shown", fault.Quoted(name)).Hinting("give it a number or a word as its id")
	}
	c := Case{Name: name, Input: Input{Text: e.Prompt}, Expected: e.Expected, Expectations: append(e.Expectations, e.Assertions...), Expect: Expect{Status: "ok"}}
	for _, f := range e.Files {
		to := path.Clean(f)
		from := path.Join(root, to)
		if !fs.ValidPath(to) || sandbox.Secret(from) {
			return Case{}, fault.New(fault.Config, "the eval %s: %s is not a file of the skill that a worker can read", fault.Quoted(name), fault.Quoted(f)).Hinting("write a path from the directory of the skill")
		}
		c.Laid = append(c.Laid, Laid{From: from, To: to})
	}
	switch {
	case len(c.Expectations) > 0:
		c.Expect.Judge = &Judge{Worker: Grader, AtLeast: allHold}
	case c.Expected != "":
		c.Expect.Judge = &Judge{Worker: Grader, AtLeast: mostHold}
	}
	return c, nil
}
