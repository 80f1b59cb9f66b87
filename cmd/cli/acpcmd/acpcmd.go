// Package acpcmd is golem acp: golem as the agent of an editor, over the Agent Client Protocol
// on standard input and output. Each session is a chat with a worker; its questions are put to
// the editor's user.
package acpcmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"golem/cmd/cli/console"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
	"golem/cmd/cli/telemetry"
)

// Command returns golem acp.
func Command(c *console.Console) *cobra.Command {
	f := &runflags.Flags{Command: "run"}
	cmd := &cobra.Command{
		Use: "acp [DIR]", Short: "be the agent of an editor (Agent Client Protocol)", Args: console.Words(0, 1),
		Long: `Speaks the Agent Client Protocol on standard input and output. An editor, such as
Zed, a JetBrains IDE, Neovim or Emacs, starts golem and shows the conversation, the
calls with their differences, and the questions.

Without DIR a session works on the directory that the editor has open: with its
project, or where none is, with golem's own worker assistant, as golem chat does.
With DIR it works on this project, if the editor's directory is in it. Conversations
are kept as those of golem chat.`,
		Example: `  golem acp
  golem acp notes --model ollama:qwen3`,
		RunE: func(_ *cobra.Command, words []string) error { return serveEditor(c, f, words) },
	}
	f.Add(cmd.Flags(), "serve")
	runflags.Complete(c, cmd, f)
	return cmd
}

// serveEditor serves until the client goes away or the person presses Ctrl+C.
func serveEditor(c *console.Console, f *runflags.Flags, words []string) error {
	if err := f.Refuse(); err != nil {
		return err
	}
	if len(words) == 0 && f.Project == "" && f.Trust {
		return console.Usage("--trust needs DIR: without it, the editor names the directories").Hinting("golem acp DIR --trust; golem trust DIR trusts one in later runs too")
	}
	for i, dir := range f.Lib {
		f.Lib[i] = c.Path(dir)
	}
	if len(words) > 0 || f.Project != "" { // what is wrong with DIR is said at once
		if _, _, err := target.Find(newConsole(c), f.Wanted(), words); err != nil {
			return err
		}
	}
	sender, err := telemetry.New(c, telemetry.Wanted{URL: f.OTLP, Contents: f.OTLPContents})
	if err != nil {
		return err
	}
	defer sender.Close()
	out := c.Out
	c.Out = c.Err // standard output carries the protocol and nothing else
	// If the client went away, a write returns an error and SIGPIPE does not end the process.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	ctx, stop := c.Interruptible(context.Background())
	defer stop()
	if !f.Quiet && console.IsTerminal(c.In) {
		c.Say("an editor starts this command and speaks with it here; docs/editors.md has the settings (golem docs editors)")
	}
	serve(ctx, c, f, words, sender, c.In, out)
	return nil
}
