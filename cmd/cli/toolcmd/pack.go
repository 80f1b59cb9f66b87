package toolcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/toolset"
	"golem/core/ui"
	"golem/core/wasmtool"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/toolhost"
)

func packCommand(c *console.Console) *cobra.Command {
	var description, out string
	cmd := &cobra.Command{
		Use:   "pack FILE.wasm --tools FILE.yaml [-o OUT.wasm]",
		Short: "put a tool's description into its module",
		Long: `Writes the description of a module's tools (YAML or JSON) into the module, as
the custom section golem.tools, and replaces a description that is there. golem
first checks that it can run the module. It writes the complete file or nothing.
Without -o it replaces FILE.`,
		Args: console.Words(1, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := (&runflags.Flags{Set: cmd.Flags()}).NotEmpty("output"); err != nil { // it would replace FILE
				return err
			}
			return packTool(c, words[0], description, out)
		},
	}
	cmd.Flags().StringVar(&description, "tools", "", "the description: tools.yaml")
	cmd.Flags().StringVarP(&out, "output", "o", "", "the module to write (default: FILE itself)")
	return cmd
}

func packTool(c *console.Console, file, description, out string) error {
	if description == "" {
		return console.Usage("--tools is missing").Hinting("name the file that describes the tools, such as tools.yaml")
	}
	if out == "" {
		out = file
	}
	module, err := toolhost.ReadModule(c, file)
	if err != nil {
		return err
	}
	text, err := c.ReadFile(description, toolhost.MaxSidecar)
	if err != nil {
		return fault.New(fault.NotFound, "the description %s cannot be read: %s", description, disk.Cause(err)).Hinting("--tools names a YAML or JSON file")
	}
	packed, err := wasmtool.Pack(module, text, description)
	if err != nil {
		return inFile(err, file)
	}
	t := toolhost.New(c, false)
	defer t.Close()
	return writeModule(c, t, out, packed, description)
}

// writeModule writes a module that golem can run and whose tools have names of their own, and
// prints what it has. described is the file that describes the tools.
func writeModule(c *console.Console, t *toolhost.Tools, out string, module []byte, described string) error {
	if err := disk.MayReplace(c.Path(out), out, disk.ModuleKind); err != nil {
		return err
	}
	target := c.Path(out)
	tmp, err := disk.Beside(target, module)
	if err != nil {
		return fault.New(fault.Usage, "%s could not be written: %s", out, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "name a file in an existing directory that you can write to"))
	}
	defer os.Remove(tmp)
	seen, err := toolhost.ModuleAt(c, t, out, tmp).Inspect(context.Background())
	if err != nil {
		return err
	}
	for _, t := range seen.Tools {
		if slices.Contains(toolset.Reserved(), t.Name) {
			return fault.New(fault.Config, "%s is the name of a built-in tool", t.Name).Hinting("give the tool another name").At(filepath.ToSlash(described), 0, 0)
		}
	}
	if err := os.Rename(tmp, target); err != nil {
		return fault.New(fault.Usage, "%s could not be written: %s", out, disk.Cause(err)).Hinting("name a file that golem can replace")
	}
	names := make([]string, len(seen.Tools))
	for i, t := range seen.Tools {
		names[i] = t.Name
	}
	return c.Print(fmt.Sprintf("%s: %s, %s\n", ui.OneLine(out), strings.Join(names, ", "), console.Bytes(seen.Size)))
}

// inFile adds a file to a fault that names none.
func inFile(err error, file string) error {
	var f *fault.Fault
	if errors.As(err, &f) && f.Where == nil {
		return f.At(filepath.ToSlash(file), 0, 0)
	}
	return err
}
