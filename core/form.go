package core

import (
	"context"
	"errors"

	"golem/core/run"
	"golem/core/ui"
)

// fillForm asks a person for the arguments of a tool that they named without arguments (/tool
// NAME). It returns them as JSON, or "" if no argument is required. left says that the person
// left the form.
func fillForm(ctx context.Context, s *run.Session, u ui.UI, name string) (args string, left bool, err error) {
	if f, is := u.(ui.Former); is {
		fields := ui.Fields(s.Schema(name))
		if len(fields) == 0 || !fields[0].Required {
			return "", false, nil
		}
		answers, ok, err := f.Form(ctx, name, fields)
		if !ok || err != nil {
			s.Say("info", "the tool was not called")
			return "", true, err
		}
		args, err = ui.Arguments(fields, answers)
		return args, false, err
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
		return "", true, nil
	}
	return args, false, err
}

var errLeft = errors.New("the person left the form")
