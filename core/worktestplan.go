package core

import (
	"cmp"
	"context"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/worktest"
)

// planned is one run of a case that is to be made.
type planned struct {
	file   worktest.File
	one    worktest.Case
	model  string // replay, script:FILE, or the name of a real model; "": the one of the project's files
	keys   bool   // the model is in the name of the recording
	sample int
	live   bool
	made   *worktest.NewCase // the case, if neither it nor its recording are written yet
}

// plan returns the runs of the cases that the filter leaves.
func (t *Tests) plan(how TestRun) ([]planned, error) {
	var out []planned
	for _, f := range t.Files {
		models := how.modelsFor(f)
		for _, c := range f.Cases {
			if how.wants(f, c) {
				for _, m := range models {
					out = append(out, t.samples(f, c, m, len(models) > 1 || how.Record && len(f.Models) > 1, how)...)
				}
			}
		}
	}
	for _, p := range out {
		if p.live && how.Live == nil {
			return nil, fault.New(fault.Platform, "this platform runs tests only on recordings and scripts").Hinting("record them with golem test --record on the command line")
		}
	}
	if how.Record {
		return out, mayRecord(out, how)
	}
	return out, nil
}

// modelsFor returns the models with which the cases of a file run.
func (how TestRun) modelsFor(f worktest.File) []string {
	if len(how.Models) > 0 && !how.filesModels() {
		return how.Models
	}
	return f.Models
}

// filesModels reports whether Models is the word for the models that the files name.
func (how TestRun) filesModels() bool {
	return len(how.Models) == 1 && how.Models[0] == worktest.FilesModels
}

// wants reports whether a case is to be run.
func (how TestRun) wants(f worktest.File, c worktest.Case) bool {
	return (how.File == "" || how.File == f.Path) && (how.Filter == nil || how.Filter.MatchString(f.Path+": "+c.Name))
}

// Concerns reports whether a fault of the tests matters for the cases that are to be run. It does
// not if it is in a file none of whose cases the filter can want.
func (how TestRun) Concerns(f *fault.Fault) bool {
	if f.Where == nil {
		return true
	}
	if how.File != "" && how.File != f.Where.File {
		return false
	}
	begins, file := literal(how.Filter), f.Where.File+": "
	return strings.HasPrefix(file, begins) || strings.HasPrefix(begins, file)
}

// literal returns the text with which everything begins that a filter matches; "" if that is
// not known.
func literal(filter *regexp.Regexp) string {
	if filter == nil {
		return ""
	}
	tree, err := syntax.Parse(filter.String(), syntax.Perl)
	if err != nil || tree.Op != syntax.OpConcat || tree.Sub[0].Op != syntax.OpBeginText {
		return ""
	}
	if text := tree.Sub[1]; text.Op == syntax.OpLiteral && text.Flags&syntax.FoldCase == 0 {
		return string(text.Rune)
	}
	return ""
}

// samples returns the runs of one case with one model.
func (t *Tests) samples(f worktest.File, c worktest.Case, model string, several bool, how TestRun) []planned {
	p := planned{file: f, one: c, model: model, keys: several}
	if worktest.IsScript(model) {
		return []planned{p}
	}
	p.live = how.Record || len(how.Models) > 0 && model != config.Replay
	if p.live && model == config.Replay {
		p.model = "" // the project's own
	}
	n := cmp.Or(how.Samples, f.Samples)
	if n == 1 && !(how.Record && f.Samples > 1) {
		return []planned{p}
	}
	var out []planned
	for i := range n {
		p.sample = i + 1
		out = append(out, p)
	}
	return out
}

// recording returns the place of the recording of a run.
func (p planned) recording(judge bool) string {
	model := ""
	if p.keys {
		model = cmp.Or(p.model, config.Replay)
	}
	return worktest.RecordingOf(p.file.Path, p.one.Name, model, p.sample, judge)
}

