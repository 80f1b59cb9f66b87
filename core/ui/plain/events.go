package plain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/view"
)

// Emit shows an event. While a person is being asked, it keeps the event and shows it
// after the answer.
func (p *UI) Emit(e trace.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready()
	p.state.Event(e, time.Now())
	if p.asking {
		p.held = append(p.held, e)
		return
	}
	p.show(e)
}

func (p *UI) show(e trace.Event) {
	switch b := e.Body.(type) {
	case trace.Progress:
		if p.Quiet {
			p.printLine(p.bullet(e.Depth, b))
		}
	case trace.Warning:
		if b.Level == "info" {
			p.statusLine(e, trace.Status{Level: b.Level, Text: b.Message})
			return
		}
		p.alert(e, "warning: "+string(b.Code)+": "+b.Message, ui.Warn)
	case trace.Error:
		p.answer.failed, p.answer.due = inChat(p, (&fault.Fault{Code: b.Code, Message: b.Message, Hint: b.Hint}).Error()), false
		p.alert(e, "error: "+p.answer.failed, ui.Bad)
	case trace.Status:
		p.statusLine(e, b)
	case trace.Delta, trace.ModelEnd:
		p.text(e)
	case trace.Reasoning:
		if b.Over != nil && e.Depth == 0 && !p.Quiet {
			p.thought(e.ID, b.Over)
		}
	default:
		if !p.Quiet {
			p.flow(e)
		}
	}
}

// inChat returns a text in the words of a chat, if p is the front end of one.
func inChat(p *UI, text string) string {
	if p.Input == nil {
		return text
	}
	return ui.InChat(text)
}

// bullet returns one line of summary mode (S4-37, S4-40).
func (p *UI) bullet(depth int, b trace.Progress) string {
	sign, suffix, role := "○", "", ui.Faint
	switch b.Status {
	case "complete":
		sign, role = "✓", ui.Good
	case "running":
		sign, role = "●", ui.Body
	case "failed":
		suffix, role = " failed", ui.Bad
	}
	text := ui.SafeLine(b.Description) + suffix
	if b.Task != "" {
		text += ": " + ui.Clip(ui.SafeLine(b.Task), ui.BriefWidth)
	}
	return strings.Repeat("  ", max(depth, 0)) + role.Paint(p.Color, sign) + " " + text
}

func (p *UI) alert(e trace.Event, text string, role ui.Role) {
	text = ui.SafeLine(text)
	if b := p.frames.blockOf(e.ID); b != p.frames.root && !p.Quiet {
		b.line(text)
		return
	}
	p.endText()
	text = p.fitted(text)
	if p.frames.root.open != nil && !p.Quiet {
		p.frames.root.line(text)
		return
	}
	p.put(role.Paint(p.Color, text) + "\n")
}

// fitted breaks a line of golem's own between words, to fit the screen.
func (p *UI) fitted(text string) string {
	if w := p.columns(); w > 0 {
		return strings.Join(ui.Wrap(text, w-2), "\n  ")
	}
	return text
}

func (p *UI) statusLine(e trace.Event, b trace.Status) {
	switch b.Level {
	case "warn":
		p.alert(e, "warning: "+b.Text, ui.Warn)
	case "error":
		b.Text = inChat(p, b.Text)
		p.answer.failed = b.Text
		p.answer.due = p.answer.due && e.Depth > 0
		p.alert(e, "error: "+b.Text, ui.Bad)
	default:
		if !p.Quiet {
			for _, l := range ui.SafeLines(b.Text) {
				p.note(e.ID, l)
			}
		}
	}
}

// text shows the answers of models.
func (p *UI) text(e trace.Event) {
	if e.Depth > 0 {
		if !p.Quiet {
			p.childText(e)
		}
		return
	}
	switch b := e.Body.(type) {
	case trace.Delta:
		if b.Reset {
			p.reset()
			return
		}
		p.answer.turn.WriteString(b.Text)
		if p.Answers == nil && !p.Quiet {
			p.answer.streamed = true
			p.stream.write(ui.Safe(b.Text))
		}
	case trace.ModelEnd:
		p.modelEnd(b)
	}
}

