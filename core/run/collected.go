package run

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/project"
)

// collected has the errors that golem check finds in a worker's tools, and what cannot be
// known because of them. The nil *collected belongs to a run, which ends at its first error.
type collected struct {
	faults  fault.List
	unknown []string // what hides tools: modules, parts of files
	skipped []string // toolsets that have faults already
}

// add notes an error. path is the module whose tools are unknown because of it; "" for none.
func (c *collected) add(path string, err error) {
	c.faults = append(c.faults, listOf(err)...)
	if path != "" && !slices.Contains(c.unknown, path) {
		c.unknown = append(c.unknown, path)
	}
}

// has reports whether a toolset has faults already and is not opened.
func (c *collected) has(set string) bool { return c != nil && slices.Contains(c.skipped, set) }

// doubt returns a fault about a name that is not known, or a warning if something that
// may have the name could not be read. what is in doubt, as "whether it is a tool".
func (c *collected) doubt(f *fault.Fault, what string) *fault.Fault {
	if c == nil || len(c.unknown) == 0 || strings.HasPrefix(f.Hint, "did you mean") {
		return f
	}
	w := *f
	w.Severity = fault.Warning
	w.Message += "; " + what + " is not known before " + strings.Join(c.unknown, ", ") + " can be used"
	return &w
}

// failed returns an error that ends openTools; nil if golem check collects it.
func (f *frame) failed(err error) error {
	if err == nil || f.collected == nil {
		return err
	}
	f.collected.add("", err)
	return nil
}

// collect makes openTools collect the errors of a worker's tools.
func (c *Checker) collect(f *frame, w *project.Worker) {
	p := c.r.Project
	f.collected = &collected{}
	if p.MissingLibraries() {
		f.collected.unknown = append(f.collected.unknown, "the missing libraries")
	}
	for _, ts := range w.Toolsets {
		if p.Faulty(w, "toolsets", ts.Name) {
			f.collected.skipped = append(f.collected.skipped, ts.Name)
			f.collected.unknown = append(f.collected.unknown, "toolsets."+ts.Name)
		}
	}
	for _, source := range p.Warnings(w) { // source code that was not built
		if source.Where != nil && !slices.Contains(f.collected.unknown, source.Where.File) {
			f.collected.unknown = append(f.collected.unknown, source.Where.File)
		}
	}
	for _, key := range []string{"imports", "tools"} {
		if p.Faulty(w, key) {
			f.collected.unknown = append(f.collected.unknown, key)
		}
	}
}

// listOf returns all faults of an error.
func listOf(err error) fault.List {
	var list fault.List
	if errors.As(err, &list) {
		return list
	}
	return fault.List{fault.Of(err, fault.Config)}
}

// Tools returns what is wrong with a worker's tools and with the settings that name
// them. It reads the descriptions of modules and runs none.
func (c *Checker) Tools(ctx context.Context, w *project.Worker) fault.List {
	f := c.frame(ctx, w)
	defer f.close()
	c.collect(f, w)
	err := f.failed(f.openTools(ctx))
	out := append(slices.Clone(f.warnings), f.collected.faults...)
	for _, path := range f.undescribed {
		out = append(out, fault.Warn(fault.ToolContract, "undescribed: golem would have to run the module to learn its tools").
			At(path, 1, 1).Hinting("embed a description with golem tool pack, or write one beside it"))
	}
	if err == nil && w.Tool != "" && len(f.undescribed) == 0 {
		if err := f.entryTool(); err != nil {
			out = append(out, f.collected.doubt(fault.Of(err, fault.Config), "whether it is a tool"))
		}
	}
	for _, s := range f.unknownTools() {
		if c.known == nil {
			c.known = c.r.knownTools(ctx, c.Workers())
		}
		if len(f.undescribed) == 0 && !c.known.has(s.name) {
			out = append(out, f.collected.doubt(s.fault(c.known.names), "whether there is one"))
		}
	}
	return out
}
