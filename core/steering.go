package core

import (
	"golem/core/run"
	"golem/core/ui"
)

// steering passes on the messages that a front end sends during an exchange.
type steering struct {
	from run.Steering
	to   *chat
}

// Steer returns the next message of the front end that can be sent.
func (s *steering) Steer() (run.Input, bool) {
	for {
		in, ok := s.from.Steer()
		if !ok {
			return in, false
		}
		s.to.values.note(in.Text, s.to.options.host())
		if cmd, err := ui.ParseCommand(in.Text); err == nil && cmd.Name == ui.Message {
			in.Text = cmd.Arg
		}
		if mention(s.to.session, s.to.options.host(), &in) {
			return in, true
		}
	}
}
