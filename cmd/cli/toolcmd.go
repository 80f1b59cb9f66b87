package main

import (
	"github.com/spf13/cobra"
)

// toolCommand returns golem tool, the commands for custom tools (SPEC §6, §12).
func (h *host) toolCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "make, add, pack, inspect and call custom tools (.wasm files)",
		Long: `Custom tools are .wasm files in a project's tools/ folder.

  golem tool new DIR --lang go         write a tool to begin with
  golem tool pack FILE --tools F.yaml  put its description into the module
  golem tool inspect FILE              show what a module is and would need
  golem tool call FILE NAME JSON       call a tool, without a model
  golem tool lock [DIR]                pin a project's modules by digest
  golem tool add SOURCE                fetch a module, show what it is, pin it
  golem tool update [NAME]             fetch again what was added, show what changed`,
		Args: cobra.NoArgs,
		RunE: h.alone,
	}
	cmd.AddCommand(h.toolNewCommand(), h.toolPackCommand(), h.toolInspectCommand(), h.toolCallCommand(), h.toolLockCommand(), h.toolAddCommand(), h.toolUpdateCommand())
	return cmd
}
