// Package project finds out what the files of a project mean together: which worker, library,
// template or module a name stands for, and what each worker's settings are in the end. It
// reads over an fs.FS and runs nothing. All faults are found in one go, with positions
// (SPEC §2–§4).
package project

import (
	"io/fs"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
)

// Project is what the files of a project mean together. Its parts do not change, but they
// read a file only when they need it, and each worker file only once. Goroutines may use
// them at the same time.
type Project struct {
	Setup    Setup
	Manifest *config.Manifest // of the project file, with defaults for what it does not say
	Approval Approval
	// Faults are those of the project file, the libraries, flags and environment. With an
	// error among them no worker can run.
	Faults fault.List
	// Blind is the name of the project file if it cannot be read at all, otherwise "". Where
	// the workers are and what they inherit is then not known, so that a check can look at
	// each file only by itself.
	Blind string

	Trees     *Trees
	Names     *Names
	Templates *Templates
	Modules   *Modules
	Skills    *Skills
	Workers   *Workers
}

// Load reads the manifest, the environment and the flags. It reads no worker:
// Workers do. If the manifest or a setting is wrong, Load returns
// the error (often a fault.List) and a project as well: Workers.List and a check work on
// it, and every method that returns a worker returns the error. The project is
// nil only if the directory itself cannot be read.
func Load(o Setup) (*Project, error) {
	if o.FS == nil {
		return nil, fault.New(fault.Project, "no project directory was given")
	}
	if _, err := fs.Stat(o.FS, "."); err != nil {
		return nil, fault.New(fault.Project, "the project directory %s cannot be read: %s", fault.Quoted(o.Name), reason(err))
	}
	p := &Project{Setup: o, Trees: newTrees(&o)}
	p.Blind, p.Faults = p.Trees.readManifest()
	p.Manifest = p.Trees.Own().Manifest
	p.Faults = append(p.Faults, p.Trees.open()...)
	p.Trees.linkedDirs()
	var faults fault.List
	p.Approval, faults = settleApproval(o, p.Trees.Own().Keys)
	p.Faults = append(p.Faults, faults...)
	given, faults := config.Given(o.Options.RunLimits(), o.Options.ModelSettings)
	p.Faults = append(p.Faults, faults...)
	p.Faults.Sort()
	p.Templates = &Templates{p.Trees}
	p.Names = &Names{trees: p.Trees, scans: map[string]*Scan{}}
	p.Modules = &Modules{setup: &o, trees: p.Trees, found: map[*Loaded]discovery{}}
	p.Skills = newSkills(&o, p.Trees)
	p.Workers = &Workers{
		setup: &o, trees: p.Trees, names: p.Names, modules: p.Modules,
		given: given, approval: p.Approval, faults: p.Faults, files: map[Location]*Loaded{},
	}
	return p, p.Faults.Err()
}

// MissingLibraries reports whether a library that the project needs cannot be used, so
// that its workers and tools are not known.
func (p *Project) MissingLibraries() bool {
	return slices.ContainsFunc(p.Faults, func(f *fault.Fault) bool { return strings.HasPrefix(string(f.Code), "E_LIBRARY") })
}
