package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"golem/core/fault"
	"golem/core/project"

	"golem/cmd/cli/tui"
)

// root returns the command tree.
func (h *host) root() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "golem [run] TARGET [INPUT…]",
		Short: "golem runs LLM workers",
		Long: `golem runs LLM workers: text files with a prompt and a configuration.

  golem DIR "what to do"          run a project
  golem FILE.worker "what to do"  run one worker
  golem chat DIR                  talk with it; golem alone does so in a project
  golem init DIR                  make a new project
  golem check DIR                 report every problem of a project

Results go to standard output, everything else to standard error.
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration,
3 done but calls were denied because nobody could be asked, 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return h.print(thisBuild().line() + "\n")
			}
			return h.alone(cmd, nil)
		},
	}
	// cobra's own version flag is not used: it would link text/template, and with it
	// every exported method of the program (3 MB).
	root.Flags().BoolVarP(&version, "version", "v", false, "version for golem")
	root.SetOut(&h.pieces)
	root.SetErr(h.err)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var text strings.Builder
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(&h.pieces)
		fmt.Fprint(&h.pieces, h.hung(h.out, text.String()))
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var wrong *pflag.InvalidValueError
		if errors.As(err, &wrong) { // the text of the error names functions of Go
			err = fmt.Errorf("--%s %q is not a value of this flag (%s)", wrong.GetFlag().Name, wrong.GetValue(), wrong.GetFlag().Value.Type())
		}
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			if near := fault.Nearest(unknown.GetSpecifiedName(), flagNames(cmd)); near != "" {
				return usage("%w", err).Hinting("did you mean --%s", near)
			}
		}
		return usage("%w", err).Hinting("%s --help lists the flags", cmd.CommandPath())
	})
	root.AddCommand(
		h.runCommand(), h.chatCommand(), h.initCommand(), h.checkCommand(), h.workersCommand(), h.describeCommand(), h.schemaCommand(), h.modelsCommand(),
		h.packCommand(), h.traceCommand(), h.conversationsCommand(), h.trustCommand(), h.secretCommand(), h.approvalsCommand(), h.clearanceCommand(), h.undoCommand(), h.toolCommand(), h.libCommand(), h.mcpCommand(), h.webCommand(), h.versionCommand(),
	)
	for _, c := range root.Commands() {
		h.commands = append(h.commands, c.Name())
	}
	addLater(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Short = "show the help of a command"
		case "completion":
			c.Short = "write a completion script for a shell"
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(cmd *cobra.Command, words []string) error {
				if len(words) == 0 {
					return h.alone(cmd, nil)
				}
				return usage("%s: there are no completions for %q", cmd.CommandPath(), words[0]).Hinting("known: bash, fish, powershell, zsh")
			}
		}
	}
	return root
}

// hung wraps a help text for the width of the terminal f, with the descriptions of
// flags in their column. If f is no terminal, it returns the text unchanged.
func (h *host) hung(f *os.File, text string) string {
	if !isTerminal(f) {
		return text
	}
	return tui.Hang(text, columns(f))
}

// alone runs a command without its subcommand: it prints the usage and returns exit
// code 2.
func (h *host) alone(cmd *cobra.Command, _ []string) error {
	fmt.Fprint(h.err, h.hung(h.err, cmd.UsageString()))
	return exitCode(exitUsage)
}

// words returns a check of the number of arguments. Its error shows the correct command
// line.
func words(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		wrong := "too few arguments"
		names := strings.Fields(cmd.Use)[1:]
		for _, name := range names[min(len(args), len(names)):] {
			if name[0] != '[' {
				wrong = name + " is missing"
				break
			}
		}
		switch {
		case len(args) > most:
			wrong = fmt.Sprintf("too many arguments, beginning with %q", args[most])
		case len(args) >= least:
			return nil
		}
		return usage("%s: %s", cmd.CommandPath(), wrong).Hinting("%s %s", cmd.Parent().CommandPath(), cmd.Use)
	}
}

// withCommand returns the arguments with the command first. If they name none, it adds
// "run": `golem DIR …` and `golem --model x DIR …` are runs. golem without arguments,
// on a terminal and in a project, is a chat.
func (h *host) withCommand(root *cobra.Command, args []string) []string {
	args = withResumed(args)
	run, _, err := root.Find([]string{"run"})
	if err != nil {
		return args
	}
	i, asked := firstWord(run.Flags(), args)
	switch {
	case len(args) == 0 && h.setting("PROJECT") == "" && h.inProject():
		return []string{"chat", "."}
	case i < 0 && (asked || len(args) == 0 && h.setting("PROJECT") == ""):
		return args
	case i >= 0 && isCommand(root, args[i]):
		rest := append([]string{args[i]}, args[:i]...)
		return append(rest, args[i+1:]...)
	}
	return append([]string{"run"}, args...)
}

// inProject reports whether the current directory is a project and the standard streams
// are a terminal.
func (h *host) inProject() bool {
	files := os.DirFS(h.dir)
	_, err := fs.Stat(files, "main.worker")
	return isTerminal(h.in) && oneTerminal(h.out, h.err) && (err == nil || project.HasManifest(files))
}

func isCommand(root *cobra.Command, word string) bool {
	switch word {
	case "help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return true
	}
	for _, c := range root.Commands() {
		if c.Name() == word {
			return true
		}
	}
	return false
}

// firstWord returns the index of the first argument that is neither a flag nor a flag's
// value, or -1. asked is true if help or the version was requested before it.
func firstWord(flags *pflag.FlagSet, args []string) (i int, asked bool) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return -1, asked
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			return i, asked
		}
		if a == "-h" || a == "--help" || a == "-v" && len(args) == 1 || a == "--version" {
			asked = true
		}
		if takesNext(flags, a) {
			i++
		}
	}
	return -1, asked
}

// takesNext reports whether the value of a flag is the argument after it.
func takesNext(flags *pflag.FlagSet, arg string) bool {
	name, long := strings.CutPrefix(arg, "--")
	name, _, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
	f := flags.Lookup(name)
	if !long {
		f = nil
		if len(name) == 1 { // a value may also follow the letter: -mscript:s.yaml
			f = flags.ShorthandLookup(name)
		}
	}
	return f != nil && !hasValue && f.NoOptDefVal == ""
}

// flagNames returns the names of a command's flags.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}
