package libcmd

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/toolcmd"
)

func lockCommand(c *console.Console) *cobra.Command {
	return toolcmd.LockCommand(c, "golem lib lock", true, &cobra.Command{
		Short: "pin a project's libraries and modules by digest, in golem.lock",
		Long: `Writes the version and the SHA-256 of every file of the libraries that a project
uses, and of its tool modules and their descriptions, to golem.lock. From then on
golem refuses a file that has changed or is not in the list, when it is opened.
This command runs no module and uses no network.`,
	}, lockLibraries)
}

// lockLibraries writes golem.lock again and prints what it pins.
func lockLibraries(c *console.Console, root string, p *project.Project, modules []project.Module) error {
	lock, err := p.Modules.NewLock(modules)
	if err != nil {
		return err
	}
	name := filepath.Join(root, config.LockFile)
	old, err := c.ReadFile(name, config.MaxLock)
	if err != nil && len(lock.Libraries)+len(lock.Modules) == 0 {
		return fault.New(fault.NotFound, "the project uses no library and no tool module: there is nothing to pin")
	}
	data, err := lock.Encode()
	if err != nil {
		return err
	}
	text := lockText(lock)
	if bytes.Equal(old, data) {
		return c.Print(text + config.LockFile + ": unchanged\n")
	}
	tmp, err := disk.Beside(name, data)
	if err == nil {
		defer os.Remove(tmp)
		err = os.Rename(tmp, name)
	}
	if err != nil {
		return fault.New(fault.Lock, "%s could not be written: %s", config.LockFile, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "make the project's directory writable"))
	}
	return c.Print(text + config.LockFile + ": written\n")
}

func lockText(lock config.Lock) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(lock.Libraries)) {
		lib := lock.Libraries[name]
		fmt.Fprintf(&b, "library  %s  %s\n", strings.TrimSpace(name+" "+ui.OneLine(lib.Version)), fault.Count(len(lib.Files), "file"))
	}
	for _, name := range slices.Sorted(maps.Keys(lock.Modules)) {
		fmt.Fprintf(&b, "module   %s  sha256 %s\n", ui.OneLine(name), lock.Modules[name])
	}
	return b.String()
}
