package core

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// chat carries out what a person says in one chat.
type chat struct {
	session  *run.Session
	ui       ui.UI
	options  RunOptions
	platform *Platform
	values   *values
	titles   bool // the model makes the title after the first answer
	undoing  undoing
	making   testMaking
	sending  string // the message that was sent last
}

// note passes a line that the person sent to the host of the chat, without known secrets; not
// one that looks like a key.
func (v *values) note(line string, to ChatHost) {
	if line = v.Redact(line); !trace.LooksLikeKey(line) {
		to.Said(line)
	}
}

// goOn restores a conversation, shows its title and its last messages, if they are asked for,
// and continues an exchange in which golem was killed. It returns false if the chat ends.
func (c *chat) goOn(ctx context.Context, keeping run.Keeping) bool {
	s, k := c.session, keeping.Kept
	pending, err := s.Resume(ctx)
	if err != nil {
		s.Fail(fault.Of(err, fault.Model))
		return false
	}
	resumed := fmt.Sprintf("resumed %s: %q, %s", keeping.Journal.ID, k.Title(), fault.Count(k.Messages(), "message"))
	s.Show(trace.Status{Level: "info", Text: resumed, Page: fmt.Sprintf("You go on with %q (messages: %d).", k.Title(), k.Messages())})
	said := slices.DeleteFunc(k.Said(), func(one conversation.Said) bool { return one.Who == "thought" })
	for _, one := range said[max(len(said)-2, 0):] {
		if text := one.Whole(); c.options.Recap && text != "" && one.Who != "tool" {
			s.Say("info", one.Who+": "+text)
		}
	}
	switch {
	case !pending:
		return true
	case keeping.Left:
		c.leaveStopped(ctx)
		return true
	}
	return c.exchange(ctx, s.Continue)
}

// leaveStopped ends an exchange in which golem was killed, and with which the person does not
// go on, as if they had stopped it: nothing is sent.
func (c *chat) leaveStopped(ctx context.Context) {
	stopped, stop := context.WithCancel(ctx)
	stop()
	c.session.Continue(stopped)
	c.session.Say("info", "nothing was sent: the message stays as a stopped one. /again sends it once more; the conversation goes on with your next message")
}

// carryOut carries out a line of the person, a command or a message. It returns false if the
// chat must end.
func (c *chat) carryOut(ctx context.Context, in run.Input) bool {
	s := c.session
	if err := in.Check(); err != nil {
		s.Fail(fault.Of(err, fault.Limit))
		return true
	}
	c.values.note(in.Text, c.options.host())
	if line, is := strings.CutPrefix(strings.TrimSpace(in.Text), "!"); is && c.options.host().Typed() {
		if !strings.HasPrefix(line, "!") {
			return c.shell(ctx, strings.TrimSpace(line))
		}
		in.Text = line
	}
	cmd, err := ui.ParseCommandFor(in.Text, c.options.host().CommandLine())
	if err != nil {
		s.Say("error", fault.Of(err, fault.Usage).Error())
		return true
	}
	switch cmd.Name {
	case ui.Exit:
		return false
	case ui.Message:
		if in.Text = cmd.Arg; !mention(s, c.options.host(), &in) {
			return true
		}
		c.sending = in.Text
		return c.exchange(ctx, func(ctx context.Context) run.Result { return s.Send(ctx, in) })
	case ui.Again:
		return c.exchange(ctx, func(ctx context.Context) run.Result { return c.resend(ctx, cmd.Arg) })
	}
	return !errors.Is(c.command(ctx, cmd), io.EOF)
}

// shell carries out !COMMAND.
func (c *chat) shell(ctx context.Context, line string) bool {
	if line == "" {
		c.session.Say("error", "! runs a command: write it after the !")
		return true
	}
	within, stop := c.options.host().Exchange(ctx)
	defer stop()
	out, err := run.Shell(within, c.session, line)
	switch {
	case err != nil && within.Err() != nil && ctx.Err() == nil:
		c.session.Say("warn", "stopped")
	case err != nil && !errors.Is(err, fault.Denied): // of a denied call, its own line says so
		c.session.Fail(fault.Of(err, fault.Tool))
	case err == nil:
		c.session.Say("info", shellText(out))
	}
	return true
}

// exchange runs one exchange and shows its error. It returns false if the chat must end,
// because no model could be opened and nobody is there to choose one.
func (c *chat) exchange(ctx context.Context, do func(context.Context) run.Result) bool {
	within, stop := c.options.host().Exchange(ctx)
	res := do(within)
	stop()
	if c.titles && res.Error == nil && run.TitlesOf(c.session).CanMake() {
		c.titles = false
		makeTitle(ctx, c.session, c.options.host())
	}
	switch {
	case res.Error == nil || ctx.Err() != nil:
	case res.Refused && c.session.Model() == "" && !c.options.Person:
		return false
	case res.Refused && c.session.Model() == "":
		c.session.Fail(res.Error)
		run.SayDraft(c.session, "your message was not sent; /model NAME chooses a model for this conversation", c.sending)
	case within.Err() != nil && res.Status == run.Interrupted:
		c.session.Say("warn", "stopped; the conversation goes on with your next message")
	default:
		c.session.Fail(res.Error)
	}
	return true
}

// host returns the program that a chat runs in.
func (ro RunOptions) host() ChatHost {
	if ro.Host == nil {
		return PlainChat{}
	}
	return ro.Host
}