// verdict returns the verdict of a run before anything happened.
func (p planned) verdict() worktest.Verdict {
	return worktest.Verdict{
		File: p.file.Path, Case: p.one.Name, Line: p.one.At.Line, Model: cmp.Or(p.model, config.Replay), Sample: p.sample, PassRate: p.file.PassRate,
	}
}

// mayRecord returns why recordings must not be made: no later run of the tests would read some
// of them, or there is nothing to record.
func mayRecord(plan []planned, how TestRun) error {
	if i := slices.IndexFunc(how.Models, worktest.IsScript); i >= 0 {
		return fault.New(fault.Usage, "the answers of %s come from a script, so there is nothing to record", how.Models[i]).Hinting("name a real model")
	}
	var unread, scripts fault.List
	live, last := false, ""
	for _, p := range plan {
		live = live || p.live
		if p.file.Path == last {
			continue // said, or as the case before
		}
		last = p.file.Path
		if err := sandbox.ValidNew(p.recording(false)); err != nil && p.live {
			unread = append(unread, fault.New(fault.Path, "no recording can have the name of this file: %s", fault.Of(err, fault.Path).Message).Hinting("rename the file").At(p.file.Path, 0, 0))
		}
		if f := unreadable(p.file, how); f != nil {
			unread = append(unread, f.At(p.file.Path, 0, 0))
		}
		if name := script(p.file); name != "" {
			scripts = append(scripts, fault.New(fault.Usage, "the answers of the cases come from %s, so there is nothing to record", name).Hinting("remove model: from the file").At(p.file.Path, 0, 0))
		}
	}
	switch {
	case len(unread) > 0:
		return unread
	case !live && len(scripts) > 0:
		return scripts
	}
	return nil
}

// script returns the first script among the models of a file; "" if there is none.
func script(f worktest.File) string {
	if i := slices.IndexFunc(f.Models, worktest.IsScript); i >= 0 {
		return f.Models[i]
	}
	return ""
}

// unreadable returns why a run of a file's tests on recordings would not read what is to be
// recorded, with the key that lets it; nil if it would.
func unreadable(f worktest.File, how TestRun) *fault.Fault {
	models := how.modelsFor(f)
	given := len(how.Models) > 0 && !how.filesModels()
	switch name := script(f); {
	case given && len(f.Models) == 1 && name != "":
		return fault.New(fault.Usage, "golem test would not read a recording, because the answers of the cases come from %s", name).Hinting("remove model: from the file")
	case given && len(f.Models) == 1 && len(models) > 1:
		return fault.New(fault.Usage, "golem test would not read recordings of %d models, because the file does not name them", len(models)).Hinting("write model: [%s] into the file", strings.Join(models, ", "))
	case given && len(f.Models) > 1:
		for _, m := range models {
			if !slices.Contains(f.Models, m) {
				return fault.New(fault.Usage, "golem test would not read a recording of %s, because the file names other models", m).Hinting("add it to model: in the file")
			}
		}
	}
	if how.Samples > f.Samples {
		return fault.New(fault.Usage, "golem test would not read the recordings of %s, because the file has %d", fault.Count(how.Samples, "sample"), f.Samples).Hinting("write samples: %d into the file", how.Samples)
	}
	return nil
}

// Warnings returns what a person should know of the tests beside their verdicts and faults. It
// calls no model.
func (t *Tests) Warnings(ctx context.Context, how TestRun) (out fault.List) {
	names := newTestNames(t.of)
	for _, f := range t.Files {
		w, err := workerOf(t.of, f)
		for _, c := range f.Cases {
			if err == nil && how.wants(f, c) {
				out = append(out, names.of(ctx, w, f, c)...)
			}
		}
		wanted := slices.ContainsFunc(f.Cases, func(c worktest.Case) bool { return how.wants(f, c) })
		if name := script(f); how.Record && wanted && name != "" {
			out = append(out, fault.Warn(fault.Usage, "the answers of the cases come from %s, so nothing was recorded", name).Hinting("to record them, remove model: from the file").At(f.Path, 0, 0))
		}
	}
	return out
}