// thought shows that the root's model has reasoned; with Verbose also what.
func (p *UI) thought(id string, spent *trace.Reasoned) {
	p.endText()
	p.note(id, ui.Faint.Paint(p.Color, ui.Thought(spent)))
	if !p.Verbose {
		return
	}
	for _, it := range slices.Backward(p.state.Items) {
		if it.Kind == view.Thought {
			for _, l := range ui.SafeLines(strings.TrimSpace(it.Text())) {
				p.note(id, "    "+l)
			}
			return
		}
	}
}

func (p *UI) reset() {
	p.answer.turn.Reset()
	if p.stream.midline() || p.answer.streamed {
		p.endText()
		p.put("(the stream broke off; the answer starts over)\n")
	}
	p.answer.streamed = false
}

// modelEnd ends a turn of the root. If the turn makes no calls, its text is an answer.
func (p *UI) modelEnd(b trace.ModelEnd) {
	text := b.Text
	if text == "" {
		text = p.answer.turn.String()
	}
	streamed := p.answer.streamed
	p.answer.turn.Reset()
	p.answer.streamed = false
	p.stream.end()
	switch {
	case len(b.Calls) == 0:
		p.answer.text, p.answer.due = text, !streamed
	case !streamed && !p.Quiet && strings.TrimSpace(text) != "":
		p.stream.write(ui.Safe(text))
		p.stream.end()
	}
}

func (p *UI) childText(e trace.Event) {
	b := p.frames.blockOf(e.ID)
	if b.text == nil { // no worker.start event came for this run
		return
	}
	switch body := e.Body.(type) {
	case trace.Delta:
		if body.Reset {
			b.text.end()
			b.line("(the stream broke off; the answer starts over)")
			b.streamed = false
			return
		}
		b.streamed = true
		b.text.write(ui.Safe(body.Text))
	case trace.ModelEnd:
		if !b.streamed && body.Text != "" {
			b.text.write(ui.Safe(body.Text))
		}
		b.streamed = false
		b.text.end()
	}
}

// flow shows the events that summary mode leaves out: input, calls, workers, retries,
// diffs, staged items.
func (p *UI) flow(e trace.Event) {
	switch b := e.Body.(type) {
	case trace.RunStart:
		if !p.Resumed {
			p.printMessage(b.Input)
		}
	case trace.Message:
		if raw, err := json.Marshal(b.Text); err == nil && b.Role == "user" {
			p.printMessage(raw)
		}
	case trace.WorkerStart:
		if e.Depth > 0 {
			p.frames.root.width = p.frame()
			p.frames.open[e.ID] = p.frames.blockOf(e.Parent).begin(ui.SafeLine(e.Worker), p.state.Call(e.ID).Task)
			p.frames.drawn[e.ID] = true
		}
	case trace.WorkerEnd:
		p.workerEnd(e, b)
	case trace.ToolEnd:
		p.toolEnd(e, b)
	case trace.Retry:
		p.noteWrapped(e.ID, fmt.Sprintf("retrying in %.1f s: %s", float64(b.WaitMS)/1000, ui.SafeLine(string(b.Code)+" "+b.Message)))
	case trace.Fallback:
		p.noteWrapped(e.ID, ui.SafeLine(b.Text()))
	case trace.Diff:
		switch {
		case b.Before == b.After:
			p.note(e.Parent, "  "+ui.SafeLine(b.Path)+" is unchanged")
		case b.Patch != "" && !p.state.Asked(e.ID):
			p.patch(e.Parent, b.Patch)
		}
	case trace.Clearance:
		p.clearance(e, b)
	}
}

// maxPatch is how many lines of a diff that nobody was asked about are shown, unless Verbose.
const maxPatch = 40

