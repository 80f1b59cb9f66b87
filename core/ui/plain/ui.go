// Package plain is the front end of plain lines (S4 §3): it prints what happens in a run, one
// line below the other, and on a terminal shows at the end what golem waits for.
package plain

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/view"
)

// UI is the front end that prints plain lines (S4 §3). Set the fields, then
// use it: call Start before a run to show the status line, and Finish after it.
// It is safe for concurrent use.
type UI struct {
	View io.Writer // gets everything except answers
	// Answers gets each answer of the root worker and nothing else. With nil,
	// answers are printed to View while they arrive.
	Answers io.Writer
	Shield  bool // Answers is a terminal: control characters in answers become escapes
	// Approver is asked for approval; meanwhile nothing is written to View. nil: nobody
	// can be asked.
	Approver approval.Approver
	Input    ui.Lines // messages of a chat; nil: there are none
	Quiet    bool     // summary mode: only progress bullets, warnings and errors
	Verbose  bool     // also show the results of tools, and the tokens used
	// Screen is the terminal that View writes to; nil: View is not a terminal, and lines are
	// not broken. While it is live, a status line is shown at its end during waits.
	Screen  ui.Screen
	Color   bool
	Resumed bool // the run resumes a conversation: its input is an old message and is not shown
	Prompts bool // Input is a terminal: print "> " before each line, and do not repeat what was typed

	mu     sync.Mutex
	state  view.State // after the latest event, also while events are held
	frames frames
	bottom bottom
	asking bool          // a person is being asked: nothing else is written
	typing bool          // the person is asked for a line
	held   []trace.Event // events that came while a person was asked
	stream *prose        // the root's text
	answer answer
}

// answer is what the root has said, and what of it was shown.
type answer struct {
	turn     strings.Builder // the text of this turn so far
	streamed bool            // some of this turn was streamed
	text     string          // the latest answer
	due      bool            // the latest answer was not shown yet
	failed   string          // the message of the latest error, so that it is not repeated
	broken   error           // the first error of writing to UI.Answers
}

// frames are the worker runs whose lines are printed.
type frames struct {
	root  *block
	open  map[string]*block // by trace id of the worker run
	drawn map[string]bool   // calls whose worker has a frame
}

// blockOf returns the block of the worker run to which the id belongs.
func (f *frames) blockOf(id string) *block {
	for {
		if b, ok := f.open[id]; ok {
			return b
		}
		i := strings.LastIndexByte(id, '.')
		if i < 0 {
			return f.root
		}
		id = id[:i]
	}
}

// bottom is the last line of a terminal, which says what golem waits for.
type bottom struct {
	line  liveLine
	beats *ui.Ticker // draws it; nil: it is not shown
	moved bool       // text was written since the last beat
}

var _ ui.UI = (*UI)(nil)

// The prefixes of golem's and the person's lines (S4-34); further lines are
// indented.
const (
	golemPrefix = "Golem: "
	youPrefix   = "You: "
)

func (p *UI) ready() {
	if p.stream != nil {
		return
	}
	p.frames = frames{root: newRoot(p.frame(), p.printLine), open: map[string]*block{}, drawn: map[string]bool{}}
	p.frames.open["0"] = p.frames.root
	p.stream = p.prose(ui.Span{Text: golemPrefix, Role: ui.Strong})
}

// prose returns the layout of a text with a prefix.
func (p *UI) prose(prefix ui.Span) *prose {
	return &prose{first: prefix, rest: strings.Repeat(" ", len(prefix.Text)), color: p.Color, width: p.columns(), put: p.put}
}

func (p *UI) columns() int {
	if p.Screen == nil {
		return 0
	}
	columns, _ := p.Screen.Size()
	return columns
}

// frame returns the width of frames.
func (p *UI) frame() int {
	if w := p.columns(); w > 0 {
		return min(max(w, ui.MinWidth), maxFrame)
	}
	return frameWidth
}

// put erases the status line and writes to View. It ignores errors, because View does not
// get results.
func (p *UI) put(s string) {
	p.bottom.line.clear(p.View)
	p.bottom.moved = true
	io.WriteString(p.View, s)
}

func (p *UI) printLine(s string) {
	p.endText()
	p.put(s + "\n")
}

// note writes one of golem's own lines in the block of the call with this id.
func (p *UI) note(id, s string) { p.frames.blockOf(id).line(s) }

// Start shows the status line from now on, until Finish.
func (p *UI) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.Begin(time.Now())
	if p.Screen != nil && p.bottom.beats == nil {
		p.bottom.beats = ui.Every(beat, p.beat)
	}
}

// beat redraws the status line. After streamed text without a line end it does so only if
// no text was written since the last beat.
func (p *UI) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready()
	moved := p.bottom.moved
	p.bottom.moved = false
	text := waitsFor(&p.state, time.Now())
	if p.asking || text == "" || p.stream.midline() && moved || !p.Screen.Live() {
		return
	}
	p.bottom.line.draw(p.View, text, p.stream.col, p.columns(), p.Color)
}

