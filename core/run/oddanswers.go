package run

import (
	"fmt"
	"strings"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/prompt"
	"golem/core/trace"
)

// withoutImages replaces the newest images of the conversation by lines about them, if
// err says that the provider refused an image: otherwise every later request would be
// refused too. It reports whether the request can be made again.
func (f *workerRun) withoutImages(err error) bool {
	if !model.RefusedImage(err) {
		return false
	}
	names := f.conversation.DropImages()
	if len(names) == 0 {
		return false
	}
	f.keepEntry(conversation.Entry{T: conversation.ImagesEntry, Turn: f.conversation.Turns})
	f.conversation.Turns--
	how := ""
	if f.depth == 0 {
		how = "; in a chat, /rewind goes back to before it"
	}
	f.emit(trace.Warning{Code: fault.Model, Message: fmt.Sprintf("the provider refused %s, so a line stands in its place from now on (%s)%s", strings.Join(names, ", "), fault.Of(err, fault.Model).Message, how)})
	return true
}

// asksForWords deals with an empty answer right after results of tools, as some models end a
// turn when the work is done: the model is asked once for an answer in words. The second
// time, the empty answer counts, with a warning. It reports whether the model is asked.
func (f *workerRun) asksForWords(turn model.Turn) (asked bool) {
	if strings.TrimSpace(turn.Text) != "" || len(f.conversation.Messages) < 2 {
		return false
	}
	before := f.conversation.Messages[len(f.conversation.Messages)-2] // the last is this answer
	switch {
	case before.Role == model.ToolRole:
		f.conversation.Add(model.Message{Role: model.User, Text: prompt.NoAnswer, Inner: true})
		return true
	case before.Role == model.User && before.Inner && before.Text == prompt.NoAnswer:
		f.emit(trace.Warning{Code: fault.Model, Message: f.worker.ID + " ended its turn without an answer, also when it was asked for one: its answer is empty"})
	}
	return false
}

// mayEnd reports whether an empty answer to the messages can be the end of a turn: the
// work is done, and the model has nothing to add (SPEC §6). Messages of golem that asked
// for an answer, and empty answers before them, do not count.
func mayEnd(messages []model.Message) bool {
	for i := len(messages) - 1; i >= 0; i-- {
		switch m := messages[i]; {
		case m.Role == model.ToolRole:
			return true
		case m.Role == model.User && m.Inner, m.Role == model.Assistant && strings.TrimSpace(m.Text) == "" && len(m.Calls) == 0:
		default:
			return false
		}
	}
	return false
}
