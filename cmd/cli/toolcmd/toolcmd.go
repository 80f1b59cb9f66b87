// Package toolcmd is golem tool: making, fetching, inspecting, locking, packing and calling
// custom tools.
package toolcmd

import (
	"github.com/spf13/cobra"

	"golem/cmd/cli/console"
)

// Command returns golem tool, the commands for custom tools (SPEC §6, §12).
func Command(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "make, add, pack, inspect and call custom tools (.wasm files)",
		Long: `Custom tools are .wasm files in a project's tools/ folder.

  golem tool new DIR --lang go         write a tool to begin with
  golem tool build FILE.js             make a module of JavaScript or TypeScript
  golem tool pack FILE --tools F.yaml  put its description into the module
  golem tool inspect FILE              show what a module is and would need
  golem tool call FILE NAME JSON       call a tool, without a model
  golem tool lock [DIR]                pin a project's modules by digest
  golem tool add SOURCE                fetch a module, show what it is, pin it
  golem tool update [NAME]             fetch again what was added, show what changed`,
		Args: cobra.NoArgs,
		RunE: console.Alone,
	}
	cmd.AddCommand(newCommand(c), buildCommand(c), packCommand(c), inspectCommand(c), callCommand(c), lockToolsCommand(c), addCommand(c), updateCommand(c))
	return cmd
}
