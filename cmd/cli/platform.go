package main

import (
	"context"
	"path"
	"path/filepath"

	"golem/cmd/cli/shell"
	"golem/core"
	"golem/core/fault"
	"golem/core/gitrepo"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/sandbox/osfs"
)

// open opens the project of a place, or a packed project.
func (h *host) open(p place, f *flags, t *tools) (*core.Instance, error) {
	if p.pack != nil {
		return h.openPack(p, f, t)
	}
	files, err := osfs.Open(p.root)
	if err != nil {
		return nil, fault.Of(err, fault.Project)
	}
	if err := recoverTools(p.root, files); err != nil {
		return nil, err
	}
	o := f.options()
	o.Files, o.Name = files, filepath.Base(p.root)
	if p.file {
		o.Entry = p.entry
	}
	work := files
	if p.work != "" {
		if work, err = osfs.Open(p.work); err != nil {
			return nil, fault.Of(err, fault.NotFound)
		}
	}
	if p.shelf {
		o.WorkersRoot = "."
	}
	keys, err := dotenvKeys(files)
	if err != nil {
		return nil, err
	}
	config, err := h.config()
	if err != nil {
		return nil, err
	}
	libraries, err := h.libraries(f)
	if err != nil {
		return nil, err
	}
	o.Reach, o.TrustDigest = h.reach(p, o.NoProject), h.trustDigest()
	platform := h.platform(config, t)
	platform.Libraries = libraries
	platform.DotEnv, platform.TrustKey, platform.State = keys, realPath(p.root), h.stateOf(work, p.sandbox())
	kept := h.rules(p)
	platform.Home = kept.Home
	if platform.Rules = kept.File; p.work != "" {
		platform.RulesKey = kept.Key
	}
	platform.Mount = mounter(work, p.sandbox(), o.AllowOutside)
	platform.Toolsets = []toolset.Factory{gitToolset(func() (sandbox.FS, error) { return work, nil }, h.gitMachine()), shell.Toolset(shell.Host{Root: realPath(p.sandbox()), Env: h.env, Closed: h.closed(), Memory: o.MemorySandbox, Unconfined: f.unconfined})}
	platform.MCP = h.mcpHost(p.sandbox())
	if o.MemorySandbox {
		platform.MCP.NoCommand = noCommandInMemory
	}
	return core.Open(platform, o)
}

// platform returns what this machine provides to every project.
func (h *host) platform(config []byte, t *tools) core.Platform {
	return core.Platform{
		Name: "native", Version: buildVersion(), Env: h.env,
		Config: config, Home: filepath.ToSlash(h.userHome()), Trust: h.trusted(),
		HTTP:       newHTTPClient(),
		Fetch:      moduleFetcher{}.fetch,
		Charsets:   eastAsian{},
		Locate:     locate,
		Closed:     h.closed(),
		Git:        h.gitBranch,
		ReadScript: func(name string) ([]byte, error) { return h.readFile(name, maxScript) },
		Store:      h.secrets(),
		Tools:      t.forProject,
		ToolFiles:  h.homeTools(),
		Secrets:    h.ownSecrets(),

		OtherToolsets: map[string][]string{"shell": {"native"}, "page": {"browser"}, "mcp.command": {"native"}},
	}
}

// ownSecrets returns the secret values of golem's own environment variables.
func (h *host) ownSecrets() []string {
	if token := h.env[tokenVariable]; token != "" {
		return []string{token}
	}
	return nil
}

// openPack opens a packed project. It has no directory, so it has no shell, no .env and
// no state. Its own settings hold inside its sandbox, which is in memory (SPEC §3).
func (h *host) openPack(p place, f *flags, t *tools) (*core.Instance, error) {
	config, err := h.config()
	if err != nil {
		return nil, err
	}
	o := f.options()
	o.Files, o.Name, o.TrustDigest, o.Origin = p.pack.work, p.name(), h.trustDigest(), p.pack.source
	platform := h.platform(config, t)
	platform.TrustKey, platform.Mount = p.pack.trustKey(), p.pack.mount
	platform.Libraries = core.PackLibraries(p.pack.Pack)
	platform.MCP = h.mcpHost("")
	platform.MCP.NoCommand = noCommandInPack
	platform.Toolsets = []toolset.Factory{gitToolset(nil, gitrepo.Machine{}), {
		Name: "shell", Outside: true,
		Open: func(context.Context, toolset.Env, any) (tool.Toolset, error) {
			return nil, fault.New(fault.Platform, "the toolset shell cannot be used in a packed project, because commands work on the disk").
				Hinting(unpackIt)
		},
	}}
	return core.Open(platform, o)
}

// libraries returns the directories in which libraries are searched: each --lib, those
// of GOLEM_LIBS, and $GOLEM_HOME/libs (S1-52, S1-66, S1-73).
func (h *host) libraries(f *flags) ([]project.LibraryRoot, error) {
	var out []project.LibraryRoot
	add := func(label, dir string) {
		root := project.LibraryRoot{Label: label}
		if files, err := osfs.Open(h.path(dir)); err == nil {
			root.FS = standing{files}
		}
		out = append(out, root)
	}
	for _, dir := range f.lib {
		if add("--lib "+dir, dir); out[len(out)-1].FS == nil {
			return nil, usage("--lib %s: there is no such directory", dir).Hinting("name a directory in which libraries lie, each in a directory with its name")
		}
	}
	for _, dir := range filepath.SplitList(h.setting("LIBS")) {
		if dir != "" {
			add(dir, dir)
		}
	}
	if home := h.home(); home != "" {
		add("$GOLEM_HOME/libs", filepath.Join(home, "libs"))
	}
	return out, nil
}

// closed returns the directories that no worker may reach: $GOLEM_HOME, as its real
// path, also where it does not count.
func (h *host) closed() []string {
	if home := h.namedHome(); home != "" {
		return []string{filepath.ToSlash(resolved(home))}
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
