package main

import (
	"github.com/spf13/cobra"

	"golem/cmd/cli/console"
)

// laterCommands are the commands that SPEC names and this version does not have yet, with
// what there is in their place.
var laterCommands = [][2]string{
	{"import", "golem init DIR makes a new project; golem check --fix changes files of llm-do and golem-forge"},
	{"login", "golem secret set NAME keeps a key; golem models lists the providers and their variables"},
}

// addLater adds the commands of a later version, without those that root has already.
// They are refused, not taken for a TARGET, so that a script does not change its meaning
// when the command comes. Help and completion do not show them.
func addLater(root *cobra.Command) {
	for _, c := range laterCommands {
		name, instead := c[0], c[1]
		if isCommand(root, name) {
			continue
		}
		root.AddCommand(&cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true, Long: "golem " + name + " is not in this version: " + instead + ".",
			RunE: func(*cobra.Command, []string) error {
				return console.Usage("golem %s: not in this version", name).Hinting("%s; a project or worker of that name: golem run %s", instead, name)
			},
		})
	}
}
