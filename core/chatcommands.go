package core

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/run"
	"golem/core/ui"
)

// command carries out a slash command of a chat and shows its result or its error. It returns
// io.EOF if the chat ends.
func (i *Instance) command(ctx context.Context, s *run.Session, u ui.UI, cmd ui.Command, ro RunOptions) error {
	within, stop := ctx, func() {}
	begin := func() context.Context {
		if ro.Exchange != nil {
			within, stop = ro.Exchange(ctx)
		}
		return within
	}
	if cmd.Name != ui.Call { // /tool first asks the person for arguments
		begin()
	}
	text, err := "", error(nil)
	switch cmd.Name {
	case ui.Rewind:
		text, err = i.rewind(within, s, cmd.Arg)
	case ui.Compact:
		err = s.Compact(within)
	case ui.New:
		s.Reset()
		text = "a new conversation"
	case ui.Tools:
		text = "tools: " + strings.Join(s.Tools(), ", ")
	case ui.Call:
		text, err = callTool(ctx, s, u, cmd.Arg, begin)
	case ui.Set:
		if strings.HasPrefix(cmd.Arg, "notify=") { // not a setting of the model but of the terminal
			text, err = i.hosted(within, s, cmd, ro)
		} else {
			text, err = changeSettings(s, cmd.Arg)
		}
	case ui.Cost:
		text = costs(s)
	case ui.Help:
		text = ui.CommandHelp(ro.Command != nil)
	default:
		text, err = i.hosted(within, s, cmd, ro)
	}
	stopped := within.Err() != nil && ctx.Err() == nil
	stop()
	switch {
	case err == nil && text != "":
		s.Say("info", text)
	case err != nil && stopped:
		s.Say("warn", "stopped")
	case err != nil && cmd.Name == ui.Call:
		s.Fail(fault.Of(err, fault.Tool))
	case err != nil && err != io.EOF:
		s.Say("error", fault.Of(err, fault.Model).Error())
	}
	return err
}

// again carries out /again: it goes back to before the person's last message, and sends that
// message once more.
func (i *Instance) again(ctx context.Context, s *run.Session) run.Result {
	id := i.platform.newID()
	in, n, err := s.Again(ctx, id)
	if err != nil {
		return run.Result{Status: run.Failed, Error: fault.Of(err, fault.Config)}
	}
	s.Say("info", fmt.Sprintf("your message %d again: this is the branch %s now; the other answer stays in the list of conversations", n, id))
	return s.Send(ctx, in)
}

// hosted carries out a command of the host, and /model, because the host shows the list of
// models.
func (i *Instance) hosted(ctx context.Context, s *run.Session, cmd ui.Command, ro RunOptions) (string, error) {
	if cmd.Name == ui.Model && cmd.Arg != "" {
		if err := s.UseModel(ctx, cmd.Arg); err != nil {
			return "", err
		}
		return "the model is " + s.Model() + " now", nil
	}
	switch {
	case ro.Command != nil:
		return ro.Command(ctx, s, cmd)
	case cmd.Name == ui.Model:
		return "the model is " + s.Model(), nil
	}
	return "", fault.New(fault.Platform, "/%s is a command of the command line", cmd.Name).Hinting("the page has a view or a button for it")
}

// callTool carries out /tool NAME ARGS. begin returns the context of the call; the person
// has given the arguments before.
func callTool(ctx context.Context, s *run.Session, u ui.UI, arg string, begin func() context.Context) (string, error) {
	name, args, _ := strings.Cut(arg, " ")
	if args == "" {
		given, ok, err := form(ctx, s, u, name)
		if !ok || err != nil {
			return "", err
		}
		args = given
	}
	out, err := s.Call(begin(), name, run.Input{Text: args})
	return out.String(), err
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
			raw, err := project.SettingValues(map[string]string{name: value})
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

// rewind carries out /rewind N. Without N it lists the messages.
func (i *Instance) rewind(ctx context.Context, s *run.Session, arg string) (string, error) {
	if arg == "" && s.ID() != "" {
		k, err := conversation.Read(&i.platform.State, s.ID())
		if err != nil || k.Messages() == 0 {
			return "you have said nothing yet", nil
		}
		var b strings.Builder
		for _, one := range k.Said() {
			if one.N > 0 {
				fmt.Fprintf(&b, "%d  %s\n", one.N, ui.Brief(one.Text))
			}
		}
		return b.String(), nil
	}
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 {
		return "", fault.New(fault.Usage, "/rewind takes the number of your message, from 1").Hinting("/rewind 3 goes back to before your third message")
	}
	id := i.platform.newID()
	if err := s.Rewind(ctx, n, id); err != nil {
		return "", fault.Of(err, fault.Config)
	}
	return fmt.Sprintf("back before your message %d: this is the branch %s now; the other one stays in the list of conversations", n, id), nil
}
