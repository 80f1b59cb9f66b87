package project

import (
	"encoding/json"
	"io/fs"

	"golem/core/approval"
	"golem/core/started"
)

// Source is a project's directory together with what the host adds: flags, environment,
// the person's configuration and the features of the platform. Only FS is required.
// Load keeps the maps and slices and never changes them; the caller must not change
// them while the project is in use.
type Source struct {
	FS fs.FS // the project root
	// Work is the directory that workers work on, in which command lines are started; the
	// zero value starts nothing.
	Work       started.Tree
	Name       string // its base name, for messages; never a host path
	Entry      string // --entry or the reference that Locate gave, "" for the manifest's
	NoManifest bool   // --no-project: a manifest in the root does not apply
	// WorkersRoot is the directory below which files have IDs, if the manifest sets
	// none; "" is workers. For a directory of GOLEM_PATH it is ".".
	WorkersRoot string
	Env         map[string]string
	Flags       Flags
	Builtin     fs.FS // built-in workers by ID in its root; nil for none
	// Part makes the project return workers that have faults, with what could be read of
	// them, so that a check can look at the rest. Nothing may run in such a project.
	Part bool
	// NoLock makes golem ignore golem.lock, because it will be written again.
	NoLock bool
	// Libraries are the directories in which golem looks for libraries. The first that
	// has a library wins (S1-52).
	Libraries []LibraryRoot
	// TrustsImports reports whether a person trusts the manifest's
	// tools.allow_module_imports. It is called before a module from outside the
	// project is opened. nil: no person trusts it.
	TrustsImports func(Said) bool
	// Config is the person's own configuration; nil: there is none.
	Config *Config
	// Reach bounds what the project's own settings may pre-approve without a person's
	// trust; the zero value is everything inside its sandbox.
	Reach approval.Reach
	// ToolFiles is $GOLEM_HOME/tools, where a module named pkg.mod:register is; nil:
	// there is none.
	ToolFiles fs.FS

	Platform string   // native or browser
	Toolsets []string // names this platform has; nil: names are not checked
	// PlatformToolsets names the platforms of every toolset that not all of
	// them have. It tells E_PLATFORM from an unknown name.
	PlatformToolsets map[string][]string
	// CheckToolset decodes a toolset's options as its factory would; nil: they are not
	// checked. If its error has a key in quotes, the fault gets the position of that
	// key.
	CheckToolset func(name string, options json.RawMessage) error
	// CheckModel returns an error if a model cannot be opened; origin is where the name
	// was given, as in Worker.Origins, and platform the platform to check for. recorded is
	// the model that a recording names, "" for everything else. nil: only the form of the
	// name is checked. It must not call the model.
	CheckModel func(name, origin, platform string) (recorded string, err error)
	// Providers returns every provider that the name of a model can begin with; nil: any.
	Providers func() []string
}

// Flags are the settings of the command line. The zero value of a field stands for a
// flag that was not given: it changes nothing (SPEC §3).
type Flags struct {
	Model              string
	Approval           string // a mode in any spelling of ParseMode
	MaxDepth           *int
	Limits             map[string]string // by their names under limits:, for every worker of the run
	Settings           map[string]string // by their names under model_settings:, likewise
	AllowOutside       bool              // mounts may lie outside the project
	NoImportTools      bool              // golem looks for no tool module
	AllowModuleImports bool              // pkg.mod:register may be named
}
