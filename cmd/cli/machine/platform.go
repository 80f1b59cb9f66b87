// Package machine is what this machine provides to a project, and opens projects with it.
package machine

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golem/core"
	"golem/core/fault"
	"golem/core/gitrepo"
	"golem/core/jstool/embedded"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/fetch"
	"golem/cmd/cli/githost"
	"golem/cmd/cli/home"
	"golem/cmd/cli/mcphost"
	"golem/cmd/cli/secretstore"
	"golem/cmd/cli/shell"
	"golem/cmd/cli/target"
	"golem/cmd/cli/telemetry"
	"golem/cmd/cli/toolhost"
)

// maxScript is the size limit of a script that stands in for a model, in bytes.
const maxScript = 16 << 20

// Opening says how a project is opened.
type Opening struct {
	core.Options
	Lib        []string // --lib: directories in which libraries are searched first
	Unconfined bool     // --unconfined
	// Buffers are the files that the person has open in an editor; nil: none.
	Buffers toolset.Buffers
}

// Open opens the project of a place, or a packed project.
func Open(c *console.Console, p target.Place, with Opening, t *toolhost.Tools) (*core.Instance, error) {
	switch {
	case p.Pack != nil:
		return openPack(c, p, with, t)
	case p.Assistant:
		return openAssistant(c, p, with, t)
	}
	files, err := osfs.Open(p.Root)
	if err != nil {
		return nil, fault.Of(err, fault.Project)
	}
	store := c.Home.State(files, p.Root)
	if err := toolhost.Recover(&store, files); err != nil {
		return nil, err
	}
	o := with.Options
	o.Files, o.Name = files, filepath.Base(p.Root)
	if p.File {
		o.Entry = p.Entry
	}
	work := files
	if p.Work != "" {
		if work, err = osfs.Open(p.Work); err != nil {
			return nil, fault.Of(err, fault.NotFound)
		}
	}
	if p.Shelf {
		o.WorkersRoot = "."
	}
	keys, err := dotenvKeys(files)
	if err != nil {
		return nil, err
	}
	config, err := c.Home.Config()
	if err != nil {
		return nil, err
	}
	libraries, err := Libraries(c, with.Lib)
	if err != nil {
		return nil, err
	}
	o.Reach, o.TrustDigest = target.Reach(c, p, o.NoProject), c.Home.TrustDigest()
	platform := platform(c, config, t)
	platform.Libraries, platform.Buffers = libraries, with.Buffers
	platform.DotEnv, platform.TrustKey, platform.State = keys, disk.RealPath(p.Root), c.Home.State(work, p.Sandbox())
	kept := target.Rules(c, p)
	platform.Home = kept.Home
	if platform.Rules = kept.File; p.Work != "" {
		platform.RulesKey = kept.Key
	}
	platform.Files = core.Mounter(mounter(work, p.Sandbox(), o.AllowOutside))
	platform.Toolsets = []toolset.Factory{githost.Toolset(work, githost.Person(c)), shell.Toolset(shell.Host{Root: disk.RealPath(p.Sandbox()), Env: c.Env, Closed: ClosedDirs(c), Memory: o.InMemory(), Unconfined: with.Unconfined})}
	platform.MCP = mcphost.New(c, p.Sandbox())
	if o.InMemory() {
		platform.MCP.NoCommand = mcphost.NoCommandInMemory
	}
	return core.Open(platform, o)
}

// platform returns what this machine provides to every project.
func platform(c *console.Console, config []byte, t *toolhost.Tools) core.Platform {
	return core.Platform{
		Name: "native", Version: c.Build.Version, Env: c.Env,
		Person:       core.Person{Config: config, Home: filepath.ToSlash(c.Env.User()), Trust: c.Home.Trusted(), Store: secretstore.Secrets(c), Secrets: ownSecrets(c)},
		Site:         core.Site{Locate: locate, Closed: ClosedDirs(c), Git: githost.Branches(c, secretstore.Secrets(c))},
		ModelSources: core.ModelSources{HTTP: fetch.NewClient(), ReadScript: func(name string) ([]byte, error) { return c.ReadFile(name, maxScript) }},
		ToolSources: core.ToolSources{
			Fetch: fetch.Modules{}, Charsets: eastAsian{}, Tools: t.ForProject, JavaScript: embedded.Engines{}, ToolFiles: toolhost.HomeFiles(c, "tools"), SkillFiles: toolhost.HomeFiles(c, "skills"),
			OtherToolsets: map[string][]string{"shell": {"native"}, "page": {"browser"}, "mcp.command": {"native"}},
		},
	}
}

