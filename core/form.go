package core

import (
	"context"
	"encoding/json"

	"golem/core/run"
	"golem/core/ui"
)

// form asks for the arguments of a tool, one question a field, when a person names
// a tool that needs some and gives none (/tool NAME). ok is false if the person left.
func form(ctx context.Context, s *run.Session, u ui.UI, name string) (args string, ok bool, err error) {
	fields := ui.Fields(s.Schema(name))
	if len(fields) == 0 || !fields[0].Required {
		return "", true, nil
	}
	out := map[string]any{}
	for _, f := range fields {
		s.Say("info", f.Question())
		in, err := u.Prompt(ctx)
		if err != nil {
			return "", false, err
		}
		if cmd, err := ui.ParseCommand(in.Text); err == nil && cmd.Name == ui.Exit {
			s.Say("info", "the tool was not called")
			return "", false, nil
		}
		value, err := f.Value(in.Text)
		if err != nil {
			return "", false, err
		}
		if value != nil {
			out[f.Name] = value
		}
	}
	data, err := json.Marshal(out)
	return string(data), true, err
}
