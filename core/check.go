package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/project/check"
	"golem/core/prompt"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trust"
)

// Check returns every problem that the project has on the named platform (""
// means this one), in a fixed order. No fault hides another one: what could be read of a
// worker is checked whatever is wrong with the rest, and one warning names what cannot be
// judged before the errors are mended. Check uses no model, runs no tool and writes
// nothing.
func (i *Instance) Check(platform string) fault.List {
	if platform == "" {
		platform = i.platform.Name
	}
	part, err := open(i.platform, i.options, i)
	if part == nil {
		return fault.List{fault.Of(err, fault.Config)}
	}
	faults := check.Project(part.project, platform, part.models)
	faults = append(faults, withoutRepeated(faults, part.checkParts(platform))...)
	faults = append(faults, checkTests(part, platform)...)
	faults = append(faults, unjudged(part.project)...)
	faults.Sort()
	return settled(faults).Compact()
}

// withoutRepeated removes from faults of workers those that are known from the file of MCP
// servers that the workers name: they are said there.
func withoutRepeated(known, of fault.List) fault.List {
	said := map[string]bool{}
	for _, f := range known {
		if f.Where != nil && strings.HasSuffix(f.Where.File, ".json") {
			said[f.Message] = true
		}
	}
	return slices.DeleteFunc(of, func(f *fault.Fault) bool { return said[f.Message] })
}

// settled removes the warnings about a name for which another worker, whose tools are
// all known, has the same fault as an error.
func settled(faults fault.List) fault.List {
	sure := map[string]bool{}
	for _, f := range faults {
		if f.Severity != fault.Warning && f.Where != nil {
			sure[fmt.Sprint(f.Where.File, f.Where.Line, f.Code, f.Message)] = true
		}
	}
	return slices.DeleteFunc(faults, func(f *fault.Fault) bool {
		var d run.InDoubt
		return errors.As(f, &d) && f.Where != nil && sure[fmt.Sprint(f.Where.File, f.Where.Line, f.Code, d.Of.Message)]
	})
}

// checkParts checks what the project's workers are made of: instructions, views, tools
// and models.
func (i *Instance) checkParts(platform string) fault.List {
	ctx := context.Background()
	c := i.Checker()
	workers := c.Workers()
	var faults fault.List
	for _, w := range workers {
		if w.Template {
			bad := prompt.InstructionsOf(i.project, w).Check(ctx)
			if i.project.Workers.Faulty(w) { // a name that is unknown here may be defined in the broken part
				bad = slices.DeleteFunc(bad, func(f *fault.Fault) bool { return f.Severity == fault.Warning })
			}
			faults = append(faults, bad...)
		}
		faults = append(faults, unfitInput(w)...)
	}
	if i.project.Blind != "" {
		return faults
	}
	faults = append(faults, c.Views(ctx)...)
	if platform != i.platform.Name {
		return faults
	}
	for _, w := range workers {
		faults = append(faults, c.Tools(ctx, w)...)
	}
	if entry, err := i.project.Workers.Entry(); err == nil && entry.Tool != "" {
		faults = append(faults, c.Tools(ctx, entry)...)
	}
	faults = append(faults, i.models.Faults(workers)...)
	faults = append(faults, withoutModel(i.project)...)
	if untrusted := i.consent.Untrusted(i.consent.Widenings(ctx)); len(untrusted) > 0 { // warn of each, in place of the errors of workers
		faults = slices.DeleteFunc(faults, func(f *fault.Fault) bool { return f.Code == fault.Trust })
		for _, w := range untrusted {
			if !isFollowUp(i.project, w, workers) {
				faults = append(faults, i.consent.Fault(w))
			}
		}
	}
	return faults
}

// unfitInput returns a warning if providers do not accept a worker's input_schema as it is.
func unfitInput(w *project.Worker) fault.List {
	file, line, column := w.InputAt()
	if err := model.Unfit(tool.Spec{Input: w.Input}); err != nil {
		return fault.List{fault.Warn(fault.Schema, "%s is offered to no worker's model as a tool: in input_schema, %s", w.ID, fault.Of(err, fault.Schema).Message).At(file, line, column)}
	}
	if model.Simplified(w.Input) {
		return fault.List{fault.Warn(fault.Schema, "providers refuse a part of input_schema of %s, so the models of its callers get a simpler one; golem checks the whole", w.ID).At(file, line, column).
			Hinting("refused are anyOf, oneOf, allOf and the like at the top, lists with a schema for each place, and patterns with look-around or \\p{…}")}
	}
	return nil
}

// withoutModel returns a warning if the entry has no model: a run then needs one from the
// person. It is no error, because a project may leave the choice to whoever runs it.
func withoutModel(p *project.Project) fault.List {
	entry, err := p.Workers.Entry()
	if err != nil || p.Workers.Faulty(entry, "model") {
		return nil
	}
	if err := entry.NeedModel(); err != nil {
		warning := *fault.Of(err, fault.Model)
		warning.Severity = fault.Warning
		return fault.List{&warning}
	}
	return nil
}

// isFollowUp reports whether a widening is an MCP server that has an error: what it would
// start or ask is then not what its file means.
func isFollowUp(p *project.Project, widening trust.Widening, workers []*project.Worker) bool {
	keys := strings.SplitN(widening.Path, ".", 3)
	if len(keys) < 3 || keys[0] != "toolsets" || keys[1] != "mcp" {
		return false
	}
	file, _ := config.Place(widening.At)
	there := slices.DeleteFunc(slices.Clone(workers), func(w *project.Worker) bool { return w.File != file })
	if len(there) == 0 { // it is in the project file
		there = workers
	}
	return slices.ContainsFunc(there, func(w *project.Worker) bool { return p.Workers.Faulty(w, keys...) })
}

// maxUnjudged is how many parts a warning names that cannot be judged.
const maxUnjudged = 50

// unjudged returns a warning that names what cannot be judged because of errors; none if
// there is nothing.
func unjudged(p *project.Project) fault.List {
	var parts []string
	if file := p.Blind; file != "" {
		parts = append(parts, "all that "+file+" decides: where the workers are, and their mounts, tools, models and calls")
	}
	parts = append(parts, p.Workers.Unread()...)
	if p.Blind == "" {
		sandboxed := slices.DeleteFunc(p.Workers.Used(), func(w *project.Worker) bool { return !p.Workers.Faulty(w, "sandbox") })
		for _, w := range sandboxed {
			parts = append(parts, "the files that worker "+w.ID+" sees")
		}
	}
	if len(parts) == 0 {
		return nil
	}
	n, more := len(parts), ""
	if n > maxUnjudged {
		parts, more = parts[:maxUnjudged], fmt.Sprintf("; and %d more", n-maxUnjudged)
	}
	return fault.List{fault.Warn(fault.Config, "%s cannot be judged before the errors are mended: %s%s", fault.Count(n, "part"), strings.Join(parts, "; "), more)}
}
