package core

import (
	"golem/core/fault"
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
		if s.to.mention(&in) {
			return in, true
		}
	}
}

// mention adds the files to a message that its text names with @. It returns false if one of
// them cannot be read: the message is not sent then, and goes back to the person.
func (c *chat) mention(in *run.Input) bool {
	files, note, err := c.options.host().Mentioned(in.Text)
	if err != nil {
		c.session.Say("error", fault.Of(err, fault.Attachment).Error())
		run.SayDraft(c.session, "your message was not sent", in.Text)
		return false
	}
	if note != "" {
		c.session.Say("info", note)
	}
	in.Attachments = append(in.Attachments, files...)
	return true
}
