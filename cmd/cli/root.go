package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"golem/core/fault"

	"golem/cmd/cli/acpcmd"
	"golem/cmd/cli/batchcmd"
	"golem/cmd/cli/clearcmd"
	"golem/cmd/cli/console"
	"golem/cmd/cli/hardencmd"
	"golem/cmd/cli/helpcmd"
	"golem/cmd/cli/importcmd"
	"golem/cmd/cli/libcmd"
	"golem/cmd/cli/logincmd"
	"golem/cmd/cli/mcpcmd"
	"golem/cmd/cli/personcmd"
	"golem/cmd/cli/projectcmd"
	"golem/cmd/cli/runcmd"
	"golem/cmd/cli/servecmd"
	"golem/cmd/cli/testcmd"
	"golem/cmd/cli/toolcmd"
	"golem/cmd/cli/tracecmd"
	"golem/cmd/cli/tui"
	"golem/cmd/cli/webcmd"
)

// commands are golem's commands. Each is a value with its flags, and a run over the
// console.
var commands = []func(*console.Console) *cobra.Command{
	runcmd.Command, runcmd.ChatCommand, runcmd.ConversationsCommand,
	projectcmd.InitCommand, importcmd.Command, projectcmd.CheckCommand, projectcmd.WorkersCommand, projectcmd.SkillsCommand, projectcmd.DescribeCommand, projectcmd.SchemaCommand, projectcmd.PackCommand, projectcmd.ModelsCommand,
	testcmd.Command, tracecmd.Command, clearcmd.Command, clearcmd.UndoCommand,
	logincmd.Command, personcmd.TrustCommand, personcmd.SecretCommand, personcmd.ApprovalsCommand,
	toolcmd.Command, hardencmd.Command, batchcmd.Command, batchcmd.WorkerCommand, libcmd.Command, mcpcmd.Command, acpcmd.Command, servecmd.Command, webcmd.Command,
	helpcmd.DocsCommand, helpcmd.ExplainCommand, versionCommand,
}

// newRoot returns the command tree.
func newRoot(con *console.Console) *cobra.Command {
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
  golem docs start                how to begin

Results go to standard output, everything else to standard error.
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration,
3 nobody could be asked: calls were denied, or nothing was written, 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return con.Print(con.Build.Line() + "\n")
			}
			return console.Alone(cmd, nil)
		},
	}
	// cobra's own version flag is not used: it would link text/template, and with it
	// every exported method of the program (3 MB).
	root.Flags().BoolVarP(&version, "version", "v", false, "version for golem")
	root.SetOut(&con.Pieces)
	root.SetErr(con.Err)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var text strings.Builder
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(&con.Pieces)
		fmt.Fprint(&con.Pieces, hung(con.Out, text.String()))
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var wrong *pflag.InvalidValueError
		if errors.As(err, &wrong) { // the text of the error names functions of Go
			err = fmt.Errorf("--%s %q is not a value of this flag (%s)", wrong.GetFlag().Name, wrong.GetValue(), wrong.GetFlag().Value.Type())
		}
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			if near := fault.Nearest(unknown.GetSpecifiedName(), flagNames(cmd)); near != "" {
				return console.Usage("%w", err).Hinting("did you mean --%s", near)
			}
		}
		return console.Usage("%w", err).Hinting("%s --help lists the flags", cmd.CommandPath())
	})
	for _, command := range commands {
		root.AddCommand(command(con))
	}
	for _, c := range root.Commands() {
		con.Commands = append(con.Commands, c.Name())
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	withOwnTexts(root)
	return root
}

// hung wraps a help text for the width of the terminal f, with the descriptions of
// flags in their column. If f is no terminal, it returns the text unchanged.
func hung(f *os.File, text string) string {
	if !console.IsTerminal(f) {
		return text
	}
	return tui.Hang(text, console.Columns(f))
}

// withCommand returns the arguments with the command first. If they name none, it adds
// "run": `golem DIR …` and `golem --model x DIR …` are runs. golem without arguments,
// on a terminal and in a project, is a chat.
func withCommand(c *console.Console, root *cobra.Command, args []string) []string {
	args = runcmd.WithResumed(args)
	run, _, err := root.Find([]string{"run"})
	if err != nil {
		return args
	}
	i, asked := firstWord(run.Flags(), args)
	switch {
	case len(args) == 0 && c.Env.Setting("PROJECT") == "" && runcmd.InProject(c):
		return []string{"chat", "."}
	case i < 0 && (asked || len(args) == 0 && c.Env.Setting("PROJECT") == ""):
		return args
	case i >= 0 && isCommand(root, args[i]):
		rest := append([]string{args[i]}, args[:i]...)
		return append(rest, args[i+1:]...)
	}
	return append([]string{"run"}, args...)
}

func isCommand(root *cobra.Command, word string) bool {
	switch word {
	case "help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return true
	}
	return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == word })
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
