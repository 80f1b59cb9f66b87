package project

import (
	"encoding/json"
	"io/fs"

	"golem/core/approval"
)

// Source is where a project comes from and what the host says about it. Only
// FS is needed. The maps and slices are read, never changed, and must not
// change while the project is used.
type Source struct {
	FS         fs.FS  // the project root
	Name       string // its base name, for messages; never a host path
	Entry      string // --entry or the reference that Locate gave, "" for the manifest's
	NoManifest bool   // --no-project: a manifest in the root does not apply
	// WorkersRoot is where workers have their IDs, if the manifest does not say;
	// "" is workers. In a directory of GOLEM_PATH it is the root itself, ".".
	WorkersRoot string
	Env         map[string]string
	Flags       Flags
	Builtin     fs.FS // built-in workers by ID in its root; nil for none
	// TrustsImports says whether a person trusted the manifest's word that
	// modules from outside the project may be named; nil: nobody did. It is asked
	// when such a module is opened.
	TrustsImports func(Said) bool
	// Config is the person's own configuration; nil: there is none.
	Config *Config
	// Reach is how far the project's own settings may pre-approve without a
	// person's trust; the zero value is all that stays in its sandbox.
	Reach approval.Reach
	// ToolFiles is $GOLEM_HOME/tools, where pkg.mod:register is found; nil:
	// there is none.
	ToolFiles fs.FS

	Platform string   // native or browser
	Toolsets []string // names this platform has; nil: names are not checked
	// PlatformToolsets names the platforms of every toolset that not all of
	// them have. It tells E_PLATFORM from an unknown name.
	PlatformToolsets map[string][]string
	// CheckToolset decodes a toolset's options as its factory would; nil: they
	// are not checked. A key that the error quotes is where the fault points.
	CheckToolset func(name string, options json.RawMessage) error
	// CheckModel tells whether a model name can be opened; origin is where it
	// was given, as Worker.Origins has it. nil: only its form is checked. It must not call the model.
	CheckModel func(name, origin string) error
}

// Flags are the command line's part of the configuration. A flag that was not
// given has its zero value and overrides nothing (SPEC §3).
type Flags struct {
	Model              string
	Approval           string // a mode in any spelling of ParseMode
	MaxDepth           *int
	Limits             map[string]string // by their names under limits:, for every worker of the run
	Settings           map[string]string // by their names under model_settings:, likewise
	AllowOutside       bool              // mounts may lie outside the project
	NoImportTools      bool              // no tool module is looked for
	AllowModuleImports bool              // pkg.mod:register may be named
}
