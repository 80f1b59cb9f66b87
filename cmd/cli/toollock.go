package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/wasmtool/guard"
)

func (h *host) toolLockCommand() *cobra.Command {
	return h.lockCommand("golem tool lock", &flags{}, &cobra.Command{
		Short: "pin a project's modules by digest, in tools.lock",
		Long: `Writes the SHA-256 of every tool module that the project's workers may use to
tools.lock. From then on golem refuses a module that has changed or is not in
the list. This command runs no module.`,
	}, h.lockTools)
}

// lockCommand completes a command that pins what a project uses. The command takes the
// project as DIR or --project, by default the current directory. It calls write with
// the project's directory, the project, and the modules that its workers may use. It
// refuses a packed project, which contains the digest of each file already.
func (h *host) lockCommand(name string, f *flags, cmd *cobra.Command, write func(root string, p *project.Project, modules []project.Module) error) *cobra.Command {
	cmd.Use, cmd.Args = "lock [DIR]", words(0, 1)
	cmd.RunE = func(_ *cobra.Command, words []string) error {
		if err := f.notEmpty("project"); err != nil {
			return err
		}
		words = h.orHere(f, words)
		p, _, err := h.target(f, words)
		if err != nil {
			return err
		}
		if p.pack != nil {
			return usage("%s needs a project directory", name).Hinting("a packed project has the digest of each of its files already")
		}
		t := h.newTools(false)
		defer t.close()
		inst, err := h.open(p, f, t)
		if err != nil {
			return err
		}
		release, err := h.holdToolLock(inst)
		if err != nil {
			return err
		}
		defer release()
		modules, err := inst.Project().AllModules()
		if err != nil {
			return err
		}
		return write(p.root, inst.Project(), modules)
	}
	f.set = cmd.Flags()
	cmd.Flags().StringVar(&f.project, "project", "", "the project directory, in place of DIR")
	cmd.Flags().StringArrayVar(&f.lib, "lib", nil, "look for libraries in this directory first; may be repeated")
	cmd.Flags().BoolVar(&f.allowModules, "allow-module-imports", false, "allow tool modules from outside the project")
	return cmd
}

// lockTools writes tools.lock again and prints what changed.
func (h *host) lockTools(root string, p *project.Project, modules []project.Module) error {
	name := filepath.Join(root, project.ToolLockFile)
	if _, err := os.Stat(name); len(modules) == 0 && err != nil {
		return fault.New(fault.NotFound, "the project has no tool modules to pin").
			Hinting("golem looks in tools/*.wasm, tools.wasm and the places that the manifest and the workers name; golem tool new writes a tool")
	}
	digests := map[string]string{}
	var b strings.Builder
	for _, m := range modules {
		digest, err := p.ModuleDigest(m, guard.MaxSize)
		if err != nil {
			return err
		}
		digests[m.Path] = digest
		fmt.Fprintf(&b, "%-9s  %s  sha256 %s\n", lockChange(m, digest), oneLine(m.Path), digest)
	}
	_, from, _ := p.ToolLock() // a damaged lock is replaced
	if err := writeLock(name, digests, from); err != nil {
		return fault.New(fault.Lock, "%s could not be written: %s", project.ToolLockFile, cause(err)).Hinting("%s", writeHint(err, "make the project's directory writable"))
	}
	fmt.Fprintf(&b, "%s: %s\n", project.ToolLockFile, fault.Count(len(digests), "module"))
	return h.show(b.String())
}

// holdToolLock locks the files that pin what the project uses against other golem
// processes. If golem keeps no state for the project, there is no lock.
func (h *host) holdToolLock(inst *core.Instance) (release func(), err error) {
	ctx, stop := h.interruptible(context.Background())
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
	tmp, err := besideFile(name, project.EncodeToolLock(digests, from))
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	return os.Rename(tmp, name)
}
