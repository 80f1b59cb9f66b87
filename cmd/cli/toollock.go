package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sorting"
	"golem/core/wasmtool/guard"
)

// lockFile pins the modules of a project (SPEC §6, §16).
const lockFile = "tools.lock"

func (h *host) toolLockCommand() *cobra.Command {
	return h.lockCommand("golem tool lock", &flags{}, &cobra.Command{
		Short: "pin a project's modules by digest, in tools.lock",
		Long: `Writes the SHA-256 of every tool module that the project's workers may use to
tools.lock. From then on golem refuses a module that has changed or is not in
the list. This command runs no module.`,
	}, h.lockTools)
}

// lockCommand completes a command that pins what a project uses: it takes the
// project as DIR or --project, by default the current directory, and calls write
// with its directory, the project, and the modules that its workers may use. A
// packed project has the digest of each of its files already.
func (h *host) lockCommand(name string, f *flags, cmd *cobra.Command, write func(root string, p *project.Project, modules []project.Module) error) *cobra.Command {
	cmd.Use, cmd.Args = "lock [DIR]", words(0, 1)
	cmd.RunE = func(_ *cobra.Command, words []string) error {
		if len(words) == 0 && f.project == "" && h.setting("PROJECT") == "" {
			words = []string{"."}
		}
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
		modules, err := allModules(inst.Project())
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

// lockTools writes tools.lock anew and says what changed.
func (h *host) lockTools(root string, p *project.Project, modules []project.Module) error {
	name := filepath.Join(root, lockFile)
	if _, err := os.Stat(name); len(modules) == 0 && err != nil {
		return fault.New(fault.NotFound, "the project has no tool modules to pin").
			Hinting("golem looks in tools/*.wasm, tools.wasm and the places that the manifest and the workers name; golem tool new writes a tool")
	}
	digests := map[string]string{}
	var b strings.Builder
	for _, m := range modules {
		digest, err := h.moduleDigest(p, m)
		if err != nil {
			return err
		}
		digests[m.Path] = digest
		fmt.Fprintf(&b, "%-9s  %s  sha256 %s\n", lockChange(m, digest), oneLine(m.Path), digest)
	}
	_, from, _ := p.ToolLock() // a lock that is broken is written anew
	if err := writeLock(name, digests, from); err != nil {
		return fault.New(fault.Lock, "%s could not be written: %s", lockFile, cause(err)).Hinting("make the project's directory writable")
	}
	fmt.Fprintf(&b, "%s: %s\n", lockFile, count(len(digests), "module"))
	return h.show(b.String())
}

// lockChange says how a module differs from the lock that was there.
func lockChange(m project.Module, digest string) string {
	switch {
	case !m.Locked || m.Digest == "":
		return "new"
	case m.Digest != digest:
		return "changed"
	}
	return "unchanged"
}

// allModules are the modules that any worker of the project may use, sorted.
func allModules(p *project.Project) ([]project.Module, error) {
	found := map[string]project.Module{}
	add := func(w *project.Worker) error {
		modules, err := p.Modules(w)
		for _, m := range modules {
			found[m.Path] = m
		}
		return err
	}
	listed, faults := p.List()
	if err := faults.Err(); err != nil {
		return nil, err
	}
	for _, l := range listed {
		if l.Source != "project" {
			continue
		}
		if _, err := p.WorkerAt(l.Path); err != nil {
			return nil, err
		}
	}
	for _, w := range p.Used() {
		if err := add(w); err != nil {
			return nil, err
		}
	}
	if entry, err := p.Entry(); err == nil { // it may be a tool, which is not a listed worker
		if err := add(entry); err != nil {
			return nil, err
		}
	}
	out := slices.Collect(maps.Values(found))
	sorting.By(out, func(a, b project.Module) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// homePrefix begins the path of a module under $GOLEM_HOME/tools.
const homePrefix = "home:"

// moduleDigest is the SHA-256 of a module's file, hex.
func (h *host) moduleDigest(p *project.Project, m project.Module) (string, error) {
	name := m.Path
	open := func() (fs.File, error) { return p.OpenModule(m) }
	if rel, outside := strings.CutPrefix(name, homePrefix); outside {
		from := h.homeTools()
		if from == nil {
			return "", fault.New(fault.NotFound, "there is no %s", name)
		}
		open = func() (fs.File, error) { return from.Open(rel) }
	}
	file, err := open()
	if err != nil {
		return "", fault.New(fault.NotFound, "%s cannot be read: %s", name, cause(err))
	}
	defer file.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(file, guard.MaxSize+1))
	switch {
	case err != nil:
		return "", fault.New(fault.NotFound, "%s cannot be read: %s", name, cause(err))
	case n > guard.MaxSize:
		return "", fault.New(fault.ToolModule, "%s has more than %d bytes", name, guard.MaxSize)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// plainKey is a path that YAML reads as itself.
var plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/-]*$`)

// writeLock replaces the lock file as a whole. from has the addresses of the modules that
// were fetched; those of modules that are not locked are left out.
func writeLock(name string, digests, from map[string]string) error {
	var b strings.Builder
	b.WriteString("# Written by golem tool lock. golem refuses a module with another digest.\nlock: 1\n")
	if len(digests) == 0 {
		b.WriteString("tools: {}\n")
	} else {
		b.WriteString("tools:\n")
	}
	for _, path := range slices.Sorted(maps.Keys(digests)) {
		key := path
		if !plainKey.MatchString(key) {
			key = strconv.Quote(key)
		}
		fmt.Fprintf(&b, "  %s: %s\n", key, digests[path])
	}
	head := "from:\n"
	for _, path := range slices.Sorted(maps.Keys(from)) {
		if digests[path] != "" {
			fmt.Fprintf(&b, "%s  %s: %s\n", head, strconv.Quote(path), strconv.Quote(from[path]))
			head = ""
		}
	}
	tmp, err := besideFile(name, []byte(b.String()))
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	return os.Rename(tmp, name)
}
