package machine

import (
	"cmp"
	"os"
	"path/filepath"

	"golem/core"
	"golem/core/builtin"
	"golem/core/fault"
	"golem/core/toolset"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/mcphost"
	"golem/cmd/cli/shell"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// openAssistant opens golem's own worker assistant over a directory. Nothing of the directory
// is configuration: no .env, no tools, no workers. What golem keeps lies in GOLEM_HOME.
func openAssistant(c *console.Console, p target.Place, with Opening, t *toolhost.Tools) (*core.Instance, error) {
	config, err := c.Home.Config()
	if err != nil {
		return nil, err
	}
	work, err := osfs.Open(p.Work)
	if err != nil {
		return nil, fault.Of(err, fault.NotFound)
	}
	o := with.Options
	if o.Entry != "" {
		return nil, console.Usage("--entry names another worker, and %s is one", target.Assistant).Hinting("leave --entry out, or give a project as TARGET")
	}
	// In a directory with GOLEM_HOME in it, as the home directory and / are, a command could
	// reach it where no mount namespace hides it.
	home := c.Home.Named()
	above := home != "" && disk.Inside(disk.Resolved(home), p.Work) || disk.SameDir(p.Work, cmp.Or(c.Home.Account(), p.Work+"/-"))
	o.Files, o.Name, o.Entry, o.NoProject = builtin.Assistant(!above && !o.InMemory()), p.Name(), "./"+builtin.AssistantFile, true
	o.Bare = !target.IsProject(c, p.Work)
	o.Reach, o.TrustDigest = target.Reach(c, p, true), c.Home.TrustDigest()
	platform := platform(c, config, t)
	platform.Buffers = with.Buffers
	platform.TrustKey = disk.RealPath(filepath.Join(p.Work, "."+target.Assistant))
	if p.Root != "" {
		if err := os.MkdirAll(p.Root, 0o700); err != nil {
			return nil, fault.New(fault.Config, "%s cannot be made: %s", p.Root, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "make GOLEM_HOME writable"))
		}
		kept, err := osfs.Open(p.Root)
		if err != nil {
			return nil, fault.Of(err, fault.Config)
		}
		platform.State = c.Home.State(kept, p.Work)
	}
	rules := target.Rules(c, p)
	platform.Home, platform.Rules, platform.RulesKey = rules.Home, rules.File, rules.Key
	platform.Files = core.Mounter(mounter(work, p.Work, o.AllowOutside))
	platform.Toolsets = []toolset.Factory{shell.Toolset(shell.Host{Root: disk.RealPath(p.Work), Env: c.Env, Closed: ClosedDirs(c), Memory: o.InMemory(), Unconfined: with.Unconfined})}
	platform.MCP = mcphost.New(c, p.Work)
	return core.Open(platform, o)
}
