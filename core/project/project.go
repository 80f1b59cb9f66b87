package project

import (
	"io/fs"
	"maps"
	"slices"
	"sync"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/yamltree"
)

// Project is one project on one platform. It reads a file only when it needs it, and
// each worker file only once. Goroutines may call its methods at the same time.
type Project struct {
	src      Source
	manifest Manifest
	defaults *yamltree.Node // settings of the manifest that every worker inherits; nil without a manifest
	flags    *yamltree.Node // {limits: …, model_settings: …} that a person set for the run; nil without
	settings *yamltree.Node // the whole manifest, for positions; nil without one
	mode     approval.Mode
	modeFrom string
	// modeTrusted is false if the manifest sets the mode.
	modeTrusted bool
	blind       string     // see Blind
	faults      fault.List // of manifest, flags and environment
	sources     []source   // in the order in which IDs are looked for, the project first; fixed by Load

	mu       sync.Mutex
	opened   map[string]bool
	defines  map[string]bool   // folded paths, see Defines
	starts   map[string]bool   // folded paths, see Starts
	realDir  map[location]bool // directories known not to be reached through a link
	workers  map[location]*loaded
	byWorker map[*Worker]*loaded
	scans    map[string]*scanned // by source; filled by scan
	lock     *toolLock           // nil until golem looked for tools.lock
	pins     *pins               // nil until golem looked for golem.lock
	code     *loaded             // the entry, if it is a tool
}

// Load reads the manifest, the environment and the flags. It reads no worker:
// Entry, Worker and others do. If the manifest or a setting is wrong, Load returns
// the error (often a fault.List) and a project as well: Check and List work on
// it, and every method that returns a worker returns the error. The project is
// nil only if the directory itself cannot be read.
func Load(s Source) (*Project, error) {
	if s.FS == nil {
		return nil, fault.New(fault.Project, "no project directory was given")
	}
	if _, err := fs.Stat(s.FS, "."); err != nil {
		return nil, fault.New(fault.Project, "the project directory %s cannot be read: %s", fault.Quoted(s.Name), reason(err))
	}
	p := newProject(s)
	p.faults = p.readManifest()
	p.faults = append(p.faults, p.openSources()...)
	p.linkedDirs()
	p.settleMode()
	p.settleFlags()
	p.faults.Sort()
	return p, p.faults.Err()
}

func newProject(s Source) *Project {
	return &Project{
		src: s, opened: map[string]bool{}, defines: map[string]bool{}, starts: map[string]bool{}, realDir: map[location]bool{}, workers: map[location]*loaded{},
		byWorker: map[*Worker]*loaded{}, scans: map[string]*scanned{}, sources: []source{{label: "project", fs: s.FS}},
	}
}

// Manifest returns the settings of the project file, with defaults for those that
// it does not have.
func (p *Project) Manifest() Manifest { return p.manifest }

// Approval returns the approval mode of the session and its origin: "command
// line", "environment GOLEM_APPROVAL", "project.yaml:4" or "default". trusted is
// false if the manifest sets the mode: such a mode allows less than the same mode
// set by a person (SPEC §3).
func (p *Project) Approval() (mode approval.Mode, origin string, trusted bool) {
	return p.mode, p.modeFrom, p.modeTrusted
}

// TaintAsk reports whether the manifest or the person's configuration sets
// approval.taint to ask, see approval.Gate.TaintAsk.
func (p *Project) TaintAsk() bool {
	c := p.src.Config
	return p.settings.Path("approval", "taint") != nil || c.get("approval", "taint") != nil ||
		c != nil && c.here.Path("approval", "taint") != nil
}

// settleMode applies the precedence of SPEC §3 to the approval mode. The mode that a person
// set for this very project counts before the project's own.
func (p *Project) settleMode() {
	p.mode, p.modeFrom, p.modeTrusted = approval.Interactive, "default", true
	set := func(n *yamltree.Node, trusted bool) {
		if n == nil {
			return
		}
		if mode, err := ParseMode(n.Text); err == nil {
			p.mode, p.modeFrom, p.modeTrusted = mode, n.Pos.String(), trusted
		}
	}
	set(p.src.Config.get("approval", "mode"), true)
	set(p.settings.Path("approval", "mode"), false)
	set(p.src.Config.modeHere(), true)
	if value, variable := Setting(p.src.Env, "APPROVAL"); value != "" {
		mode, err := ParseMode(value)
		if err != nil {
			p.faults = append(p.faults, fault.New(fault.Config, "environment %s: %s", variable, err.Message))
		}
		p.mode, p.modeFrom, p.modeTrusted = mode, "environment "+variable, true
	}
	if value := p.src.Flags.Approval; value != "" {
		mode, err := ParseMode(value)
		if err != nil {
			p.faults = append(p.faults, fault.New(fault.Usage, "--approval: %s", err.Message))
		}
		p.mode, p.modeFrom, p.modeTrusted = mode, CommandLine, true
	}
	if d := p.src.Flags.MaxDepth; d != nil && (*d < 0 || *d > 100) {
		p.faults = append(p.faults, fault.New(fault.Usage, "--max-depth %d: must be between 0 and 100", *d))
	}
}

// CommandLine is the origin of a value that a person gave with a flag.
const CommandLine = "command line"

// Opened returns the files that were read so far, sorted. It leaves out files that
// Project only tested for existence.
func (p *Project) Opened() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.opened))
}
