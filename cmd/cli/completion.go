package main

import (
	"github.com/spf13/cobra"

	"golem/cmd/cli/console"
)

// shells are the shells for which golem writes completions, with how their users install them.
var shells = map[string]string{
	"bash": `It needs the package bash-completion.

  golem completion bash > ~/.local/share/bash-completion/completions/golem
  source <(golem completion bash)    for this shell only`,
	"zsh": `DIR is a directory of your fpath. ~/.zshrc must have the line: autoload -U compinit; compinit

  golem completion zsh > DIR/_golem
  source <(golem completion zsh)    for this shell only`,
	"fish": `Write it once:

  golem completion fish > ~/.config/fish/completions/golem.fish
  golem completion fish | source    for this shell only`,
	"powershell": `Add this line to your profile ($PROFILE):

  golem completion powershell | Out-String | Invoke-Expression`,
}

// withOwnTexts gives cobra's commands help and completion golem's texts.
func withOwnTexts(root *cobra.Command) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Short = "show the help of a command"
			c.Long = "Shows the help of a command, as --help after the command does."
		case "completion":
			c.Short = "write a completion script for a shell"
			c.Long = `Writes a script with which Tab completes the commands and flags of golem in your shell.

  golem completion bash > ~/.local/share/bash-completion/completions/golem
  golem completion zsh > DIR/_golem    DIR is a directory of your fpath
  golem completion fish > ~/.config/fish/completions/golem.fish
  golem completion powershell | Out-String | Invoke-Expression

Begin a new shell after that.`
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(cmd *cobra.Command, words []string) error {
				if len(words) == 0 {
					return console.Alone(cmd, nil)
				}
				return console.Usage("%s: there are no completions for %q", cmd.CommandPath(), words[0]).Hinting("known: bash, fish, powershell, zsh")
			}
			for _, shell := range c.Commands() {
				shell.Short = "write the completion script for " + shell.Name()
				shell.Long = "Writes the completion script for " + shell.Name() + ". " + shells[shell.Name()]
				if f := shell.Flags().Lookup("no-descriptions"); f != nil {
					f.Usage = "leave out what commands and flags do"
				}
			}
		}
	}
}
