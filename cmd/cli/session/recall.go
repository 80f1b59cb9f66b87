package session

import (
	"fmt"
	"slices"
	"strings"

	"golem/core"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/view"
)

// maxRecalled is how many messages, answers and calls of a conversation are shown when it
// goes on.
const maxRecalled = 200

// shownItems returns what was said in a kept conversation, for the screen of a chat. Calls in a row
// are one line.
func shownItems(inst *core.Instance, id string) (out []*view.Item) {
	kept := inst.Conversations()
	if kept == nil || id == "" {
		return nil
	}
	k, err := conversation.Read(kept, id)
	if err != nil {
		return nil // goOn says so
	}
	all := k.Said()
	if more := len(all) - maxRecalled; more > 0 {
		all = all[more:]
		out = append(out, view.Earlier(view.Notice, fault.Count(more, "earlier entry")+"; /export writes all to a file", nil))
	}
	var calls []string
	row := func() {
		if len(calls) > 0 {
			out = append(out, view.Earlier(view.Notice, "called "+strings.Join(calls, ", "), nil))
		}
		calls = nil
	}
	for _, one := range all {
		if one.Who == "tool" {
			name := ui.OneLine(one.Tool)
			if one.Error != nil {
				name += fmt.Sprintf(" (%s)", one.Error.Code)
			}
			if !slices.Contains(calls, name) {
				calls = append(calls, name)
			}
			continue
		}
		row()
		switch one.Who {
		case "you":
			var files []trace.FileRef
			for _, name := range one.Files {
				files = append(files, trace.FileRef{Name: name, Bytes: -1})
			}
			it := view.Earlier(view.You, one.Text, files)
			it.N = one.N
			out = append(out, it)
		case "thought":
			it := view.Earlier(view.Thought, one.Text, nil)
			if one.Spent != nil {
				spent := trace.Reasoned(*one.Spent)
				it.Spent = &spent
			}
			out = append(out, it)
		case "golem":
			out = append(out, view.Earlier(view.Golem, one.Text, nil))
		default:
			text := one.Text
			if one.Error != nil {
				text = one.Error.Error()
			}
			out = append(out, view.Earlier(view.Notice, text, nil))
		}
	}
	row()
	return out
}
