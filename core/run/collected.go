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
	return w.Because(InDoubt{f})
}

// InDoubt is the cause of a warning about a name that may be known once all tools are.
type InDoubt struct {
	Of *fault.Fault // the error that it is if the name is not known then
}

// Error returns the text of the error.
func (d InDoubt) Error() string { return d.Of.Error() }

// unlessCollected returns an error that ends the opening of tools; nil if golem check collects it.
func (c *collected) unlessCollected(err error) error {
	if err == nil || c == nil {
		return err
	}
	c.add("", err)
	return nil
}

// knownFaults returns what is known to be wrong with a worker's tools before they are opened.
func (c *Checker) knownFaults(w *project.Worker) *collected {
	p, out := c.r.Project, &collected{}
	if p.MissingLibraries() {
		out.unknown = append(out.unknown, "the missing libraries")
	}
	for _, ts := range w.Toolsets {
		if p.Workers.Faulty(w, "toolsets", ts.Name) {
			out.skipped = append(out.skipped, ts.Name)
			out.unknown = append(out.unknown, "toolsets."+ts.Name)
		}
	}
	for _, source := range p.Workers.Warnings(w) { // source code that was not built
		if source.Where != nil && !slices.Contains(out.unknown, source.Where.File) {
			out.unknown = append(out.unknown, source.Where.File)
		}
	}
	for _, key := range []string{"imports", "tools"} {
		if p.Workers.Faulty(w, key) {
			out.unknown = append(out.unknown, key)
		}
	}
	return out
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
	o := c.opener(ctx, w)
	o.collected = c.knownFaults(w)
	box, err := o.open(ctx)
	defer box.close()
	err = o.collected.unlessCollected(err)
	out := append(slices.Clone(box.warnings), o.collected.faults...)
	for _, path := range box.undescribed {
		out = append(out, fault.Warn(fault.ToolContract, "undescribed: golem would have to run the module to learn its tools").
			At(path, 1, 1).Hinting("embed a description with golem tool pack, or write one beside it"))
	}
	if err == nil && w.Tool != "" && len(box.undescribed) == 0 {
		if err := hasEntryTool(box, w); err != nil {
			out = append(out, o.collected.doubt(fault.Of(err, fault.Config), "whether it is a tool"))
		}
	}
	if f := sharedName(w, box.Set); f != nil {
		out = append(out, f)
	}
	for _, s := range unknownTools(c.r.Project, w, box.Set) {
		if c.names == nil {
			c.names = c.r.knownTools(ctx, c.Workers())
		}
		if len(box.undescribed) == 0 && !c.names.has(s.name) {
			out = append(out, o.collected.doubt(s.fault(c.names.names), "whether there is one"))
		}
	}
	return out
}
