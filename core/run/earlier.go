package run

import (
	"golem/core/conversation"
	"golem/core/model"
	"golem/core/prompt"
	"golem/core/trace"
)

// Earlier is a message of a conversation that another program keeps, see Input.Earlier.
type Earlier struct {
	Worker      bool // the worker said it; false: the person did
	Text        string
	Attachments []File // of the person
}

// saidBefore returns the messages that were said before the first one of a session, with their
// files.
func saidBefore(s *Session, in Input) ([]model.Message, error) {
	f := s.run
	var out []model.Message
	for _, e := range in.Earlier {
		if e.Worker {
			out = append(out, model.Message{Role: model.Assistant, Text: e.Text})
			continue
		}
		files := fromOutside(e.Attachments)
		if err := checkAttachments(f.worker, files); err != nil {
			return nil, err
		}
		listed, err := f.sight.attach(files)
		if err != nil {
			return nil, err
		}
		s.tree.taint.attached(f.event(nil), len(files) > 0, false)
		out = append(out, model.Message{Role: model.User, Text: prompt.Task(e.Text, nil, nil, listed), Parts: attachedParts(files, &f.place)})
	}
	return out, nil
}

func (e Earlier) role() string {
	if e.Worker {
		return string(model.Assistant)
	}
	return string(model.User)
}

// earlierRefs returns what was said before as the trace has it.
func earlierRefs(in Input) []trace.Message {
	var out []trace.Message
	for _, e := range in.Earlier {
		out = append(out, trace.Message{Role: e.role(), Text: e.Text, Files: fileRefs(Input{Attachments: e.Attachments})})
	}
	return out
}

// keptEarlier returns what was said before as an entry has it.
func keptEarlier(in Input) []conversation.Earlier {
	var out []conversation.Earlier
	for _, e := range in.Earlier {
		out = append(out, conversation.Earlier{Worker: e.Worker, Text: e.Text, Files: keptFiles(e.Attachments)})
	}
	return out
}

func earlierOf(kept []conversation.Earlier) []Earlier {
	var out []Earlier
	for _, e := range kept {
		out = append(out, Earlier{Worker: e.Worker, Text: e.Text, Attachments: filesOf(e.Files)})
	}
	return out
}
