// Package core joins golem's rooms into one project on one platform: the same
// code behind the command line and behind the page. A host lends a Platform;
// Open reads the project; Run, Chat, Check and Workers are what people do
// with it (SPEC §1, §5).
package core

import (
	"crypto/rand"
	"encoding/hex"
	"io"
	"io/fs"
	"time"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/sandbox"
	"golem/core/toolset"
	"golem/core/wasmtool"
)

// Platform is what a host lends. Files and Mount come with the project; the
// rest is the same for every project.
type Platform struct {
	Name    string            // "native" or "browser", as traces say
	Version string            // golem's version
	Env     map[string]string // the environment, provider keys included
	// DotEnv are the provider keys of the project's .env: used where Env has
	// none and a person trusted them (SPEC §3).
	DotEnv map[string]string
	// Config is the person's $GOLEM_HOME/config.yaml; nil: there is none.
	Config []byte
	// Home is the person's home directory as a slash path, for ~ in Config.
	Home string
	// Trust keeps what a person trusted; nil: a yes holds for the run.
	Trust TrustFile
	// TrustKey names the project there and in Config's projects: its real root
	// as a slash path; on the page the project's name.
	TrustKey string
	HTTP     model.HTTPDoer // nil: providers cannot be reached
	// Mount opens a directory for the sandbox: "." is the root that workers work
	// on, and anything else, an absolute or ../ path, is asked for only with
	// Options.AllowOutside. What lies below "." the core opens from there.
	Mount func(source string) (sandbox.FS, error)
	// Closed are real directories, as sources of sandbox.SourceOf, that no worker
	// reads or changes by any mount, link or name: $GOLEM_HOME (E_PROTECTED).
	Closed []string
	// ReadScript reads FILE of script:FILE and replay:FILE given by a person,
	// relative to where they stand. From a manifest or worker it is relative
	// to the project root. nil: only project files.
	ReadScript func(name string) ([]byte, error)
	// Scripts are the scripts embedded under script:NAME; nil: golem's own.
	Scripts fs.FS
	// Toolsets are the platform's own, beside the built-in ones.
	Toolsets []toolset.Factory
	// OtherToolsets names toolsets that other platforms have, and which.
	OtherToolsets map[string][]string
	// Tools makes what runs `.wasm` tools, with the engine that the manifest
	// names ("auto", "wazero", "browser"). It is asked once, for the first
	// project that has a module; the platform closes what it made. nil: tool
	// modules are E_PLATFORM.
	Tools func(engine string) (*wasmtool.Library, error)
	// ToolFiles is $GOLEM_HOME/tools, where pkg.mod:register is found; nil: none.
	ToolFiles fs.FS
	// Secrets are further values to redact wherever they appear.
	Secrets []string
	Now     func() time.Time // nil: time.Now
	NewID   func() string    // makes run names; nil: random
}

// Options say which project, and what the person asked for on the command
// line or in the page. The zero value of each leaves it to the project.
type Options struct {
	Files     fs.FS  // the project root, confined
	Name      string // the root's base name, for messages and traces
	Entry     string
	NoProject bool
	// WorkersRoot is where workers have their IDs unless a manifest says; "" is
	// workers, "." the root itself, as in a directory of GOLEM_PATH.
	WorkersRoot       string
	Model             string
	Approval          string
	MaxDepth          *int
	Limits            map[string]string // limits of the run by their names in workers: turns, tool_timeout, …
	Settings          map[string]string // settings of the models by their names in workers: temperature, …
	AllowOutside      bool
	MemorySandbox     bool
	NoImportTools     bool
	AllowModuleImport bool
	// Trust is a person's yes, for this run, to all that the project's files
	// widen beyond its sandbox (--trust, SPEC §3).
	Trust bool
	// TrustDigest pins what is trusted to the list of this digest: another list
	// ends the run before it begins (GOLEM_TRUST).
	TrustDigest string
	// Reach is how far the project's own settings may pre-approve without trust:
	// ReadOnly for a lone file, a worker on GOLEM_PATH, and a root at or above
	// the home directory.
	Reach approval.Reach
}

// RunOptions are what one run keeps. Nil fields keep nothing.
type RunOptions struct {
	ID string // the run's name; "": made by the platform
	// Strict makes the exit code 1 if any call was denied or any worker failed (SPEC §12).
	Strict bool
	Trace  io.Writer // JSON lines, SPEC §16
	// Texts keeps a text that is too long for a line of Trace, whole, under a
	// name that is no path. nil: long texts stay in the lines.
	Texts func(name string, data []byte) error
	// Lines gets the lines of Trace with every text whole, as a front end shows
	// them, and none while a person is asked.
	Lines io.Writer
	// Trouble hears when one of these three fails, once each. It does not end
	// the run. nil: nobody does.
	Trouble  func(error)
	Record   io.Writer // a recording for replay:
	Artifact func(name string, data []byte) error
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
