// Package check finds every fault of a project at once (S2-49). It runs nothing, asks no model
// and writes no file. What the checks look at is resolved first; then each check reads that,
// and none of them stops another.
package check

import (
	"golem/core/fault"
	"golem/core/project"
)

// Check looks for one kind of fault.
type Check struct {
	Name string
	find func(*view) fault.List
	// blind is true for a check that makes sense if the project file cannot be read at all,
	// so that it is not known where the workers are and what they inherit.
	blind bool
}

// Checks are all of them, in the order in which they run: of two faults with the same text,
// the first one is kept.
var Checks = []Check{
	{"settings of the project, its libraries, flags and environment", func(v *view) fault.List { return v.Faults }, true},
	{"golem.lock can be read", unreadableLock, true},
	{"files of workers can be listed", func(v *view) fault.List { return v.scan.Faults }, true},
	{"files of workers by themselves", ownFaults, true},
	{"there is an entry", missingEntry, false},
	{"what is exported exists", exports, false},
	{"names follow the conventions", names, false},
	{"names differ on systems that ignore case", twins, false},
	{"settings of workers", settings, false},
	{"toolsets and their options exist on the platform", toolsets, false},
	{"modules of tools exist and are built", modules, false},
	{"models can be opened", models, false},
	{"recordings are of models that the worker allows", recordings, false},
	{"skills follow the format", skillFaults, false},
	{"references name workers", references, false},
	{"what is referred to is not ignored", ignored, false},
	{"an ID is that of one file", oneFile, false},
	{"the model of a caller fits", lentModels, false},
	{"calls make no cycle", cycles, false},
	{"files of other programs", otherFiles, false},
	{"modules of the project and its libraries", looseModules, false},
	{"tools.lock agrees with the files", toolLock, false},
	{"golem.lock agrees with the files", staleLock, false},
	{"the tool engine exists on the platform", engine, false},
}

// Models says which models can be used.
type Models interface {
	// Check returns an error if a model cannot be opened on a platform; origin is where the
	// name was given, as in Worker.Origins. recorded is the model that a recording names, ""
	// for everything else. It does not call the model.
	Check(name, origin, platform string) (recorded string, err error)
	// Beginnings returns every provider that the name of a model can begin with.
	Beginnings() []string
}

// Project returns all errors and warnings of a project, sorted, as they would be on a
// platform; "" is the one of the project's Setup. Without known, only the form of the names of
// models is checked.
func Project(p *project.Project, platform string, known Models) fault.List {
	if platform == "" {
		platform = p.Setup.Platform.Name
	}
	v := resolve(p, platform, known)
	var out fault.List
	found := map[string]bool{} // a fault of the manifest appears in every worker
	for _, c := range Checks {
		if p.Blind != "" && !c.blind {
			continue
		}
		for _, f := range c.find(v) {
			text := f.Error()
			if f.Code == fault.ToolLanguage {
				text = f.Message // reported where a worker names it, otherwise at its own path
			}
			if !found[text] {
				found[text] = true
				out = append(out, f)
			}
		}
	}
	out.Sort()
	return out
}