// ownSecrets returns the secret values of golem's own environment variables.
func ownSecrets(c *console.Console) (out []string) {
	for _, name := range []string{mcphost.TokenVariable, console.JoinVariable, console.QueueVariable} {
		if value := c.Env[name]; value != "" {
			out = append(out, value)
		}
	}
	return append(out, telemetry.Secrets(c.Env)...)
}

// PackState returns the store of what golem keeps of a packed project, in GOLEM_HOME under its
// digest. It keeps nothing where GOLEM_HOME does not count or cannot be opened.
func PackState(c *console.Console, p target.Place) state.Store {
	dir := c.Home.Dir()
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return state.Store{}
	}
	files, err := osfs.Open(dir)
	if err != nil {
		return state.Store{}
	}
	kept := path.Join(home.PacksDir, strings.TrimPrefix(p.Pack.Digest, "sha256:"))
	return state.Store{
		Files: sandbox.Lazy(files, kept), Project: state.PackIdentity(p.Pack.Digest),
		Host: home.StateIn(files, kept, filepath.Join(dir, "state.key")),
	}
}

// openPack opens a packed project. It has no directory, so it has no shell and no .env. Its own
// settings hold inside its sandbox, which is in memory (SPEC §3); its conversations are kept in
// GOLEM_HOME, with the files that they changed.
func openPack(c *console.Console, p target.Place, with Opening, t *toolhost.Tools) (*core.Instance, error) {
	config, err := c.Home.Config()
	if err != nil {
		return nil, err
	}
	c.Home.SweepPacks()
	o := with.Options
	o.Files, o.Name, o.TrustDigest, o.Origin = p.Pack.Work, p.Name(), c.Home.TrustDigest(), p.Pack.Source()
	platform := platform(c, config, t)
	platform.TrustKey, platform.Files = p.Pack.TrustKey(), core.Mounter(p.Pack.Mount)
	platform.State, platform.Volatile = PackState(c, p), true
	platform.Libraries = core.PackLibraries(p.Pack.Pack)
	platform.MCP = mcphost.New(c, "")
	platform.MCP.NoCommand = mcphost.NoCommandInPack
	platform.Toolsets = []toolset.Factory{githost.Toolset(nil, gitrepo.Machine{}), {
		Name: "shell", Outside: true,
		Open: func(context.Context, toolset.Env, any) (tool.Toolset, error) {
			return nil, fault.New(fault.Platform, "the toolset shell cannot be used in a packed project, because commands work on the disk").
				Hinting(console.UnpackIt)
		},
	}}
	inst, err := core.Open(platform, o)
	if err == nil {
		err = core.CheckPack(inst, p.Pack.Pack)
	}
	return inst, err
}

// Libraries returns the directories in which libraries are searched: each --lib, those
// of GOLEM_LIBS, and $GOLEM_HOME/libs (S1-52, S1-66, S1-73).
func Libraries(c *console.Console, dirs []string) ([]project.LibraryRoot, error) {
	var out []project.LibraryRoot
	add := func(label, dir string) {
		root := project.LibraryRoot{Label: label}
		if files, err := osfs.Open(c.Path(dir)); err == nil {
			root.FS = standing{files}
		}
		out = append(out, root)
	}
	for _, dir := range dirs {
		if add("--lib "+dir, dir); out[len(out)-1].FS == nil {
			return nil, console.Usage("--lib %s: there is no such directory", dir).Hinting("name a directory in which libraries lie, each in a directory with its name")
		}
	}
	for _, dir := range filepath.SplitList(c.Env.Setting("LIBS")) {
		if dir != "" {
			add(dir, dir)
		}
	}
	if home := c.Home.Dir(); home != "" {
		add("$GOLEM_HOME/libs", filepath.Join(home, "libs"))
	}
	return out, nil
}

// ClosedDirs returns the directories that no worker may reach: $GOLEM_HOME, as its real
// path, also where it does not count.
func ClosedDirs(c *console.Console) []string {
	if home := c.Home.Named(); home != "" {
		return []string{filepath.ToSlash(disk.Resolved(home))}
	}
	return nil
}

// mounter returns a function that opens the project's root for the sandbox and, only
// with --allow-outside, other directories. Without the flag the core never asks for
// another directory; mounter checks this once more.
func mounter(files *osfs.FS, root string, outside bool) func(string) (sandbox.FS, error) {
	return func(source string) (sandbox.FS, error) {
		if path.Clean(source) == "." {
			return files, nil
		}
		if !outside {
			return nil, fault.New(fault.Path, "the mount source %s is outside the project", source).
				Hinting("move it into the project, or run with --allow-outside")
		}
		if !filepath.IsAbs(source) {
			source = filepath.Join(root, source)
		}
		return osfs.Open(source)
	}
}