// patch shows a diff, or its beginning.
func (p *UI) patch(parent, text string) {
	shown, more := text, 0
	if !p.Verbose {
		shown, more = firstLines(text, maxPatch)
	}
	for _, l := range ui.SafeLines(shown) {
		p.note(parent, "  "+ui.Clip(l, maxPatchLine))
	}
	if more > 0 {
		p.note(parent, fmt.Sprintf("  … %d more lines (--verbose shows them)", more))
	}
}

// maxPatchLine is the longest line of such a diff, in characters.
const maxPatchLine = 400

// firstLines returns the first n lines of a text, and how many more there are.
func firstLines(text string, n int) (first string, more int) {
	at := 0
	for range n {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return text, 0
		}
		at += end + 1
	}
	rest := text[at:]
	more = strings.Count(rest, "\n")
	if rest != "" && !strings.HasSuffix(rest, "\n") {
		more++
	}
	return text[:at], more
}

// printMessage prints the person's message, unless the person typed it on this terminal.
func (p *UI) printMessage(raw json.RawMessage) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	if p.Prompts || strings.TrimSpace(text) == "" {
		return
	}
	p.endText()
	said := p.prose(ui.Span{Text: youPrefix})
	shown, more := beginning(text, maxEcho)
	said.write(ui.Safe(shown))
	if more > 0 {
		said.write(fmt.Sprintf("\n… %d more bytes", more))
	}
	said.end()
	p.put("\n")
}

// maxEcho is how much of a person's input is shown, in bytes: the input may be a file of
// megabytes.
const maxEcho = 16 << 10

// beginning returns at most limit bytes of a text, cut between two characters, and how
// many bytes it leaves out.
func beginning(text string, limit int) (shown string, more int) {
	shown = fault.Head(text, limit)
	return shown, len(text) - len(shown)
}

func (p *UI) workerEnd(e trace.Event, b trace.WorkerEnd) {
	block, ok := p.frames.open[e.ID]
	if !ok || block == p.frames.root {
		return
	}
	block.text.end()
	if b.Error != nil {
		block.line("failed: " + ui.SafeLine(b.Error.Error()))
	}
	delete(p.frames.open, e.ID)
	block.end()
}

// toolEnd shows a call that has ended, unless a worker's frame has shown it.
func (p *UI) toolEnd(e trace.Event, b trace.ToolEnd) {
	if p.frames.drawn[e.ID] {
		delete(p.frames.drawn, e.ID)
		return
	}
	c := p.state.Call(e.ID)
	call := c.Line()
	if c.Begun.IsZero() { // no tool.start came
		call = ui.SafeLine(b.Tool)
	}
	switch {
	case c.Status != view.OK:
		role := ui.Bad
		if c.Status == view.Denied {
			role = ui.Warn
		}
		p.done(e.Parent, "○", role, call+" "+c.Summary)
	case c.Summary != "":
		p.done(e.Parent, "✓", ui.Good, call+" — "+c.Summary)
	default:
		p.done(e.Parent, "✓", ui.Good, call)
	}
	for _, part := range b.Parts {
		p.note(e.Parent, "    "+ui.SafeLine(part.String()))
	}
	if p.Verbose {
		for _, l := range ui.ResultLines(b.Result) {
			p.note(e.Parent, "    "+l)
		}
	}
}

// done prints a line with a sign for a call that has ended. Outside frames it colours the
// sign and breaks the line between words; a frame breaks its lines itself.
func (p *UI) done(parent, sign string, role ui.Role, text string) {
	if p.frames.blockOf(parent) != p.frames.root {
		p.note(parent, sign+" "+text)
		return
	}
	p.note(parent, role.Paint(p.Color, sign)+" "+p.fitted(text))
}

// noteWrapped writes a line like note, and breaks it between words if it is not in a frame.
func (p *UI) noteWrapped(id, text string) {
	if p.frames.blockOf(id) == p.frames.root {
		text = p.fitted(text)
	}
	p.note(id, text)
}
