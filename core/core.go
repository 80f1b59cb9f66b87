// Package core opens a project on a platform and runs it. The command line and
// the page use the same code: a host provides a Platform, Open reads the
// project, and Run, Chat, Check and Workers are what people can do with it
// (SPEC §1, §5).
package core

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"

	"golem/core/approval"
	"golem/core/clearance"
	"golem/core/consent"
	"golem/core/mcp"
	"golem/core/model"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/toolset"
	"golem/core/toolset/web"
	"golem/core/ui"
	"golem/core/wasmtool"
)

// Platform is everything that a host provides. Fields such as DotEnv, TrustKey, State and
// Mount belong to one project; others, such as Env and HTTP, are the same for every project.
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
	// Rules stores the rules that a person saves for the project, in the form of
	// Config; nil: none can be saved. RulesApart says that it is not the file that
	// Config is from. RulesKey is the project's name in it, if that is not TrustKey:
	// then the rules in Config for TrustKey that pre-approve have no effect.
	Rules      consent.File
	RulesApart bool
	RulesKey   string
	// State is where golem keeps conversations and staged changes of the project;
	// the zero value keeps none.
	State state.Store
	HTTP  model.HTTPDoer // nil: providers cannot be reached
	// Fetch makes the requests of the toolset web; nil: its tools are E_NETWORK.
	Fetch wasmtool.Fetcher
	// Charsets decodes the charsets of pages that golem has no table for; may be nil.
	Charsets web.Charsets
	// Models has the HTTP clients for the models that the platform provides, by their
	// names (page:NAME, device:); nil: it provides none. See model.Config.
	Models map[string]model.HTTPDoer
	// Mount opens a directory for the sandbox. "." is the root that workers
	// work on. Anything else, an absolute path or one with ../, is requested
	// only with Options.AllowOutside. Directories below "." are opened from the
	// root.
	Mount func(source string) (sandbox.FS, error)
	// Git opens a branch of the git repository in a directory; dir is its name for
	// messages. nil: the platform has no repositories.
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
	// Locate returns the absolute slash path of a program as the platform finds it, or of an
	// absolute path; see started.Tree. nil: the platform starts no programs.
	Locate func(name string, last bool) string
	// MCP has the platform's functions for reaching MCP servers; the zero value reaches
	// none.
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
	// Store has the person's secrets (golem secret set, in the page its settings); nil:
	// there is none.
	Store SecretStore
	// Secrets are further values to remove from everything that leaves golem.
	Secrets []string
	Now     func() time.Time // nil means time.Now
	NewID   func() string    // makes the names of runs; nil: random names
}

// SecretStore has a person's secrets by name. It must be safe for concurrent use.
type SecretStore interface {
	Secret(name string) (value string, ok bool, err error) // ok is false if there is no such secret
	Values() ([]string, error)                             // the values of all secrets
}

// SecretMap is a SecretStore in memory.
type SecretMap map[string]string

var _ SecretStore = SecretMap(nil)

// Secret returns the value of a name.
func (m SecretMap) Secret(name string) (value string, ok bool, err error) {
	value, ok = m[name]
	return value, ok, nil
}

// Values returns all values.
func (m SecretMap) Values() ([]string, error) { return slices.Collect(maps.Values(m)), nil }

// Options has the project to open, and the person's choices on the command
// line or in the page. If a field has its zero value, the project decides.
type Options struct {
	Files     fs.FS  // the project root; no name must lead out of it
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
	// NoLock ignores golem.lock, because golem lib lock writes it again.
	NoLock bool
	// Trust means that the person trusts, for this run, everything that the
	// project's files allow beyond its sandbox (--trust, SPEC §3).
	Trust bool
	// TrustDigest trusts exactly the list with this digest. If the project's
	// list has another digest, the run fails before it begins (GOLEM_TRUST).
	TrustDigest string
	// Origin returns lines about where the project comes from, for the beginning of the
	// question about trust; nil for a directory, whose path the person knows.
	Origin func() []approval.Line
	// Reach says which calls the project's own settings can approve without
	// trust: ReadOnly for a lone file, a worker on GOLEM_PATH, and a root that
	// is the home directory or contains it.
	Reach approval.Reach
}

// RunOptions has the host's choices for one run: what it writes, and functions for a chat.
// Nothing is written for a nil writer or function.
type RunOptions struct {
	ID string // name of the run; "": the platform makes one
	// Resume names the conversation to resume; nil: a new one starts.
	Resume *Resume
	// Exchange is called before each exchange of a chat and returns its context. When that
	// context ends, the exchange ends and the chat goes on. stop is called after the
	// exchange. nil: only ctx ends an exchange.
	Exchange func(ctx context.Context) (within context.Context, stop func())
	// Said is called with each message and command that the person sent in a chat, without
	// known secrets, for a history of input. It does not get answers to questions. It may
	// be nil.
	Said func(line string)
	// Command carries out the commands of a chat that need a command line (ui.Action.Host)
	// and returns the text to show; io.EOF ends the chat. nil: this platform has none.
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
	// Trouble gets the first error of Trace, of Texts and of Lines. Such an error does
	// not end the run. It may be nil.
	Trouble  func(error)
	Record   io.Writer // a recording for replay:
	Artifact func(name string, data []byte) error
}

// Resume names a kept conversation to resume.
type Resume struct {
	ID string // "": the conversation that was written last
	// At is the number of the person's message, from 1, before which a branch of the
	// conversation begins. 0 means no branch: the conversation continues at its end.
	At int
	// Changed answers yes to the question whether to resume although files of the
	// workers have changed.
	Changed bool
	// Recap shows the last messages. A front end that shows the whole conversation sets
	// it to false.
	Recap bool
}

func (p Platform) now() time.Time {
	if p.Now == nil {
		return time.Now()
	}
	return p.Now()
}

func (p Platform) newID() string {
	if p.NewID != nil {
		return p.NewID()
	}
	return NewRunID(p.now())
}

// NewRunID returns a unique name for a run that begins now. Names sort by time, also
// within a second: after the second they have 3 hexadecimal digits for the part of the
// second that has passed (in 1/4096 s), and 5 random ones.
func NewRunID(now time.Time) string {
	var b [4]byte
	rand.Read(b[:]) // never fails
	passed := uint32(int64(now.Nanosecond()) << 12 / int64(time.Second))
	return fmt.Sprintf("%s%08x", now.UTC().Format("20060102-150405-"), passed<<20|binary.BigEndian.Uint32(b[:])>>12)
}
