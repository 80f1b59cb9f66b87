package project

import (
	"encoding/json"
	"io/fs"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/options"
	"golem/core/started"
)

// Setup is a project's directory together with what the host adds: flags, environment,
// the person's configuration and the features of the platform. Only FS is required.
// Load keeps the maps and slices and never changes them; the caller must not change
// them while the project is in use.
type Setup struct {
	FS fs.FS // the project root
	// Work is the directory that workers work on, in which command lines are started; the
	// zero value starts nothing.
	Work    started.Tree
	Name    string          // its base name, for messages; never a host path
	Options options.Opening // what the person chose; Entry may be the reference that Locate gave
	// WorkersRoot is the directory below which files have IDs, if the manifest sets
	// none; "" is workers. For a directory of GOLEM_PATH it is ".".
	WorkersRoot string
	Env         map[string]string
	Builtin     fs.FS // built-in workers by ID in its root; nil for none
	// Part makes the project return workers that have faults, with what could be read of
	// them, so that a check can look at the rest. Nothing may run in such a project.
	Part bool
	// NoModuleYet accepts a hardened worker whose module is missing, because golem harden makes
	// it: the model answers for it.
	NoModuleYet bool
	// NoLock makes golem ignore golem.lock, because it will be written again.
	NoLock bool
	// Libraries are the directories in which golem looks for libraries. The first that
	// has a library wins (S1-52).
	Libraries []LibraryRoot
	Trust     Trust // nil: no person trusts anything
	// Config is the person's own configuration; nil: there is none.
	Person *config.Person
	// Reach bounds what the project's own settings may pre-approve without a person's
	// trust; the zero value is everything inside its sandbox.
	Reach approval.Reach
	// ToolFiles is $GOLEM_HOME/tools, where a module named pkg.mod:register is; nil:
	// there is none.
	ToolFiles fs.FS
	// SkillFiles is $GOLEM_HOME/skills; nil: there is none.
	SkillFiles fs.FS
	// Servers are MCP servers, in the form of .mcp.json, that the entry
	// gets besides its own; nil: none. A person is asked for trust in them.
	Servers []byte
	Linker  Linker // nil: sources of tools cannot be linked

	Platform Platform
}

// Platform is what the platform has, on which the project is to run, and the checks that only
// it can make. The zero value knows no names, so that they are not checked.
type Platform struct {
	Name     string   // native or browser
	Toolsets []string // names this platform has; nil: names are not checked
	// Limited names the platforms of every toolset that not all of
	// them have. It tells E_PLATFORM from an unknown name.
	Limited map[string][]string
	Options ToolsetOptions // nil: the options of toolsets are not checked
}

// ToolsetOptions checks the options of toolsets.
type ToolsetOptions interface {
	// Check decodes a toolset's options as its factory would. If its error has a key in
	// quotes, the fault gets the position of that key.
	Check(name string, options json.RawMessage) error
}

// Shelf reports whether the directory is a collection of independent workers, such as
// one of GOLEM_PATH. Then only the entry counts, and what it uses.
func (s Setup) Shelf() bool { return s.WorkersRoot != "" }

// Trust says what a person trusts the project to do beyond its sandbox.
type Trust interface {
	// Imports reports whether that includes the manifest's tools.allow_module_imports. It is
	// called before a module from outside the project is opened.
	Imports(said config.Said) bool
}
