package core

import (
	"golem/core/fault"
	"golem/core/run"
)

// mention adds the files to a message that its text names with @. It returns false if one of
// them cannot be read: the message is not sent then, and goes back to the person.
func mention(s *run.Session, from ChatHost, in *run.Input) bool {
	files, note, err := from.Mentioned(in.Text)
	if err != nil {
		s.Say("error", fault.Of(err, fault.Attachment).Error())
		run.SayDraft(s, "your message was not sent", in.Text)
		return false
	}
	if note != "" {
		s.Say("info", note)
	}
	in.Attachments = append(in.Attachments, files...)
	return true
}
