package acpcmd

import (
	"encoding/json"
	"fmt"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"golem/core/approval"
	"golem/core/trace"
	"golem/core/ui"
)

// maxShown is how many bytes of a result the client is shown. The model gets all of it.
const maxShown = 64 << 10

// call is a call that runs, as the client knows it.
type call struct {
	id      acp.ToolCallId
	kind    acp.ToolKind
	title   string
	changes []acp.ToolCallContent
	places  []acp.ToolCallLocation
}

// Emit shows an event.
func (f *front) Emit(e trace.Event) {
	switch b := e.Body.(type) {
	case trace.Delta:
		if e.ID == root0 {
			f.delta(b)
		}
	case trace.ModelEnd:
		if e.ID == root0 {
			f.answered(b.Text)
			if p := f.session.current(); p != nil {
				p.cut.Store(b.Finish == "length" && len(b.Calls) == 0)
			}
		}
	case trace.Reasoning:
		if e.ID == root0 && b.Text != "" {
			f.session.agent.update(f.session.id, acp.UpdateAgentThoughtText(ui.Safe(b.Text)))
		}
	case trace.ToolStart:
		f.starts(e, b)
	case trace.Diff:
		f.changed(e, b)
	case trace.ToolEnd:
		f.ends(e, b)
	default:
		f.showOther(e)
	}
}

// root0 is the id of the root worker's run.
const root0 = "0"

// showOther shows what is no call and no part of an answer.
func (f *front) showOther(e trace.Event) {
	switch b := e.Body.(type) {
	case trace.Status:
		if b.Conversation != "" {
			f.branched(b.Conversation)
		}
		f.status(b)
	case trace.Warning:
		if b.Level == "info" {
			f.paragraph(b.Message)
			return
		}
		f.paragraph("warning: " + string(b.Code) + ": " + b.Message)
	case trace.Error:
		f.note(b)
	case trace.Retry:
		f.showLine(fmt.Sprintf("retrying in %.1f s: %s %s", float64(b.WaitMS)/1000, b.Code, b.Message))
	case trace.Fallback:
		f.showLine(b.Text())
	case trace.Permission:
		f.session.permitted(approval.Permission(b.Permission))
	case trace.Clearance:
		switch {
		case b.Error != nil:
			f.paragraph("clearance: " + b.Action + " " + b.Item + ": " + b.Error.Error())
		case b.Action == "pending":
			f.paragraph(b.Message + " (/clearance lists them)")
		default:
			f.showLine("clearance: " + b.Action + " " + b.Item + " " + b.Message)
		}
	}
}

// status shows a line: what a command returned is an answer, all else is said beside one.
func (f *front) status(b trace.Status) {
	p := f.session.current()
	command := p != nil && p.taken.Load() && p.command
	switch {
	case b.Level == "error":
		f.paragraph("error: " + b.Text)
	case b.Level == "warn":
		f.paragraph("warning: " + b.Text)
	case command:
		f.block(b.Text)
	default:
		f.showLine(b.Text)
	}
}

// branched notes that the chat went on in another conversation.
func (f *front) branched(id string) {
	f.mu.Lock()
	f.round++
	f.mu.Unlock()
	f.session.mu.Lock()
	f.session.conversation = id
	f.session.mu.Unlock()
}

// showLine shows a line that is no part of an answer.
func (f *front) showLine(text string) {
	f.session.agent.update(f.session.id, acp.UpdateAgentThoughtText(ui.Safe(text)+"\n"))
}

// paragraph shows a text as a paragraph of its own.
func (f *front) paragraph(text string) {
	f.text("\n\n"+strings.TrimSpace(ui.Safe(text))+"\n\n", true)
}

// block shows the result of a command as it is laid out.
func (f *front) block(text string) {
	text = strings.TrimRight(ui.Safe(text), "\n")
	if strings.Contains(text, "\n") {
		text = fenced(text)
	}
	f.text("\n\n"+text+"\n\n", true)
}

// fenced returns a text in a Markdown code block that it cannot close.
func fenced(text string) string {
	fence := fenceOf(text)
	return fence + "\n" + text + "\n" + fence
}

// text sends a part of an answer. White space at its beginning only separates it from what was
// sent before.
func (f *front) text(text string, gap bool) {
	f.mu.Lock()
	switch {
	case f.gap || !f.turn:
		text = strings.TrimLeft(text, "\n")
	case f.apart:
		text = "\n\n" + strings.TrimLeft(text, "\n")
	}
	f.turn, f.gap, f.apart = true, gap, false
	f.mu.Unlock()
	if text != "" {
		f.session.agent.update(f.session.id, acp.UpdateAgentMessageText(text))
	}
}

