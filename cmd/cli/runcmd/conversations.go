package runcmd

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/state"
	"golem/core/ui"
	"golem/sandbox/osfs"

	"golem/cmd/cli/clearcmd"
	"golem/cmd/cli/console"
	"golem/cmd/cli/home"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/session"
	"golem/cmd/cli/target"
)

// WithResumed joins --resume and the ID after it to one argument. Its value is
// optional, so that the flag parser would take the ID for TARGET.
func WithResumed(args []string) []string {
	for i, a := range args {
		if a == "--" {
			break
		}
		if (a == "--resume" || a == "--accept") && i+1 < len(args) && beginsRunID(args[i+1]) {
			out := append(append([]string{}, args[:i]...), a+"="+args[i+1])
			return append(out, args[i+2:]...)
		}
	}
	return args
}

// meantAsID returns an error if the input is a single word directly after --resume that
// is not an ID. The person probably meant the name of a conversation, but the word
// would be sent as a message to the newest one.
func meantAsID(c *console.Console, f *runflags.Flags, words []string) error {
	at := slices.Index(c.Args, "--resume") + 1
	if f.Resume == nil || *f.Resume != "" || len(words) != 1 || at == 0 || at == len(c.Args) || c.Args[at] != words[0] {
		return nil
	}
	if words[0] == "-" || strings.ContainsAny(words[0], " \n@") {
		return nil
	}
	return fault.New(fault.NotFound, "there is no conversation %s", words[0]).Hinting("golem conversations lists them; a message is written before --resume")
}

// beginsRunID reports whether s begins like such a name. An ID that is cut off then
// gives the error that it does not exist, and is not sent as a message.
func beginsRunID(s string) bool {
	ok, err := path.Match("[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]*", s)
	return ok && err == nil && !strings.ContainsAny(s, "./ ")
}

// ConversationsCommand returns golem conversations.
func ConversationsCommand(c *console.Console) *cobra.Command {
	var asJSON bool
	var search string
	cmd := &cobra.Command{
		Use:   "conversations [DIR|FILE.golem]",
		Short: "list the conversations that runs and chats kept",
		Long: `Lists the conversations that runs and chats kept in a directory, the newest
first: ID, time, status, turns, cost and title. --search WORDS lists those that
have all these words, in any case, in the title, a message or an answer.

  golem chat DIR --resume ID      go on with one
  golem chat DIR --resume ID --at 3
                                  go on before your third message, as a branch
  golem run DIR --resume ID       go on with a run that was interrupted or killed

They are in .golem/conversations, one file each; those of a packed project are in
$GOLEM_HOME/packs. golem keeps the 200 that were written last. rename ID TITLE gives
one a title, remove ID removes one. export ID -o FILE and import FILE move one to
another machine or to a page, and back.`,
		Args: console.Words(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := conversationsIn(c, args)
			if err != nil {
				return err
			}
			return listConversations(c, conversation.Search(s, conversation.List(s), search), asJSON, search)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	cmd.Flags().StringVar(&search, "search", "", "list only those that have all of `WORDS`")
	cmd.AddCommand(exportCommand(c), importCommand(c), renameCommand(c), removeCommand(c))
	return cmd
}

func renameCommand(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use: "rename ID TITLE [DIR]", Short: "give a conversation a title, of at most 60 characters",
		Args: console.Words(2, 3),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := conversationsIn(c, args[2:])
			if err != nil {
				return err
			}
			title, err := conversation.Rename(s, nil, args[0], args[1])
			if err != nil {
				return clearcmd.Failed(c, err)
			}
			return c.Print("the title of " + ui.OneLine(args[0]) + " is " + ui.OneLine(title) + "\n")
		},
	}
}

func removeCommand(c *console.Console) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "remove ID [DIR]", Short: "remove a conversation, which then cannot be resumed; it asks first",
		Args: console.Words(1, 2),
		RunE: func(_ *cobra.Command, args []string) error { return removeConversation(c, args[0], args[1:], yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "remove without asking")
	return cmd
}

func removeConversation(c *console.Console, id string, dir []string, yes bool) error {
	s, err := conversationsIn(c, dir)
	if err != nil {
		return err
	}
	what := id
	if k, err := conversation.Read(s, id); err == nil {
		what += " (" + ui.OneLine(k.Title()) + ")"
	} else if errors.Is(err, fault.NotFound) {
		return err
	}
	sure, err := c.Confirm(yes, "remove the conversation "+what+"?", "--yes removes the conversation "+what)
	if err != nil {
		return err
	}
	if !sure {
		return console.NotConfirmed(c, "nothing was removed")
	}
	if err := conversation.Remove(s, id); err != nil {
		return clearcmd.Failed(c, err)
	}
	return c.Print("removed: conversation " + ui.OneLine(what) + "\n")
}

// conversationsIn opens the store of what golem keeps in a directory, by default the
// current one.
func conversationsIn(c *console.Console, args []string) (*state.Store, error) {
	dir := target.OrProject(c, strings.Join(args, ""))
	if target.IsPack(dir) {
		return packConversations(c, dir)
	}
	c.Home.Judge(home.Ground{Root: c.Path(dir)})
	files, err := osfs.Open(c.Path(target.KeptIn(c, dir)))
	if err != nil {
		return nil, fault.Of(err, fault.NotFound).Hinting("name a directory in which golem ran")
	}
	s := c.Home.State(files, c.Path(dir))
	if !s.Kept() {
		return nil, c.Home.Missing("golem keeps no conversations here")
	}
	return &s, nil
}

// packConversations opens the store of what golem keeps of a packed project.
func packConversations(c *console.Console, word string) (*state.Store, error) {
	p, _, err := target.Find(c, target.Wanted{}, []string{word})
	if err != nil {
		return nil, err
	}
	s := machine.PackState(c, p)
	if !s.Kept() {
		return nil, c.Home.Missing("golem keeps no conversations here")
	}
	return &s, nil
}

func listConversations(c *console.Console, all []conversation.Listing, asJSON bool, search string) error {
	if asJSON {
		return c.PrintJSON(all)
	}
	switch {
	case len(all) == 0 && search != "":
		return c.Print("no conversation has the words " + ui.OneLine(search) + "\n")
	case len(all) == 0:
		return c.Print("no conversation was kept here yet\n")
	}
	return c.Print(session.ConversationTable(c.Out, all, nil))
}