// command carries out a slash command of a chat and shows its result or its error. It returns
// io.EOF if the chat ends.
func (c *chat) command(ctx context.Context, cmd ui.Command) error {
	s, args, text, title, err := c.session, "", "", "", error(nil)
	if cmd.Name == ui.Call { // it first asks the person for arguments
		cmd.Arg, args, _ = strings.Cut(cmd.Arg, " ")
		left := false
		if args == "" {
			args, left, err = fillForm(ctx, s, c.ui, cmd.Arg)
		}
		if left || err != nil {
			if err != nil {
				s.Fail(fault.Of(err, fault.Tool))
			}
			return err
		}
	}
	within, stop := c.options.host().Exchange(ctx)
	switch cmd.Name {
	case ui.Rewind:
		text, err = c.rewind(within, cmd.Arg)
	case ui.Compact:
		err = s.Compact(within)
	case ui.Ask, ui.Edits, ui.Plan:
		text, err = c.permit(approval.Permission(cmd.Name))
	case ui.Undo:
		text, err = c.undoing.carryOut(within, cmd.Arg, run.UndoRuns(s))
	case ui.Test:
		text, err = c.making.carryOut(within, cmd.Arg, s.ID())
	case ui.Title:
		text, title, err = carryOutTitle(within, s, cmd.Arg)
	case ui.New:
		s.Reset()
		text = "a new conversation"
	case ui.Tools:
		text = "tools: " + strings.Join(s.Tools(), ", ")
	case ui.Call:
		out, failed := s.Call(within, cmd.Arg, run.Input{Text: args})
		text, err = out.String(), failed
	case ui.Set:
		if strings.HasPrefix(cmd.Arg, "notify=") { // not a setting of the model but of the terminal
			text, err = c.hosted(within, cmd)
		} else {
			text, err = changeSettings(s, cmd.Arg)
		}
	case ui.Cost:
		text = costs(s)
	case ui.Help:
		text = ui.CommandHelp(c.options.host().CommandLine())
	default:
		text, err = c.hosted(within, cmd)
	}
	stopped := within.Err() != nil && ctx.Err() == nil
	stop()
	switch {
	case err == nil && text != "":
		s.Show(trace.Status{Level: "info", Text: text, Title: title})
	case err != nil && stopped:
		s.Say("warn", "stopped")
	case err != nil && cmd.Name == ui.Call:
		s.Fail(fault.Of(err, fault.Tool))
	case err != nil && err != io.EOF:
		s.Say("error", fault.Of(err, fault.Model).Error())
	}
	return err
}

// permit carries out /ask, /edits and /plan. Only a person who can be asked may widen: lines
// of a pipe can come from anywhere.
func (c *chat) permit(p approval.Permission) (string, error) {
	if p == approval.Edits && !c.options.Person {
		return "", fault.New(fault.Usage, "/edits approves calls, and nobody can be asked here").Hinting("type it at a terminal, or start with --approve-all")
	}
	if err := c.session.Approvals().Permit(p); err != nil {
		return "", err
	}
	return ui.PermissionText(p), nil
}

// resend carries out /again: it goes back to before a message of the person, by its number, or
// the last one, and sends that message once more.
func (c *chat) resend(ctx context.Context, arg string) run.Result {
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
	branched(s, id, n, "your message %d again", "the other answer", "", "")
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

// hosted carries out a command of the host, and /model, because the host shows the list of
// models.
func (c *chat) hosted(ctx context.Context, cmd ui.Command) (string, error) {
	s := c.session
	if cmd.Name == ui.Model && cmd.Arg != "" {
		if err := s.UseModel(ctx, cmd.Arg); err != nil {
			return "", err
		}
		return "the model is " + s.Model() + " now", nil
	}
	return c.options.host().Command(ctx, s, cmd)
}

// changeSettings carries out /set NAME=VALUE; /set NAME= removes the setting. It returns the
// settings as text.
func changeSettings(s *run.Session, arg string) (string, error) {
	if arg != "" {
		name, value, ok := strings.Cut(arg, "=")
		name = strings.TrimSpace(name)
		if !ok {
			return "", fault.New(fault.Usage, "/set takes NAME=VALUE").Hinting("for example /set temperature=0.2; /set temperature= takes it back")
		}
		changes := model.Settings{name: json.RawMessage("null")}
		if value = strings.TrimSpace(value); value != "" {
			raw, err := config.SettingValues(map[string]string{name: value})
			if err == nil {
				changes, err = model.ReadSettings(raw)
			}
			if err != nil {
				return "", err
			}
		}
		if err := s.Set(changes); err != nil {
			return "", err
		}
	}
	now, err := s.Settings()
	if len(now) == 0 || err != nil {
		return "no settings: the provider decides", err
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(now)) {
		b.WriteString(name + "=" + string(now[name]) + "\n")
	}
	return b.String(), nil
}

// costs returns the text that /cost shows.
func costs(s *run.Session) string {
	text := ui.Spent(s.Spent(), true)
	if text == "" {
		text = "nothing was used yet"
	}
	size, limit := s.Context()
	text += fmt.Sprintf("\nnext request: about %d tokens", size)
	if limit > 0 {
		text += fmt.Sprintf(" of %d", limit)
	}
	return text
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
	more := attachAgain(s, c.options.host(), in.Attachments, draft)
	if more != "" {
		more = "\nwith your next message: " + more
	}
	branched(s, id, n, "back before your message %d", "the other one", more, draft)
	return "", nil
}
