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
	"golem/core/fault"
	"golem/core/jstool"
	"golem/core/mcp"
	"golem/core/model"
	"golem/core/options"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/toolset"
	"golem/core/toolset/web"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/wasmtool"
)

// Platform is everything that a host provides. Site belongs to one project; the rest is the
// same for every project.
type Platform struct {
	Name    string            // "native" or "browser", as in traces
	Version string            // golem's version
	Env     map[string]string // environment variables, including the providers' keys
	Person
	Site
	ModelSources
	ToolSources
	Now   func() time.Time // nil means time.Now
	NewID func() string    // makes the names of runs; nil: random names
}

// Person is what golem keeps for the person who runs it.
type Person struct {
	// Config is the content of the person's $GOLEM_HOME/config.yaml; nil if
	// there is none.
	Config []byte
	// Home is the person's home directory as a slash path. It replaces ~ in
	// Config.
	Home string
	// Trust stores what a person trusted; with nil, a yes counts for one run
	// only.
	Trust consent.File
	// Rules stores the rules that a person saves for the project, in the form of
	// Config; nil: none can be saved. RulesApart says that it is not the file that
	// Config is from. RulesKey is the project's name in it, if that is not TrustKey:
	// then the rules in Config for TrustKey that pre-approve have no effect.
	Rules      consent.File
	RulesApart bool
	RulesKey   string
	// Store has the person's secrets (golem secret set, in the page its settings); nil:
	// there is none.
	Store SecretStore
	// Secrets are further values to remove from everything that leaves golem.
	Secrets []string
}

// Site is the place of one project: its files, and what golem keeps for it.
type Site struct {
	// TrustKey identifies the project in Trust and in the projects of Config:
	// its real root as a slash path, or in the page its name.
	TrustKey string
	// DotEnv has the provider keys in the project's .env. They are used if Env
	// does not have them and a person trusted them (SPEC §3).
	DotEnv map[string]string
	// State is where golem keeps conversations and staged changes of the project;
	// the zero value keeps none.
	State state.Store
	// Volatile says that what Files opens ends with the process, as in a packed project. What
	// calls change there is kept beside the conversation, and put back when it is resumed. It
	// cannot be staged for later or undone.
	Volatile bool
	// Files opens directories for the sandbox; nil: the platform has no files. "." is the
	// root that workers work on. Anything else, an absolute path or one with ../, is
	// requested only with Options.AllowOutside. Directories below "." are opened from the
	// root.
	Files run.Files
	// Git opens a branch of the git repository in a directory; dir is its name for
	// messages. nil: the platform has no repositories. A branch that can be sent to other
	// repositories is a clearance.Sender, too.
	Git func(files sandbox.FS, dir, branch string) (clearance.Branch, error)
	// Closed are directories, as sources of sandbox.SourceOf, that no worker
	// can read or change through any mount, link or name, such as $GOLEM_HOME
	// (E_PROTECTED).
	Closed []string
	// Libraries are the directories in which libraries are looked for, in this
	// order (SPEC §4).
	Libraries []project.LibraryRoot
	// Locate returns the absolute slash path of a program as the platform finds it, or of an
	// absolute path; see started.Tree. nil: the platform starts no programs.
	Locate func(name string, last bool) string
}

// ModelSources are where models come from.
type ModelSources struct {
	HTTP model.HTTPDoer // nil: providers cannot be reached
	// Models has the HTTP clients for the models that the platform provides, by their
	// names (page:NAME, device:); nil: it provides none. See model.Config.
	Models map[string]model.HTTPDoer
	// ReadScript reads the file of a script:FILE or replay:FILE that a person
	// named, relative to the current directory. (From a manifest or worker, the
	// path is relative to the project root.) With nil, only files of the
	// project can be read.
	ReadScript func(name string) ([]byte, error)
	// Scripts has the embedded scripts for script:NAME; nil means golem's own.
	Scripts fs.FS
}

// ToolSources are where tools come from, and what they reach.
type ToolSources struct {
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
	// JavaScript has the engine for tools that are JavaScript or TypeScript sources; nil:
	// they are E_PLATFORM.
	JavaScript jstool.Engines
	// ToolFiles is $GOLEM_HOME/tools, where pkg.mod:register is looked up; nil
	// if there is none.
	ToolFiles fs.FS
	// SkillFiles is $GOLEM_HOME/skills, the person's own skills; nil: there are none.
	SkillFiles fs.FS
	// Buffers are the files that a person has open in an editor; nil: golem knows of none.
	Buffers toolset.Buffers
	// Fetch makes the requests of the toolset web; nil: its tools are E_NETWORK.
	Fetch wasmtool.Fetcher
	// Charsets decodes the charsets of pages that golem has no table for; may be nil.
	Charsets web.Charsets
	// MCP has the platform's functions for reaching MCP servers; the zero value reaches
	// none.
	MCP mcp.Host
}

// Mounter opens what a function returns, as Site.Files.
type Mounter func(source string) (sandbox.FS, error)

// Mount calls the function.
func (m Mounter) Mount(source string) (sandbox.FS, error) { return m(source) }

