// Package core opens a project on a platform and runs it. The command line and
// the page use the same code: a host provides a Platform, Open reads the
// project, and Run, Chat, Check and Workers are what people can do with it
// (SPEC §1, §5).
package core

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"

	"golem/core/approval"
	"golem/core/clearance"
	"golem/core/consent"
	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/model"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/toolset"
	"golem/core/ui"
	"golem/core/wasmtool"
)

// Platform is everything that a host provides. Files and Mount belong to one
// project; the rest is the same for every project.
type Platform struct {
	Name    string            // "native" or "browser", as in traces
	Version string            // golem's version
	Env     map[string]string // environment variables, including the providers' keys
	// DotEnv has the provider keys in the project's .env. They are used if Env
	// does not have them and a person trusted them (SPEC §3).
	DotEnv map[string]string
	// Config is the content of the person's $GOLEM_HOME/config.yaml; nil if
	// there is none.
	Config []byte
	// Home is the person's home directory as a slash path. It replaces ~ in
	// Config.
	Home string
	// Trust stores what a person trusted; with nil, a yes counts for one run
	// only.
	Trust consent.File
	// TrustKey identifies the project in Trust and in the projects of Config:
	// its real root as a slash path, or in the page its name.
	TrustKey string
	// Rules stores the rules that a person keeps for the project, in the form of
	// Config; nil: none can be kept. RulesApart says that it is another file than the
	// one that Config is from. RulesKey is the project's name in it, if that is not
	// TrustKey: then what Config pre-approves under TrustKey by rules has no effect.
	Rules      consent.File
	RulesApart bool
	RulesKey   string
	// State is where golem keeps conversations and staged changes of the project;
	// the zero value keeps none.
	State state.Store
	HTTP  model.HTTPDoer // nil: providers cannot be reached
	// Fetch makes the requests of the toolset web; nil: its tools are E_NETWORK.
	Fetch wasmtool.Fetcher
	// Models has what answers the models that the platform lends, by their names
	// (page:NAME, device:); nil: this platform lends none. See model.Config.
	Models map[string]model.HTTPDoer
	// Mount opens a directory for the sandbox. "." is the root that workers
	// work on. Anything else, an absolute path or one with ../, is requested
	// only with Options.AllowOutside. Directories below "." are opened from the
	// root.
	Mount func(source string) (sandbox.FS, error)
	// Git opens a branch of the git repository in a directory, named dir in messages;
	// nil: the platform has no repositories.
	Git func(files sandbox.FS, dir, branch string) (clearance.Branch, error)
	// Closed are directories, as sources of sandbox.SourceOf, that no worker
	// can read or change through any mount, link or name, such as $GOLEM_HOME
	// (E_PROTECTED).
	Closed []string
	// ReadScript reads the file of a script:FILE or replay:FILE that a person
	// named, relative to the current directory. (From a manifest or worker, the
	// path is relative to the project root.) With nil, only files of the
	// project can be read.
	ReadScript func(name string) ([]byte, error)
	// Scripts has the embedded scripts for script:NAME; nil means golem's own.
	Scripts fs.FS
	// MCP is how the platform reaches MCP servers; the zero value reaches none.
	MCP mcp.Host
	// Toolsets are those of the platform, in addition to the built-in ones.
	Toolsets []toolset.Factory
	// OtherToolsets are the toolsets that only other platforms have, with the
	// names of these platforms.
	OtherToolsets map[string][]string
	// Tools makes the library that runs `.wasm` tools, with the engine that the
	// manifest names ("auto", "wazero", "browser"). It is called once, for the
	// first project that has a module; the platform closes what it made. With
	// nil, tool modules are E_PLATFORM.
	Tools func(engine string) (*wasmtool.Library, error)
	// ToolFiles is $GOLEM_HOME/tools, where pkg.mod:register is looked up; nil
	// if there is none.
	ToolFiles fs.FS
	// Libraries are the directories in which libraries are looked for, in this
	// order (SPEC §4).
	Libraries []project.LibraryRoot
	// Store has the values that the person keeps under names (golem secret set, in the
	// page its settings); nil: there is none.
	Store SecretStore
	// Secrets are further values to remove from everything that leaves golem.
	Secrets []string
	Now     func() time.Time // nil means time.Now
	NewID   func() string    // makes the names of runs; nil: random names
}

