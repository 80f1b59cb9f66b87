package ui

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
)

// Plain is the front end that prints plain lines (S4 §3). Set the fields, then
// use it: call Start before a run to show the status line, and Finish after it.
// It is safe for concurrent use.
type Plain struct {
	View io.Writer // gets everything except answers
	// Answers gets each answer of the root worker and nothing else. With nil,
	// answers are printed to View while they arrive.
	Answers io.Writer
	Shield  bool // Answers is a terminal: control characters in answers become escapes
	// Approver is asked for approval; meanwhile nothing is written to View. nil: nobody
	// can be asked.
	Approver approval.Approver
	Input    Lines      // messages of a chat; nil: there are none
	Width    func() int // columns of View; nil: lines are not broken
	Quiet    bool       // summary mode: only progress bullets, warnings and errors
	Verbose  bool       // also show the results of tools, and the tokens used
	// Live reports whether View is a terminal that can be written to at any
	// time. Then a status line is shown at its end during waits. nil means
	// never.
	Live    func() bool
	Color   bool
	Resumed bool // the run resumes a conversation: its input is an old message and is not shown
	Prompts bool // Input is a terminal: print "> " before each line, and do not repeat what was typed

	mu      sync.Mutex
	root    *block
	blocks  map[string]*block // by trace id of the worker run
	running map[string]string // the lines of calls that run, by trace id
	line    liveLine
	waits   waits
	stop    func()            // ends the status line
	moved   bool              // text was written since the last beat
	asking  bool              // a person is being asked: nothing else is written
	held    []trace.Event     // events that came while a person was asked
	stream  *prose            // the root's text
	turn    strings.Builder   // the root's text of this turn
	streamd bool              // some of this turn was streamed
	answer  string            // the root's latest answer
	told    bool              // the answer has been shown
	broken  error             // the first error of writing to Answers
	asked   map[string]bool   // calls that a person was asked about, so their diff was shown
	tasks   map[string]string // the inputs of workers in a few words, by trace id
	framed  map[string]bool   // calls whose worker has a frame
	failed  string            // the message of the latest error, so that it is not repeated
}

var _ UI = (*Plain)(nil)

// The prefixes of golem's and the person's lines (S4-34); further lines are
// indented.
const (
	golemPrefix = "Golem: "
	youPrefix   = "You: "
)

func (p *Plain) ready() {
	if p.blocks != nil {
		return
	}
	p.blocks, p.running, p.tasks = map[string]*block{}, map[string]string{}, map[string]string{}
	p.asked, p.framed = map[string]bool{}, map[string]bool{}
	p.root = newRoot(p.frame(), p.printLine)
	p.blocks["0"] = p.root
	p.stream = &prose{first: golemPrefix, rest: strings.Repeat(" ", len(golemPrefix)), width: p.columns(), put: p.put}
	p.told = true
}

func (p *Plain) columns() int {
	if p.Width == nil {
		return 0
	}
	return p.Width()
}

// frame returns the width of frames.
func (p *Plain) frame() int {
	if w := p.columns(); w > 0 {
		return min(max(w, minWidth), maxFrame)
	}
	return frameWidth
}

// put erases the status line and writes to View. It ignores errors, because View does not
// get results.
func (p *Plain) put(s string) {
	p.line.clear(p.View)
	p.moved = true
	io.WriteString(p.View, p.style(s))
}

// style colours golem's own prefixes; everything else is content.
func (p *Plain) style(s string) string {
	if s == golemPrefix {
		return paint(p.Color, bold, s)
	}
	return s
}

func (p *Plain) printLine(s string) {
	p.endText()
	p.put(s + "\n")
}

// note writes one of golem's own lines in the block of the call with this id.
func (p *Plain) note(id, s string) { p.at(id).line(s) }

// at returns the block of the worker run to which the id belongs.
func (p *Plain) at(id string) *block {
	for {
		if b, ok := p.blocks[id]; ok {
			return b
		}
		i := strings.LastIndexByte(id, '.')
		if i < 0 {
			return p.root
		}
		id = id[:i]
	}
}

// Start shows the status line from now on, until Finish.
func (p *Plain) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waits.begin(time.Now())
	if p.Live != nil && p.stop == nil {
		p.stop = Every(beat, p.beat)
	}
}

