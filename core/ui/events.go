package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golem/core/trace"
)

// Emit shows an event. While a person is being asked, it keeps the event and shows it
// after the answer.
func (p *Plain) Emit(e trace.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready()
	p.waits.note(e, time.Now())
	if p.asking {
		p.held = append(p.held, e)
		return
	}
	p.show(e)
}

func (p *Plain) show(e trace.Event) {
	switch b := e.Body.(type) {
	case trace.Progress:
		if p.Quiet {
			p.printLine(p.bullet(e.Depth, b))
		}
	case trace.Warning:
		p.alert(e, "warning: "+string(b.Code)+": "+b.Message, yellow)
	case trace.Error:
		p.failed = faultText(b)
		p.told = true
		p.alert(e, "error: "+p.failed, red)
	case trace.Status:
		p.statusLine(e, b)
	case trace.Delta, trace.ModelEnd:
		p.text(e)
	default:
		if !p.Quiet {
			p.flow(e)
		}
	}
}

// bullet returns one line of summary mode (S4-37, S4-40).
func (p *Plain) bullet(depth int, b trace.Progress) string {
	sign, suffix, color := "○", "", dim
	switch b.Status {
	case "complete":
		sign, color = "✓", green
	case "running":
		sign, color = "●", ""
	case "failed":
		suffix, color = " failed", red
	}
	text := oneLine(b.Description) + suffix
	if b.Task != "" {
		text += ": " + clip(oneLine(b.Task), briefTask)
	}
	return strings.Repeat("  ", max(depth, 0)) + paint(p.Color, color, sign) + " " + text
}

func (p *Plain) alert(e trace.Event, text, color string) {
	text = oneLine(text)
	if b := p.at(e.ID); b != p.root && !p.Quiet {
		b.line(text)
		return
	}
	p.endText()
	text = p.fitted(text)
	if p.root.open != nil && !p.Quiet {
		p.root.line(text)
		return
	}
	p.put(paint(p.Color, color, text) + "\n")
}

// fitted breaks a line of golem's own between words, to fit the screen.
func (p *Plain) fitted(text string) string {
	if w := p.columns(); w > 0 {
		return strings.Join(wrap(text, w-2), "\n  ")
	}
	return text
}

func (p *Plain) statusLine(e trace.Event, b trace.Status) {
	switch b.Level {
	case "warn":
		p.alert(e, "warning: "+b.Text, yellow)
	case "error":
		p.failed = b.Text
		p.told = p.told || e.Depth == 0
		p.alert(e, "error: "+b.Text, red)
	default:
		if !p.Quiet {
			for _, l := range lines(b.Text) {
				p.note(e.ID, l)
			}
		}
	}
}

// text shows the answers of models.
func (p *Plain) text(e trace.Event) {
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
		p.turn.WriteString(b.Text)
		if p.Answers == nil && !p.Quiet {
			p.streamd = true
			p.stream.write(safe(b.Text))
		}
	case trace.ModelEnd:
		p.modelEnd(b)
	}
}

func (p *Plain) reset() {
	p.turn.Reset()
	if p.stream.midline() || p.streamd {
		p.endText()
		p.put("(the stream broke off; the answer starts over)\n")
	}
	p.streamd = false
}

// modelEnd ends a turn of the root. If the turn makes no calls, its text is an answer.
func (p *Plain) modelEnd(b trace.ModelEnd) {
	text := b.Text
	if text == "" {
		text = p.turn.String()
	}
	streamed := p.streamd
	p.turn.Reset()
	p.streamd = false
	p.stream.end()
	switch {
	case len(b.Calls) == 0:
		p.answer, p.told = text, streamed
	case !streamed && !p.Quiet && strings.TrimSpace(text) != "":
		p.stream.write(safe(text))
		p.stream.end()
	}
}

func (p *Plain) childText(e trace.Event) {
	b := p.at(e.ID)
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
		b.text.write(safe(body.Text))
	case trace.ModelEnd:
		if !b.streamed && body.Text != "" {
			b.text.write(safe(body.Text))
		}
		b.streamed = false
		b.text.end()
	}
}

