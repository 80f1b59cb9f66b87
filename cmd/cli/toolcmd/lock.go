package toolcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/ui"
	"golem/core/wasmtool/guard"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

func lockToolsCommand(c *console.Console) *cobra.Command {
	return LockCommand(c, "golem tool lock", false, &cobra.Command{
		Short: "pin a project's modules by digest, in tools.lock",
		Long: `Writes the SHA-256 of every tool module that the project's workers may use to
tools.lock. From then on golem refuses a module that has changed or is not in
the list. This command runs no module.`,
	}, lockTools)
}

// LockCommand completes a command that pins what a project uses. The command takes the
// project as DIR or --project, by default the current directory. It calls write with
// the project's directory, the project, and the modules that its workers may use. It
// refuses a packed project, which contains the digest of each file already. With again,
// golem.lock will be written again, so the old one is not checked.
func LockCommand(c *console.Console, name string, again bool, cmd *cobra.Command, write func(c *console.Console, root string, p *project.Project, modules []project.Module) error) *cobra.Command {
	f := &runflags.Flags{}
	cmd.Use, cmd.Args = "lock [DIR]", console.Words(0, 1)
	cmd.RunE = func(_ *cobra.Command, words []string) error {
		if err := f.NotEmpty("project"); err != nil {
			return err
		}
		words = target.OrHere(c, f.Project, words)
		p, _, err := target.Find(c, f.Wanted(), words)
		if err != nil {
			return err
		}
		if p.Pack != nil {
			return console.Usage("%s needs a project directory", name).Hinting("a packed project has the digest of each of its files already")
		}
		t := toolhost.New(c, false)
		defer t.Close()
		with := f.OpenWith()
		with.NoLock = again
		inst, err := machine.Open(c, p, with, t)
		if err != nil {
			return err
		}
		release, err := holdToolLock(c, inst)
		if err != nil {
			return err
		}
		defer release()
		modules, err := inst.Project().AllModules()
		if err != nil {
			return err
		}
		return write(c, p.Root, inst.Project(), modules)
	}
	f.Add(cmd.Flags(), "lock")
	return cmd
}

// lockTools writes tools.lock again and prints what changed.
func lockTools(c *console.Console, root string, p *project.Project, modules []project.Module) error {
	name := filepath.Join(root, config.ToolLockFile)
	if _, err := os.Stat(name); len(modules) == 0 && err != nil {
		return fault.New(fault.NotFound, "the project has no tool modules to pin").
			Hinting("golem looks in tools/*.wasm, tools.wasm and the places that the manifest and the workers name; golem tool new writes a tool")
	}
	digests := map[string]string{}
	var b strings.Builder
	for _, m := range modules {
		digest, err := p.Modules.Digest(m, guard.MaxSize)
		if err != nil {
			return err
		}
		digests[m.Path] = digest
		fmt.Fprintf(&b, "%-9s  %s  sha256 %s\n", lockChange(m, digest), ui.OneLine(m.Path), digest)
	}
	_, from, _ := p.Modules.Lock() // a damaged lock is replaced
	if err := writeLock(name, digests, from); err != nil {
		return fault.New(fault.Lock, "%s could not be written: %s", config.ToolLockFile, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "make the project's directory writable"))
	}
	fmt.Fprintf(&b, "%s: %s\n", config.ToolLockFile, fault.Count(len(digests), "module"))
	return c.Show(b.String())
}

// holdToolLock locks the files that pin what the project uses against other golem
// processes. If golem keeps no state for the project, there is no lock.
func holdToolLock(c *console.Console, inst *core.Instance) (release func(), err error) {
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	store := inst.Conversations()
	if store == nil {
		return func() {}, nil
	}
	return store.Hold(ctx, "tools-lock")
}

// lockChange returns how a module differs from the previous lock.
func lockChange(m project.Module, digest string) string {
	switch {
	case !m.Locked || m.Digest == "":
		return "new"
	case m.Digest != digest:
		return "changed"
	}
	return "unchanged"
}

// writeLock replaces the lock file as a whole. from has the addresses of modules that
// were fetched; those of modules that are not locked are left out.
func writeLock(name string, digests, from map[string]string) error {
	tmp, err := disk.Beside(name, config.EncodeToolLock(digests, from))
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	return os.Rename(tmp, name)
}