// beat redraws the status line. After streamed text without a line end it does so only if
// no text was written since the last beat.
func (p *Plain) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready()
	moved := p.moved
	p.moved = false
	text := p.waits.line(time.Now())
	if p.asking || text == "" || p.stream.midline() && moved || !p.Live() {
		return
	}
	p.line.draw(p.View, text, p.stream.col, p.columns(), p.Color)
}

// Aside calls write, which may write to View's terminal, after removing the status line.
// If Plain stays locked for longer than two beats, for example because nobody reads
// Answers, Aside calls write without that (SPEC §5).
func (p *Plain) Aside(write func()) {
	if !soon(&p.mu) {
		write()
		return
	}
	defer p.mu.Unlock()
	p.ready()
	if !p.asking {
		p.endText()
	}
	p.line.clear(p.View)
	write()
}

func (p *Plain) endText() {
	if p.stream.midline() {
		p.stream.end()
	}
}

// Approve asks the Approver, or returns approval.ErrNobody if there is none. Meanwhile
// nothing else is printed.
func (p *Plain) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	p.mu.Lock()
	p.ready()
	p.endText()
	p.line.clear(p.View)
	p.asked[r.Call] = true
	p.asking = true
	p.mu.Unlock()
	defer p.answered()
	if p.Approver == nil {
		return approval.Decision{}, approval.ErrNobody
	}
	return p.Approver.Approve(ctx, r)
}

// answered ends a question and shows the events that came meanwhile.
func (p *Plain) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asking = false
	held := p.held
	p.held = nil
	for _, e := range held {
		p.show(e)
	}
}

// Prompt prints the answer so far and reads the next line of a chat; it skips
// empty lines. The caller handles commands (see ParseCommand).
func (p *Plain) Prompt(ctx context.Context) (run.Input, error) {
	p.mu.Lock()
	p.ready()
	p.endText()
	p.line.clear(p.View)
	p.waits.on = false
	p.deliver()
	p.mu.Unlock()
	for {
		line, err := p.readLine(ctx)
		if err != nil {
			return run.Input{}, err
		}
		if strings.TrimSpace(line) != "" {
			p.mu.Lock()
			p.waits.begin(time.Now())
			p.mu.Unlock()
			return run.Input{Text: line}, nil
		}
	}
}

// readLine reads one line. It does not hold the lock meanwhile, so that events are shown.
func (p *Plain) readLine(ctx context.Context) (string, error) {
	if p.Input == nil {
		return "", io.EOF
	}
	if p.Prompts {
		p.say("> ")
	}
	line, err := p.Input.Line(ctx)
	if err != nil && p.Prompts {
		p.say("\n")
	}
	return line, err
}

func (p *Plain) say(s string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(s)
}

// deliver writes the latest answer, unless it was shown already.
func (p *Plain) deliver() {
	if p.told {
		return
	}
	p.told = true
	if p.Answers != nil {
		p.writeAnswer(p.answer)
		return
	}
	p.stream.write(safe(p.answer))
	p.stream.end()
}

// writeAnswer writes an answer to Answers and ends its last line. It writes nothing for an
// empty answer. It keeps the first error for Finish.
func (p *Plain) writeAnswer(text string) {
	if !p.Shield {
		text = Uncontrolled(text)
	}
	if p.Shield {
		text = safe(text)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if _, err := io.WriteString(p.Answers, text); err != nil && p.broken == nil {
		p.broken = err
	}
}

// Finish ends the output. It prints the answer or the run's error, if that was not printed
// yet, and then the cost of the run. Call it once, after the last event. An error means
// that Answers did not get every answer.
func (p *Plain) Finish(res run.Result) error {
	p.mu.Lock()
	stop := p.stop
	p.stop = nil
	p.mu.Unlock()
	if stop != nil {
		stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready()
	p.finish(res)
	if line := Spent(res.Spent(), p.Verbose); line != "" && !p.Quiet {
		p.printLine(paint(p.Color, dim, line))
	}
	return p.broken
}

func (p *Plain) finish(res run.Result) {
	clear(p.running)
	p.endText()
	p.line.clear(p.View)
	if res.Error != nil {
		p.told = true
		if p.failed != res.Error.Error() {
			p.printLine(paint(p.Color, red, p.fitted("error: "+safe(res.Error.Error()))))
		}
		return
	}
	final := res.Output.String()
	if p.Answers != nil {
		if p.answer != final || !p.told {
			p.told = true
			p.writeAnswer(final)
		}
		return
	}
	if strings.TrimSpace(p.answer) != strings.TrimSpace(final) {
		p.answer, p.told = final, false
	}
	p.deliver()
}