// flow shows the events that summary mode leaves out: input, calls, workers, retries,
// diffs, staged items.
func (p *Plain) flow(e trace.Event) {
	switch b := e.Body.(type) {
	case trace.RunStart:
		if !p.Resumed {
			p.you(b.Input)
		}
	case trace.Message:
		if raw, err := json.Marshal(b.Text); err == nil && b.Role == "user" {
			p.you(raw)
		}
	case trace.WorkerStart:
		if e.Depth > 0 {
			p.root.width = p.frame()
			p.blocks[e.ID] = p.at(e.Parent).begin(oneLine(e.Worker), p.tasks[e.ID])
			p.framed[e.ID] = true
		}
	case trace.WorkerEnd:
		p.workerEnd(e, b)
	case trace.ToolStart:
		p.running[e.ID] = callLine(b.Tool, b.Args)
		if b.Kind == "worker" {
			p.tasks[e.ID] = taskLine(b.Args)
		}
	case trace.ToolEnd:
		p.toolEnd(e, b)
	case trace.Retry:
		p.tell(e.ID, fmt.Sprintf("retrying in %.1f s: %s", float64(b.WaitMS)/1000, oneLine(string(b.Code)+" "+b.Message)))
	case trace.Diff:
		switch {
		case b.Before == b.After:
			p.note(e.Parent, "  "+oneLine(b.Path)+" is unchanged")
		case !p.asked[e.ID] && b.Patch != "":
			for _, l := range lines(b.Patch) {
				p.note(e.Parent, "  "+l)
			}
		}
	case trace.Clearance:
		p.clearance(e, b)
	}
}

// you prints the person's message, unless the person typed it on this terminal.
func (p *Plain) you(raw json.RawMessage) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	if p.Prompts || strings.TrimSpace(text) == "" {
		return
	}
	p.endText()
	said := &prose{first: youPrefix, rest: strings.Repeat(" ", len(youPrefix)), width: p.columns(), put: p.put}
	shown, more := beginning(text, maxEcho)
	said.write(safe(shown))
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
	if len(text) <= limit {
		return text, 0
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit], len(text) - limit
}

func (p *Plain) workerEnd(e trace.Event, b trace.WorkerEnd) {
	block, ok := p.blocks[e.ID]
	if !ok || block == p.root {
		return
	}
	block.text.end()
	if b.Error != nil {
		block.line("failed: " + oneLine(b.Error.Error()))
	}
	delete(p.blocks, e.ID)
	block.end()
}

// toolEnd shows a call that has ended, unless a worker's frame has shown it.
func (p *Plain) toolEnd(e trace.Event, b trace.ToolEnd) {
	call := p.running[e.ID]
	delete(p.running, e.ID)
	delete(p.tasks, e.ID)
	if call == "" {
		call = oneLine(b.Tool)
	}
	if p.framed[e.ID] {
		delete(p.framed, e.ID)
		return
	}
	switch b.Status {
	case "ok":
		if s := summary(b.Result); s != "" {
			call += " — " + s
		}
		p.done(e.Parent, "✓", green, call)
	case "denied":
		p.done(e.Parent, "○", yellow, call+" not run"+denied(b))
	case "stopped", "not_run":
		text := strings.ReplaceAll(b.Status, "_", " ")
		if b.Error != nil { // its message begins with the same words
			text = oneLine(b.Error.Message)
		}
		p.done(e.Parent, "○", red, call+" "+text)
	default:
		p.done(e.Parent, "○", red, call+" "+strings.ReplaceAll(b.Status, "_", " ")+because(b))
	}
	for _, part := range b.Parts {
		p.note(e.Parent, "    "+oneLine(part.String()))
	}
	if p.Verbose {
		for _, l := range render(b.Result) {
			p.note(e.Parent, "    "+l)
		}
	}
}

// done prints a line with a sign for a call that has ended. Outside frames it colours the
// sign and breaks the line between words; a frame breaks its lines itself.
func (p *Plain) done(parent, sign, color, text string) {
	if p.at(parent) != p.root {
		p.note(parent, sign+" "+text)
		return
	}
	p.note(parent, paint(p.Color, color, sign)+" "+p.fitted(text))
}

// tell writes a line like note, and breaks it between words if it is not in a frame.
func (p *Plain) tell(id, text string) {
	if p.at(id) == p.root {
		text = p.fitted(text)
	}
	p.note(id, text)
}

// WhyNot returns for a person why a call did not succeed: "not run: you said no".
func WhyNot(b trace.ToolEnd) string {
	switch {
	case b.Status == "denied":
		return "not run" + denied(b)
	case b.Error != nil && (b.Status == "stopped" || b.Status == "not_run"):
		return oneLine(b.Error.Message)
	}
	return strings.ReplaceAll(b.Status, "_", " ") + because(b)
}

// denied returns why a call was denied, addressed to the person: "you said no" in place
// of "the user said no". It returns "" if the reason is not known.
func denied(b trace.ToolEnd) string {
	if b.Error == nil {
		return ""
	}
	why := strings.TrimPrefix(b.Error.Message, b.Tool+" was not run: ")
	if rest, mine := strings.CutPrefix(why, "the user said no"); mine {
		why = "you said no" + rest
	}
	return ": " + oneLine(why)
}

func because(b trace.ToolEnd) string {
	if b.Error == nil {
		return ""
	}
	return ": " + oneLine(string(b.Error.Code)+" "+b.Error.Message)
}

func faultText(b trace.Error) string {
	s := string(b.Code) + ": " + b.Message
	if b.Hint != "" {
		s += " (" + b.Hint + ")"
	}
	return s
}
