package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"
)

// again carries out /again: it goes back to before a message of the person, by its number, or
// the last one, and sends that message once more.
func (c *chat) again(ctx context.Context, arg string) run.Result {
	s, id, n := c.session, c.platform.newID(), 0
	if arg != "" {
		number, f := messageNumber(ui.Again, arg)
		if f != nil {
			return run.Result{Status: run.Failed, Error: f}
		}
		n = number
	}
	in, n, err := s.Again(ctx, n, id)
	if err != nil {
		return run.Result{Status: run.Failed, Error: fault.Of(err, fault.Config)}
	}
	s.SayBranch(id, n, fmt.Sprintf("your message %d again: this is the branch %s now; the other answer stays in the list of conversations", n, id), "")
	return s.Send(ctx, in)
}

// messageNumber reads the number of a message of the person.
func messageNumber(command ui.CommandName, arg string) (int, *fault.Fault) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 {
		return 0, fault.New(fault.Usage, "/%s takes the number of your message, from 1", command).Hinting("/%s 3 goes back to before your third message", command)
	}
	return n, nil
}

// rewind carries out /rewind N, and says which branch the chat is in now. Without N it lists the
// messages.
func (c *chat) rewind(ctx context.Context, arg string) (string, error) {
	s := c.session
	if arg == "" && s.ID() != "" {
		k, err := conversation.Read(&c.platform.State, s.ID())
		if err != nil || k.Messages() == 0 {
			return "you have said nothing yet", nil
		}
		var b strings.Builder
		for _, one := range k.Said() {
			if one.N > 0 {
				fmt.Fprintf(&b, "%d  %s\n", one.N, ui.Brief(one.Whole()))
			}
		}
		return b.String(), nil
	}
	n, wrong := messageNumber(ui.Rewind, arg)
	if wrong != nil {
		return "", wrong
	}
	id := c.platform.newID()
	in, _, err := s.Again(ctx, n, id)
	if err != nil {
		return "", fault.Of(err, fault.Config)
	}
	draft := cmp.Or(in.Text, string(in.JSON))
	text := fmt.Sprintf("back before your message %d: this is the branch %s now; the other one stays in the list of conversations", n, id)
	if names := c.attachAgain(in.Attachments, draft); names != "" {
		text += "\nwith your next message: " + names
	}
	s.SayBranch(id, n, text, draft)
	return "", nil
}

// attachAgain attaches the files of a message that the person took back to the next one, where
// files can be attached by a command. Those that the text names with @ go with it anyway. It
// returns the names of all files that are attached now.
func (c *chat) attachAgain(files []run.File, draft string) string {
	if len(files) == 0 || !c.options.host().CommandLine() {
		return ""
	}
	named, _, err := c.options.host().Mentioned(draft)
	if err != nil {
		named = nil
	}
	for _, f := range files {
		if !slices.ContainsFunc(slices.Concat(named, c.session.Attached()), func(n run.File) bool { return n.Name == f.Name }) {
			c.session.Attach(f)
		}
	}
	var names []string
	for _, f := range c.session.Attached() {
		names = append(names, ui.OneLine(f.Name))
	}
	return strings.Join(names, ", ")
}
