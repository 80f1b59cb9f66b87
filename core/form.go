package core

import (
	"context"
	"errors"

	"golem/core/run"
	"golem/core/ui"
)

// form asks a person for the arguments of a tool that they named without arguments (/tool
// NAME). It returns them as JSON, or "" if no argument is required. ok is false if the person
// left the form or an error occurred.
func form(ctx context.Context, s *run.Session, u ui.UI, name string) (args string, ok bool, err error) {
	if f, is := u.(ui.Former); is {
		fields := ui.Fields(s.Schema(name))
		if len(fields) == 0 || !fields[0].Required {
			return "", true, nil
		}
		answers, ok, err := f.Form(ctx, name, fields)
		if !ok || err != nil {
			s.Say("info", "the tool was not called")
			return "", false, err
		}
		args, err = ui.Arguments(fields, answers)
		return args, err == nil, err
	}
	args, err = ui.Fill(s.Schema(name), func(question string) (string, error) {
		s.Say("info", question)
		in, err := u.Prompt(ctx)
		if err != nil {
			return "", err
		}
		if cmd, err := ui.ParseCommand(in.Text); err == nil && cmd.Name == ui.Exit {
			return "", errLeft
		}
		return in.Text, nil
	})
	if errors.Is(err, errLeft) {
		s.Say("info", "the tool was not called")
		return "", false, nil
	}
	return args, err == nil, err
}

var errLeft = errors.New("the person left the form")
