package runcmd

import (
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"golem/core/project"

	"golem/cmd/cli/console"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/session"
	"golem/cmd/cli/target"
)

// ChatCommand returns golem chat.
func ChatCommand(c *console.Console) *cobra.Command {
	f := &runflags.Flags{}
	cmd := &cobra.Command{
		Use:   "chat [TARGET] [MESSAGE…]",
		Short: "talk with a project or a worker",
		Long: `Talks with a project or a worker: a message a line, from the terminal or from
standard input, until /exit or the end of input. /help lists the commands. On a
terminal, in a project, TARGET may be left out. In a directory that is not a
project, golem chat alone talks with golem's own worker assistant about the
directory: it reads, and asks before it does anything else.`,
		Example: `  golem chat .
  golem chat . --model ollama:qwen3
  golem chat . --resume
  golem chat main.worker "Hello"`,
		RunE: func(_ *cobra.Command, words []string) error {
			f.Command = "chat"
			if len(words) == 0 && f.Project == "" && !f.NoProject && c.Env.Setting("PROJECT") == "" {
				switch {
				case InProject(c):
					words = []string{"."} // as golem alone does
				case !target.IsProject(c, c.Dir):
					words = []string{target.Assistant}
				}
			}
			return session.OrJSON(c, f, runProject(c, f, words, true))
		},
	}
	f.Add(cmd.Flags(), "chat")
	runflags.Complete(c, cmd, f)
	return cmd
}

// InProject reports whether the current directory is a project and the standard streams
// are a terminal.
func InProject(c *console.Console) bool {
	files := os.DirFS(c.Dir)
	_, err := fs.Stat(files, "main.worker")
	return console.IsTerminal(c.In) && console.OneTerminal(c.Out, c.Err) && (err == nil || project.HasManifest(files))
}
