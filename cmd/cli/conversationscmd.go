package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/state"
	"golem/core/trace"
	"golem/core/ui"
	"golem/sandbox/osfs"
)

// withResumed joins --resume and the ID after it to one argument. Its value is
// optional, so that the flag parser would take the ID for TARGET.
func withResumed(args []string) []string {
	for i, a := range args {
		if a == "--" {
			break
		}
		if a == "--resume" && i+1 < len(args) && beginsRunID(args[i+1]) {
			out := append(append([]string{}, args[:i]...), a+"="+args[i+1])
			return append(out, args[i+2:]...)
		}
	}
	return args
}

// meantAsID returns an error if the input is a single word directly after --resume that
// is not an ID. The person probably meant the name of a conversation, but the word
// would be sent as a message to the newest one.
func (h *host) meantAsID(f *flags, words []string) error {
	at := slices.Index(h.args, "--resume") + 1
	if f.resume != newest || len(words) != 1 || at == 0 || at == len(h.args) || h.args[at] != words[0] {
		return nil
	}
	if words[0] == "-" || strings.ContainsAny(words[0], " \n@") {
		return nil
	}
	return fault.New(fault.NotFound, "there is no conversation %s", words[0]).Hinting("golem conversations lists them; a message is written before --resume")
}

// isRunID reports whether s has the form of a name that core.NewRunID makes, and so is no
// TARGET.
func isRunID(s string) bool {
	ok, err := path.Match("[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]-[0-9][0-9][0-9][0-9][0-9][0-9]-*", s)
	return ok && err == nil && !strings.ContainsAny(s, "./")
}

// beginsRunID reports whether s begins like such a name. An ID that is cut off then
// gives the error that it does not exist, and is not sent as a message.
func beginsRunID(s string) bool {
	ok, err := path.Match("[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]*", s)
	return ok && err == nil && !strings.ContainsAny(s, "./ ")
}

func (h *host) conversationsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "conversations [DIR]",
		Short: "list the conversations that runs and chats kept",
		Long: `Lists the conversations that runs and chats kept in a directory, the newest
first: ID, time, status, turns, cost and the first line of the first message.

  golem chat DIR --resume ID      go on with one
  golem chat DIR --resume ID --at 3
                                  go on before your third message, as a branch
  golem run DIR --resume ID       go on with a run that was interrupted or killed

They lie in .golem/conversations, one file each; the 200 that were written last
are kept. remove ID removes one.`,
		Args: words(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := h.conversationsIn(args)
			if err != nil {
				return err
			}
			return h.listConversations(conversation.List(s), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	cmd.AddCommand(h.exportConversation(), h.removeConversation())
	return cmd
}

func (h *host) exportConversation() *cobra.Command {
	return &cobra.Command{
		Use: "export ID [DIR]", Short: "write a conversation as Markdown to standard output",
		Args: func(cmd *cobra.Command, args []string) error { return words(1, 2)(cmd, args) },
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := h.conversationsIn(args[1:])
			if err != nil {
				return err
			}
			k, err := conversation.Read(s, args[0])
			if err != nil {
				return fault.Of(err, fault.Config)
			}
			text := k.Markdown()
			if isTerminal(h.out) { // a file gets the exact text, without control characters
				text = ui.Safe(text)
			} else {
				text = ui.Uncontrolled(text)
			}
			return h.print(text)
		},
	}
}

func (h *host) removeConversation() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "remove ID [DIR]", Short: "remove a conversation, which then cannot be resumed; it asks first",
		Args: func(cmd *cobra.Command, args []string) error { return words(1, 2)(cmd, args) },
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := h.conversationsIn(args[1:])
			if err != nil {
				return err
			}
			what := args[0]
			if k, err := conversation.Read(s, what); err == nil {
				what += " (" + oneLine(k.Title()) + ")"
			} else if errors.Is(err, fault.NotFound) {
				return err
			}
			sure, err := h.confirmed(&flags{}, yes, "remove the conversation "+what+"?", "--yes removes the conversation "+what)
			if err != nil {
				return err
			}
			if !sure {
				h.say("nothing was removed")
				return exitCode(exitFailed)
			}
			if err := conversation.Remove(s, args[0]); err != nil {
				return h.failedClearing(err)
			}
			return h.print("removed: conversation " + oneLine(what) + "\n")
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "remove without asking")
	return cmd
}

// conversationsIn opens the store of what golem keeps in a directory, by default the
// current one.
func (h *host) conversationsIn(args []string) (*state.Store, error) {
	dir := h.orProject(strings.Join(args, ""))
	files, err := osfs.Open(h.path(dir))
	if err != nil {
		return nil, fault.Of(err, fault.NotFound).Hinting("name a directory in which golem ran")
	}
	h.judgeHome(place{root: h.path(dir)})
	s := h.stateOf(files, h.path(dir))
	if !s.Kept() {
		return nil, h.homeless("golem keeps no conversations here")
	}
	return &s, nil
}

func (h *host) listConversations(all []conversation.Listing, asJSON bool) error {
	if asJSON {
		data, err := json.Marshal(all)
		if err != nil {
			return err
		}
		return h.print(string(data) + "\n")
	}
	if len(all) == 0 {
		return h.print("no conversation was kept here yet\n")
	}
	return h.print(conversationTable(h.out, all, false))
}

// conversationTable returns the list for people, as wide as f if f is a terminal. If
// numbered is true, each row begins with its number.
func conversationTable(f *os.File, all []conversation.Listing, numbered bool) string {
	rows := [][]string{{"ID", "TIME", "STATUS", "TURNS", "COST", "TITLE"}}
	for _, l := range all {
		u := trace.Usage{Cost: l.Usage.Cost, CostPartial: l.Usage.Unpriced}
		title := oneLine(l.Title)
		if l.From != nil {
			title += fmt.Sprintf("  (branch of %s before message %d)", oneLine(l.From.ID), l.From.At)
		}
		if l.Error != nil {
			title += "  " + oneLine(l.Error.Error())
		}
		rows = append(rows, []string{l.ID, whenText(l.Time), oneLine(l.Status), fmt.Sprint(l.Turns), u.CostText(), title})
	}
	if numbered {
		for i, row := range rows {
			n := "N"
			if i > 0 {
				n = fmt.Sprint(i)
			}
			rows[i] = append([]string{n}, row...)
		}
	}
	return table(narrowed(f, rows, "TIME", "COST", "TURNS"))
}
