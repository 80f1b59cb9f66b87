package run

import (
	"context"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/prompt"
	"golem/core/trace"
)

// Steering has the messages that the person sends while an exchange runs (SPEC §11).
type Steering interface {
	// Steer returns the next message that can be delivered now. ok is false if there is
	// none, or a command comes first, which waits for the end of the exchange. It does not
	// wait.
	Steer() (in Input, ok bool)
}

// steer adds what the person sent meanwhile to the root's next request, if it is not the
// first one of its exchange.
func steer(ctx context.Context, f *workerRun) {
	from := f.tree.r.Steering
	if f.depth > 0 || from == nil || !works(f.conversation.Messages) {
		return
	}
	for {
		in, ok := from.Steer()
		if !ok {
			return
		}
		if err := deliver(ctx, f, in); err != nil {
			flt := fault.Of(err, fault.Usage)
			event := trace.NewError(flt)
			event.Message, event.Page = "your message was not delivered: "+flt.Message, nil
			f.emit(event)
		}
	}
}

// works reports whether a model has answered since the person's message.
func works(messages []model.Message) bool {
	for i := len(messages) - 1; i >= 0; i-- {
		switch m := messages[i]; {
		case m.Role == model.User && m.Note:
		case m.Role == model.User:
			return m.Inner
		default:
			return m.Role != model.System
		}
	}
	return false
}

// deliver adds one message to the conversation and keeps it. After an error nothing was
// added.
func deliver(ctx context.Context, f *workerRun, in Input) error {
	if err := guardReply(ctx, f, in); err != nil {
		return err
	}
	if err := checkMessage(f.worker, in, false); err != nil {
		return err
	}
	unread := in.unread()
	files, err := f.resources(ctx, in.Attachments)
	if err != nil {
		return err
	}
	in.Attachments = files
	if err := checkAttachments(f.worker, fromOutside(files)); err != nil {
		return err
	}
	kept := conversation.Entry{T: conversation.SteerEntry, Turn: f.conversation.Turns + 1, Input: keptInput(in)}
	if err := addSteering(f, in); err != nil {
		return err
	}
	f.tree.taint.attached(f.event(nil), len(files) > 0, unread)
	f.conversation.Question = nil
	f.emit(messageEvent(in, true))
	f.keepEntry(kept)
	return nil
}

// addSteering adds a message with its files to the next request.
func addSteering(f *workerRun, in Input) error {
	files := fromOutside(in.Attachments)
	listed, err := f.sight.attach(files)
	if err != nil {
		return err
	}
	f.conversation.Add(model.Message{
		Role: model.User, Text: prompt.Task(in.Text, in.JSON, nil, listed), Parts: attachedParts(files, &f.place),
	})
	return nil
}

// messageEvent returns the event of a message of the person.
func messageEvent(in Input, steering bool) trace.Message {
	text := in.Text
	if text == "" {
		text = string(in.JSON)
	}
	return trace.Message{Role: "user", Text: text, Files: fileRefs(in), Steering: steering}
}

// fileRefs returns the names and sizes of the files of a message.
func fileRefs(in Input) []trace.FileRef {
	var out []trace.FileRef
	for _, f := range in.Attachments {
		out = append(out, trace.FileRef{Name: f.Name, Bytes: len(f.Data)})
	}
	return out
}
