package main

import (
	"github.com/spf13/cobra"

	"golem/cmd/cli/console"
)

func versionCommand(c *console.Console) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "version", Short: "print golem's version, its commit and the commit's date", Args: console.Words(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				return c.Print(c.Build.Line() + "\n")
			}
			return c.PrintJSON(struct {
				Golem string `json:"golem"`
				V     int    `json:"v"`
				console.Build
			}{"version", 1, c.Build})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return cmd
}