// Aside calls write, which may write to View's terminal, after removing the status line.
// If Plain stays locked for longer than two beats, for example because nobody reads
// Answers, Aside calls write without that (SPEC §5).
func (p *UI) Aside(write func()) {
	if !tryLock(&p.mu) {
		write()
		return
	}
	defer p.mu.Unlock()
	p.ready()
	if !p.asking {
		p.endText()
	}
	p.bottom.line.clear(p.View)
	write()
}

func (p *UI) endText() {
	if p.stream.midline() {
		p.stream.end()
	}
}

// Approve asks the Approver, or returns approval.ErrNobody if there is none. Meanwhile
// nothing else is printed.
func (p *UI) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	p.mu.Lock()
	p.ready()
	p.endText()
	p.bottom.line.clear(p.View)
	p.state.Act(view.Action{Do: view.Asked, Request: &r})
	p.asking = true
	p.mu.Unlock()
	defer p.answered()
	if p.Approver == nil {
		return approval.Decision{}, approval.ErrNobody
	}
	return p.Approver.Approve(ctx, r)
}

// answered ends a question and shows the events that came meanwhile.
func (p *UI) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asking = false
	p.state.Act(view.Action{Do: view.Answered})
	held := p.held
	p.held = nil
	for _, e := range held {
		p.show(e)
	}
}

// Prompt prints the answer so far and reads the next line of a chat; it skips
// empty lines. The caller handles commands (see ParseCommand).
func (p *UI) Prompt(ctx context.Context) (run.Input, error) {
	p.mu.Lock()
	p.ready()
	p.endText()
	p.bottom.line.clear(p.View)
	p.state.Act(view.Action{Do: view.Prompted})
	p.deliver()
	p.mu.Unlock()
	for {
		line, err := p.readLine(ctx)
		if err != nil {
			return run.Input{}, err
		}
		if strings.TrimSpace(line) != "" {
			p.mu.Lock()
			p.state.Begin(time.Now())
			p.mu.Unlock()
			return run.Input{Text: line}, nil
		}
	}
}

// readLine reads one line. It does not hold the lock meanwhile, so that events are shown.
func (p *UI) readLine(ctx context.Context) (string, error) {
	if p.Input == nil {
		return "", io.EOF
	}
	if p.Prompts {
		wait(p, true)
		defer wait(p, false)
	}
	line, err := p.Input.Line(ctx)
	if err != nil && p.Prompts {
		p.say("\n")
	}
	return line, err
}

// wait prints the prompt, if the person is to type a line from now on.
func wait(p *UI, typing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.typing = typing; typing {
		p.put(p.lead())
	}
}

// PromptAgain prints the prompt once more, if the person is to type a line. Call it when
// another program has used the terminal, as a shell does while golem is suspended.
func PromptAgain(p *UI) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.typing {
		p.put(p.lead())
	}
}

// lead returns what is printed before a line that the person types: the permission, if one
// was set, and "> ".
func (p *UI) lead() string {
	if name := p.state.Permission; name != "" {
		return ui.PermissionRole(name).Paint(p.Color, ui.SafeLine(string(name))) + "> "
	}
	return "> "
}

func (p *UI) say(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(s)
}

// deliver writes the latest answer, unless it was shown already.
func (p *UI) deliver() {
	if !p.answer.due {
		return
	}
	p.answer.due = false
	if p.Answers != nil {
		p.writeAnswer(p.answer.text)
		return
	}
	p.stream.write(ui.Safe(p.answer.text))
	p.stream.end()
}

// writeAnswer writes an answer to Answers and ends its last line. It writes nothing for an
// empty answer. It keeps the first error for Finish.
func (p *UI) writeAnswer(text string) {
	if !p.Shield {
		text = ui.Uncontrolled(text)
	}
	if p.Shield {
		text = ui.Safe(text)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if _, err := io.WriteString(p.Answers, text); err != nil && p.answer.broken == nil {
		p.answer.broken = err
	}
}

// Finish ends the output. It prints the answer or the run's error, if that was not printed
// yet, and then the cost of the run. Call it once, after the last event. An error means
// that Answers did not get every answer.
func (p *UI) Finish(res run.Result) error {
	p.mu.Lock()
	beats := p.bottom.beats
	p.bottom.beats = nil
	p.mu.Unlock()
	beats.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready()
	p.finish(res)
	if line := ui.Spent(res.Spent(), p.Verbose); line != "" && !p.Quiet {
		p.printLine(ui.Faint.Paint(p.Color, line))
	}
	return p.answer.broken
}

func (p *UI) finish(res run.Result) {
	p.endText()
	p.bottom.line.clear(p.View)
	if res.Error != nil {
		p.answer.due = false
		left := p.Prompts && res.Error.Code == fault.Interrupted // at the prompt
		if !left && p.answer.failed != res.Error.Error() {
			p.printLine(ui.Bad.Paint(p.Color, p.fitted("error: "+ui.Safe(res.Error.Error()))))
		}
		return
	}
	final := res.Output.String()
	if p.Answers != nil {
		if p.answer.text != final || p.answer.due {
			p.answer.due = false
			p.writeAnswer(final)
		}
		return
	}
	if strings.TrimSpace(p.answer.text) != strings.TrimSpace(final) {
		p.answer.text, p.answer.due = final, true
	}
	p.deliver()
}
