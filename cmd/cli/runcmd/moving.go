package runcmd

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/clearcmd"
	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

func exportCommand(c *console.Console) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "export ID [DIR|FILE.golem]", Short: "write a conversation as Markdown, or with -o to a file that can be imported",
		Long: `Writes a conversation to standard output as Markdown, for reading.

With -o FILE it writes a file that golem conversations import reads on another
machine, and the page: the conversation, and the files that its calls changed as
they are now. Files with a secret that golem knows, and large ones, are only named.
-o - writes that to standard output; a FILE that ends in .md gets the Markdown.`,
		Args: console.Words(1, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if output == "" || strings.EqualFold(filepath.Ext(output), ".md") {
				return exportMarkdown(c, args[0], args[1:], output)
			}
			return exportFile(c, args[0], args[1:], output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE`, so that it can be imported elsewhere")
	return cmd
}

func importCommand(c *console.Console) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "import FILE [DIR|FILE.golem]", Short: "take over a conversation from another machine or a page; it asks first",
		Long: `Shows what is in a file that golem conversations export -o, or the page, wrote:
where it is from, what it says, and each change of a file as a difference. After a
yes it writes the files and keeps the conversation, so that --resume goes on with it.
Files that define the project are left out. golem undo puts the files back.`,
		Args: console.Words(1, 2),
		RunE: func(_ *cobra.Command, args []string) error { return importFile(c, args[0], args[1:], yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "import without asking")
	return cmd
}

func exportMarkdown(c *console.Console, id string, dir []string, output string) error {
	s, err := conversationsIn(c, dir)
	if err != nil {
		return err
	}
	k, err := conversation.Read(s, id)
	if err != nil {
		return err
	}
	text := ui.Uncontrolled(k.Markdown())
	if output != "" {
		return writeNew(c, output, []byte(text))
	}
	if console.IsTerminal(c.Out) { // a file gets the exact text, without control characters
		text = ui.Safe(k.Markdown())
	}
	return c.Print(text)
}

// exportFile writes a conversation so that it can be imported.
func exportFile(c *console.Console, id string, dir []string, output string) error {
	inst, done, err := projectOf(c, dir)
	if err != nil {
		return err
	}
	defer done()
	data, err := core.ExportConversation(inst, id)
	if err != nil {
		return clearcmd.Failed(c, err)
	}
	data = append(data, '\n')
	if output == "-" {
		return c.Print(string(data))
	}
	if err := writeNew(c, output, data); err != nil {
		return err
	}
	c.Say("%s: import it with golem conversations import FILE, or in the page under Conversations", ui.OneLine(output))
	return nil
}

// writeNew writes a file that must not exist yet.
func writeNew(c *console.Console, name string, data []byte) error {
	err := disk.WriteNew(c.Path(name), data, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fault.New(fault.Conflict, "%s exists already", ui.OneLine(name)).Hinting("name another file, or remove that one")
	case err != nil:
		return console.Usage("%s cannot be written: %s", ui.OneLine(name), disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "name a file in an existing directory that you can write to"))
	}
	return nil
}

// importFile shows what a file would bring, asks, and imports it.
func importFile(c *console.Console, name string, dir []string, yes bool) error {
	data, err := c.ReadFile(name, conversation.MaxExport)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "there is no file %s", ui.OneLine(name)).Hinting("golem conversations export ID -o FILE writes one")
	case errors.Is(err, disk.ErrTooLarge):
		return fault.New(fault.Limit, "%s has more than %d bytes, so it is not a conversation that golem exported", ui.OneLine(name), conversation.MaxExport)
	case err != nil:
		return console.Usage("%s cannot be read: %s", ui.OneLine(name), disk.Cause(err)).Hinting("name a file that golem conversations export ID -o FILE wrote")
	}
	inst, done, err := projectOf(c, dir)
	if err != nil {
		return err
	}
	defer done()
	plan, err := core.PlanImport(inst, data)
	if err != nil {
		return clearcmd.Failed(c, err)
	}
	for line := range strings.Lines(planText(plan)) {
		c.Say("%s", strings.TrimSuffix(line, "\n"))
	}
	sure, err := c.Confirm(yes, "import this conversation?", "--yes imports it")
	if err != nil {
		return err
	}
	if !sure {
		return console.NotConfirmed(c, "nothing was imported")
	}
	id, err := plan.Import(context.Background())
	if err != nil {
		return clearcmd.Failed(c, err)
	}
	return c.Print("imported: conversation " + id + "\n")
}

// projectOf opens the project of the conversations of a directory or a packed project. The
// caller calls done.
func projectOf(c *console.Console, args []string) (inst *core.Instance, done func(), err error) {
	word := target.OrProject(c, strings.Join(args, ""))
	if word == "." && !target.IsProject(c, c.Dir) {
		word = target.Assistant
	}
	p, _, err := target.Find(c, target.Wanted{Command: "conversations"}, []string{word})
	if err != nil {
		return nil, nil, err
	}
	t := toolhost.New(c, false)
	if inst, err = machine.Open(c, p, machine.Opening{}, t); err != nil {
		t.Close()
		return nil, nil, console.Faults(err).Err()
	}
	return inst, func() { t.Close() }, nil
}