// delta shows a part of the root's answer while it arrives.
func (f *front) delta(b trace.Delta) {
	if b.Reset {
		f.mu.Lock()
		shown := f.streamed
		f.streamed = false
		f.mu.Unlock()
		if shown {
			f.paragraph("(the stream broke off; the answer starts over)")
		}
		return
	}
	f.mu.Lock()
	f.streamed = true
	f.mu.Unlock()
	f.text(ui.Safe(b.Text), false)
}

// answered ends a turn of the root.
func (f *front) answered(text string) {
	f.mu.Lock()
	shown := f.streamed
	f.streamed = false
	f.mu.Unlock()
	if !shown && strings.TrimSpace(text) != "" {
		f.text(ui.Safe(text), false)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.apart = f.turn && !f.gap
}

// starts shows the beginning of a call.
func (f *front) starts(e trace.Event, b trace.ToolStart) {
	c := &call{id: f.callID(e.ID), kind: kindOf(b.Tool, b.Kind), title: ui.CallLine(b.Tool, b.Args)}
	if b.Kind == "worker" {
		c.title = ui.SafeLine(b.Tool) + ": " + ui.TaskLine(b.Args)
	}
	if c.kind == acp.ToolKindExecute {
		f.session.agent.commands.started(b.Tool)
	}
	c.places = f.placesOf(e, b)
	f.mu.Lock()
	f.calls[e.ID] = c
	f.mu.Unlock()
	f.session.agent.update(f.session.id, acp.SessionUpdate{ToolCall: &acp.SessionUpdateToolCall{
		ToolCallId: c.id, Title: c.title, Kind: c.kind, Status: acp.ToolCallStatusInProgress, Locations: c.places, RawInput: rawArgs(b.Args),
	}})
}

// rawArgs returns the arguments of a call as the model sent them; nil for what is no JSON.
func rawArgs(args json.RawMessage) any {
	if len(args) == 0 || len(args) > maxShown || !json.Valid(args) {
		return nil
	}
	return args
}

// callID returns the client's id of a call.
func (f *front) callID(id string) acp.ToolCallId {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.round > 0 {
		return acp.ToolCallId(fmt.Sprintf("%d-%s", f.round, id))
	}
	return acp.ToolCallId(id)
}

// changed keeps the difference that a call made in a file.
func (f *front) changed(e trace.Event, b trace.Diff) {
	real := f.realPath(e, b.Path)
	changes, ok := changesOf(b.Patch, real)
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.calls[e.ID]
	if c == nil || real == "" || !ok || b.Before == b.After {
		return
	}
	c.changes = append(c.changes, changes...)
	c.places = []acp.ToolCallLocation{{Path: real, Line: firstLine(b.Patch)}}
}

// ends shows the end of a call.
func (f *front) ends(e trace.Event, b trace.ToolEnd) {
	f.mu.Lock()
	c := f.calls[e.ID]
	delete(f.calls, e.ID)
	f.mu.Unlock()
	if c == nil {
		return
	}
	if c.kind == acp.ToolKindExecute {
		f.session.agent.commands.running.Add(-1)
	}
	status, text := acp.ToolCallStatusCompleted, ""
	if b.Status == "ok" {
		text = strings.Join(ui.ResultLines(b.Result), "\n")
		if b.Text != "" {
			text = strings.TrimSpace(ui.Safe(b.Text) + "\n" + text)
		}
	} else {
		status, text = acp.ToolCallStatusFailed, ui.WhyNot(b)
	}
	content := c.changes
	if text != "" && len(content) == 0 || b.Status != "ok" {
		content = append(content, textContent(text))
	}
	for _, p := range b.Parts {
		content = append(content, partContent(p))
	}
	f.session.agent.update(f.session.id, acp.UpdateToolCall(c.id, acp.WithUpdateStatus(status), acp.WithUpdateContent(content), acp.WithUpdateLocations(c.places)))
}

// textContent returns a text as the content of a call, as it is laid out.
func textContent(text string) acp.ToolCallContent {
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + fmt.Sprintf("\n… %d more bytes", len(text)-maxShown)
	}
	return acp.ToolContent(acp.TextBlock(fenced(text)))
}

// partContent returns an image of a result, or a line about anything else.
func partContent(p trace.Part) acp.ToolCallContent {
	if p.Type == "image" && len(p.Data) < maxMessage/2 {
		return acp.ToolContent(acp.ImageBlock(p.Data, p.MIME))
	}
	return textContent(ui.SafeLine(p.String()))
}

// closing ends what the client still takes for running, and tells what is new.
func (t *talking) closing() {
	t.mu.Lock()
	open := t.calls
	t.calls = map[string]*call{}
	t.mu.Unlock()
	for _, c := range open {
		t.session.agent.update(t.session.id, acp.UpdateToolCall(c.id, acp.WithUpdateStatus(acp.ToolCallStatusFailed)))
	}
	if live := t.chat.live; live != nil {
		t.session.tellChanges(live)
	}
}