// Tree is Site.Files of one tree in memory, whatever the source.
type Tree struct{ FS sandbox.FS }

// Mount returns the tree.
func (t Tree) Mount(string) (sandbox.FS, error) { return t.FS, nil }

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
	options.Opening
	Files fs.FS  // the project root; no name must lead out of it
	Name  string // the root's base name, for messages and traces
	// WorkersRoot is the directory of workers, unless a manifest names one. ""
	// means workers; "." is the root itself, as in a directory of GOLEM_PATH.
	WorkersRoot string
	noModuleYet bool // see project.Setup
	// Servers are MCP servers that an editor offers, as {"mcpServers": {NAME: {"command": …}}}.
	// The entry gets them when a person trusts them; nil: none.
	Servers []byte
	// NoLock ignores golem.lock, because golem lib lock writes it again.
	NoLock bool
	// Bare says that the directory that workers work on is not a project, and the options'
	// Files are golem's own. Then only .git, .golem and .env are protected in it.
	Bare bool
	// TrustDigest trusts exactly the list with this digest. If the project's
	// list has another digest, the run fails before it begins (GOLEM_TRUST).
	TrustDigest string
	// Origin has lines about where the project comes from, for the beginning of the question
	// about trust; none for a directory, whose path the person knows.
	Origin []approval.Line
	// Reach says which calls the project's own settings can approve without
	// trust: ReadOnly for a lone file, a worker on GOLEM_PATH, and a root that
	// is the home directory or contains it.
	Reach approval.Reach
}

// RunOptions has the host's choices for one run. Nothing is written for a nil writer.
type RunOptions struct {
	options.Running
	ID string // name of the run; "": the platform makes one
	// Person says that a person is there who can be asked, so that a command of the chat may
	// widen what runs without asking, and titles: model of their configuration holds.
	Person bool
	// AskToGoOn asks the person of a chat before an exchange in which golem was killed goes on,
	// because that sends requests. Without it, who resumes such a conversation wants that.
	AskToGoOn bool
	// Recap shows the last messages of the conversation that is resumed. A front end that
	// shows the whole conversation sets it to false.
	Recap bool
	Host  ChatHost  // of a chat; nil: PlainChat
	Trace io.Writer // JSON lines, SPEC §16
	// Texts stores a text that is too long for a line of Trace, under a file
	// name. With nil, long texts stay in the lines.
	Texts trace.Files
	// Lines gets the lines of Trace with complete texts, for a front end that
	// shows them. While a person is asked, it gets nothing.
	Lines io.Writer
	// Trouble gets the first error of Trace, of Texts and of Lines. Such an error does
	// not end the run. It may be nil.
	Trouble  func(error)
	Record   io.Writer // a recording for replay:
	Artifact trace.Files
	Account  *run.Account // that pays for the run with others; nil: none
	// through says that only this run sees the project's files: staged changes are made in them.
	through bool
	notices []trace.Body // the first events of the run
}

// ChatHost is what a chat needs from the program that it runs in.
type ChatHost interface {
	// Opened gets the session before its first message. A host can change the permission of
	// the chat with it, also while an exchange runs.
	Opened(s *run.Session)
	// Exchange is called before each exchange and returns its context. When that context
	// ends, the exchange ends and the chat goes on. stop is called after the exchange.
	Exchange(ctx context.Context) (within context.Context, stop func())
	// Said is called with each message and command that the person sent, without known
	// secrets, for a history of input. It does not get answers to questions.
	Said(line string)
	// CommandLine reports whether Command can do more than /model.
	CommandLine() bool
	// Typed reports whether the person types on a terminal, where !COMMAND runs a command.
	Typed() bool
	// Mentioned returns the files that a message names with @, to send them with it. note is
	// a line for the person, or "". With an error the message must not be sent.
	Mentioned(text string) (files []run.File, note string, err error)
	// Command carries out the commands that need a command line (ui.Action.Host) and
	// returns the text to show; io.EOF ends the chat.
	Command(ctx context.Context, s *run.Session, cmd ui.Command) (text string, err error)
}

// PlainChat is a ChatHost without a command line. Nothing but the context of the chat ends
// an exchange.
type PlainChat struct{}

var _ ChatHost = PlainChat{}

// Opened does nothing.
func (PlainChat) Opened(*run.Session) {}

// Exchange returns ctx.
func (PlainChat) Exchange(ctx context.Context) (within context.Context, stop func()) {
	return ctx, func() {}
}

// Said does nothing.
func (PlainChat) Said(string) {}

// CommandLine returns false.
func (PlainChat) CommandLine() bool { return false }

// Typed returns false.
func (PlainChat) Typed() bool { return false }

// Mentioned returns no files: what begins with @ is text.
func (PlainChat) Mentioned(string) (files []run.File, note string, err error) { return nil, "", nil }

// Command returns the model for /model, and E_PLATFORM for other commands.
func (PlainChat) Command(_ context.Context, s *run.Session, cmd ui.Command) (string, error) {
	if cmd.Name == ui.Model {
		return "the model is " + s.Model(), nil
	}
	return "", fault.New(fault.Platform, "/%s is a command of the command line", cmd.Name).Hinting("the page has a view or a button for it")
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