// SecretStore has values that a person keeps under names. It is safe for concurrent
// use.
type SecretStore interface {
	Secret(name string) (value string, ok bool, err error) // ok is false if there is none of that name
	Values() ([]string, error)                             // all of them
}

// SecretMap is a store in memory.
type SecretMap map[string]string

var _ SecretStore = SecretMap(nil)

// Secret returns the value of a name.
func (m SecretMap) Secret(name string) (value string, ok bool, err error) {
	value, ok = m[name]
	return value, ok, nil
}

// Values returns all values.
func (m SecretMap) Values() ([]string, error) { return slices.Collect(maps.Values(m)), nil }

// Options say which project to open, and what the person chose on the command
// line or in the page. With the zero value of a field, the project decides.
type Options struct {
	Files     fs.FS  // the project root; no name leads out of it
	Name      string // the root's base name, for messages and traces
	Entry     string
	NoProject bool
	// WorkersRoot is the directory of workers, unless a manifest names one. ""
	// means workers; "." is the root itself, as in a directory of GOLEM_PATH.
	WorkersRoot       string
	Model             string
	Approval          string
	MaxDepth          *int
	Limits            map[string]string // limits of the run by their names in worker files: turns, tool_timeout, …
	Settings          map[string]string // model settings by their names in worker files: temperature, …
	AllowOutside      bool
	MemorySandbox     bool
	NoImportTools     bool
	AllowModuleImport bool
	// NoLock leaves golem.lock out of account: golem lib lock writes it anew.
	NoLock bool
	// Trust means that the person trusts, for this run, everything that the
	// project's files allow beyond its sandbox (--trust, SPEC §3).
	Trust bool
	// TrustDigest trusts exactly the list with this digest. If the project's
	// list has another digest, the run fails before it begins (GOLEM_TRUST).
	TrustDigest string
	// Origin says where the project comes from, at the head of the question about
	// trust; nil for a directory, whose place is known.
	Origin func() []approval.Line
	// Reach says which calls the project's own settings can approve without
	// trust: ReadOnly for a lone file, a worker on GOLEM_PATH, and a root that
	// is the home directory or contains it.
	Reach approval.Reach
}

// RunOptions say what is written during a run. A nil field writes nothing.
type RunOptions struct {
	ID string // name of the run; "": the platform makes one
	// Resume goes on with a kept conversation instead of beginning one; nil: a new one.
	Resume *Resume
	// Exchange is called before each exchange of a chat. The exchange ends when its
	// context does, and the chat goes on; stop is called after it. nil: only ctx ends it.
	Exchange func(ctx context.Context) (within context.Context, stop func())
	// Said is told each line of a chat that the person sent, without known secrets, for a
	// history of them: messages and commands, no answers to questions. nil: nobody is.
	Said func(line string)
	// Command carries out the commands of a chat that need a command line (ui.Action.Host)
	// and returns what to show; io.EOF ends the chat. nil: this platform has none.
	Command func(ctx context.Context, s *run.Session, cmd ui.Command) (text string, err error)
	// Strict makes the exit code 1 if any call was denied or any worker failed (SPEC §12).
	Strict bool
	Trace  io.Writer // JSON lines, SPEC §16
	// Texts stores a text that is too long for a line of Trace, under a file
	// name. With nil, long texts stay in the lines.
	Texts func(name string, data []byte) error
	// Lines gets the lines of Trace with complete texts, for a front end that
	// shows them. While a person is asked, it gets nothing.
	Lines io.Writer
	// Trouble gets the first error of each of these three. Such an error does
	// not end the run. It may be nil.
	Trouble  func(error)
	Record   io.Writer // a recording for replay:
	Artifact func(name string, data []byte) error
}

// Resume names a kept conversation.
type Resume struct {
	ID string // "": the one that was written last
	// At is the person's message, from 1, before which a branch of it begins; 0: no
	// branch, it goes on where it ended.
	At int
	// Changed answers yes to the question whether it goes on although files of its
	// workers have changed.
	Changed bool
	// Recap shows what was said last; a front end that shows it all leaves it out.
	Recap bool
}

func (p Platform) now() time.Time {
	if p.Now == nil {
		return time.Now()
	}
	return p.Now()
}

func (p Platform) newID() (string, error) {
	if p.NewID != nil {
		return p.NewID(), nil
	}
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fault.New(fault.Config, "no random source: %w", err)
	}
	return p.now().UTC().Format("20060102-150405-") + hex.EncodeToString(b[:]), nil
}
