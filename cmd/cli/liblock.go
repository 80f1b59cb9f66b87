package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/project"
)

func (h *host) libLockCommand() *cobra.Command {
	return h.lockCommand("golem lib lock", &flags{relock: true}, &cobra.Command{
		Short: "pin a project's libraries and modules by digest, in golem.lock",
		Long: `Writes the version and the SHA-256 of every file of the libraries that a project
uses, and of its tool modules and their descriptions, to golem.lock. From then on
golem refuses a file that has changed or is not in the list, when it is opened.
This command runs no module and uses no network.`,
	}, h.lockLibraries)
}

// lockLibraries writes golem.lock again and prints what it pins.
func (h *host) lockLibraries(root string, p *project.Project, modules []project.Module) error {
	lock, err := p.NewLock(modules)
	if err != nil {
		return err
	}
	name := filepath.Join(root, project.LockFile)
	old, err := os.ReadFile(name)
	if err != nil && len(lock.Libraries)+len(lock.Modules) == 0 {
		return fault.New(fault.NotFound, "the project uses no library and no tool module: there is nothing to pin")
	}
	data, err := lock.Encode()
	if err != nil {
		return err
	}
	text := lockText(lock)
	if bytes.Equal(old, data) {
		return h.print(text + project.LockFile + ": unchanged\n")
	}
	tmp, err := besideFile(name, data)
	if err == nil {
		defer os.Remove(tmp)
		err = os.Rename(tmp, name)
	}
	if err != nil {
		return fault.New(fault.Lock, "%s could not be written: %s", project.LockFile, cause(err)).Hinting("%s", writeHint(err, "make the project's directory writable"))
	}
	return h.print(text + project.LockFile + ": written\n")
}

func lockText(lock project.Lock) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(lock.Libraries)) {
		lib := lock.Libraries[name]
		fmt.Fprintf(&b, "library  %s  %s\n", strings.TrimSpace(name+" "+oneLine(lib.Version)), fault.Count(len(lib.Files), "file"))
	}
	for _, name := range slices.Sorted(maps.Keys(lock.Modules)) {
		fmt.Fprintf(&b, "module   %s  sha256 %s\n", oneLine(name), lock.Modules[name])
	}
	return b.String()
}
