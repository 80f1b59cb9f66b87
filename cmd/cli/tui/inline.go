package tui

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/view"

	"golem/cmd/cli/markdown"
)

// Inline is the front end of a run on a terminal: below the last line it shows the tree
// of workers while the run goes on, and questions in the same place. At the end it
// prints the answer and a line of summary. Set the fields, then call Start; Finish ends
// it. It may be used from any goroutine.
type Inline struct {
	Screen io.Writer // where the tree is drawn: standard error
	// Answers receives the answer. Drawn says that Answers is a terminal, where
	// Markdown is drawn and control characters are escaped.
	Answers io.Writer
	Drawn   bool
	In, Out *os.File // the terminal that questions use
	Env     []string
	// Size returns the terminal's size in columns and lines; 0 for a value that is
	// unknown.
	Size  func() (width, height int)
	Live  func() bool // whether golem may write to the terminal now
	Color bool
	// Notify is as in Options.
	Notify func(text string) string
	Leave  func() // called for Ctrl+C at a question: ends the run
	Now    func() time.Time

	mu     sync.Mutex
	state  view.State
	area   area
	begun  time.Time
	beats  int
	notes  notices
	asking bool
	ticker *ui.Ticker
}

// notices are the lines of golem's own during a run.
type notices struct {
	seen   int      // how many items of the state were handled
	above  []string // warnings and errors that are not printed yet
	last   string   // the last minor one, which is shown with the tree only
	staged string   // about staged changes, printed at the end
	ending string   // says that the run is about to end
}

var _ ui.UI = (*Inline)(nil)

func (n *Inline) now() time.Time {
	if n.Now == nil {
		return time.Now()
	}
	return n.Now()
}

// size returns the terminal's size, or 80 by 24 where it is unknown.
func (n *Inline) size() (width, height int) {
	if n.Size != nil {
		width, height = n.Size()
	}
	if width <= 0 {
		width = 80
	}
	if height <= 0 {
		height = 24
	}
	return max(width, 10), max(height, 4)
}

// Start begins to draw the tree.
func (n *Inline) Start() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.begun = n.now()
	n.state.Begin(n.begun)
	n.area.w = n.Screen
	if n.ticker != nil {
		return
	}
	n.ticker = ui.Every(beatEvery, n.beat)
}

// beat draws the tree again.
func (n *Inline) beat() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.asking || !n.live() {
		return
	}
	n.beats++
	n.print()
	width, height := n.size()
	n.area.draw(n.lines(width, height), width)
}

func (n *Inline) live() bool { return n.Live == nil || n.Live() }

// Aside erases the tree and runs a function that writes to the terminal itself. The
// next beat draws the tree again.
func (n *Inline) Aside(write func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clear()
	write()
}

// Ending shows a line below the tree from now on. It is erased together with the tree.
func (n *Inline) Ending(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notes.ending = text
}

func (n *Inline) clear() {
	if n.live() {
		width, _ := n.size()
		n.area.clear(width)
	}
}

// Emit adds an event to the tree.
func (n *Inline) Emit(e trace.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.state.Event(e, n.now())
	for _, it := range n.state.Items[n.notes.seen:] {
		if it.Kind == view.Notice {
			n.noticed(it)
		}
	}
	n.notes.seen = len(n.state.Items)
	if _, over := e.Body.(trace.ModelEnd); over {
		n.notes.last = ""
	}
	if !n.asking && len(n.notes.above) > 0 {
		n.print()
	}
}

// noticed keeps a notice for the place where it is shown.
func (n *Inline) noticed(it *view.Item) {
	c, staged := it.About.(trace.Clearance)
	_, retry := it.About.(trace.Retry)
	_, fallback := it.About.(trace.Fallback)
	switch {
	case staged && c.Action == "pending":
		n.notes.staged = n.notice(it)
	case retry || it.Level != "warn" && it.Level != "error" && !fallback:
		n.notes.last = line(it.Text())
	default:
		n.notes.above = append(n.notes.above, n.notice(it))
	}
}

// notice returns a line that stays on the terminal above the tree.
func (n *Inline) notice(it *view.Item) string {
	width, _ := n.size()
	t := transcript{as: look{width: width - 1, color: n.Color}}
	return strings.Join(t.notice(it), "\n") + "\n"
}

// print prints the notes that stay above the tree.
func (n *Inline) print() {
	if len(n.notes.above) > 0 {
		n.clear()
		io.WriteString(n.Screen, strings.Join(n.notes.above, ""))
		n.notes.above = nil
	}
}

// Approve asks the person in the place of the tree, and erases the question after the
// answer. It returns approval.ErrNobody if there is no terminal to ask on.
func (n *Inline) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if n.In == nil || !n.live() {
		return approval.Decision{}, approval.ErrNobody
	}
	n.mu.Lock()
	n.asking = true
	n.clear()
	n.notify("golem asks")
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.asking = false
		n.print()
	}()
	return ask(ctx, r, n)
}

// notify notifies the person if the run has taken long.
func (n *Inline) notify(what string) {
	if n.Notify != nil && n.now().Sub(n.begun) >= long {
		io.WriteString(n.Screen, n.Notify(what))
	}
}

// ended returns how a run ended, in words.
func ended(res run.Result) string {
	switch res.Status {
	case run.Failed:
		return "the run failed"
	case run.Interrupted:
		return "the run was stopped"
	}
	return "the run is done"
}

// Prompt returns io.EOF: a run has only one message.
func (n *Inline) Prompt(context.Context) (run.Input, error) { return run.Input{}, io.EOF }

// Finish erases the tree and prints the answer, or the error, and the summary. Of a run
// without an answer, it prints what the root said last. It returns the error of writing to
// Answers.
func (n *Inline) Finish(res run.Result) error {
	n.ticker.Stop()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clear()
	if res.Error != nil {
		io.WriteString(n.Screen, n.drawn(n.said()))
	}
	n.print()
	n.notify("golem: " + ended(res))
	var err error
	switch {
	case res.Error == nil:
		_, err = io.WriteString(n.Answers, n.answer(res.Output.String()))
	case res.Status == run.Interrupted: // the summary says it
	case !n.wasPrinted(res.Error):
		n.state.Act(view.Action{Do: view.Told, ID: "error", Text: res.Error.Error()})
		n.notes.above = append(n.notes.above, n.notice(n.state.Items[len(n.state.Items)-1]))
		n.print()
	}
	if n.notes.staged != "" {
		io.WriteString(n.Screen, n.notes.staged+"Run: golem clearance list\n")
	}
	width, _ := n.size()
	io.WriteString(n.Screen, cut(n.summary(res), width-1)+"\n")
	return err
}

// wasPrinted reports whether the last error of the run is this one, and so was printed.
func (n *Inline) wasPrinted(f *fault.Fault) bool {
	for _, it := range slices.Backward(n.state.Items) {
		if b, is := it.About.(trace.Error); is {
			return b.Code == f.Code && b.Message == f.Message
		}
	}
	return false
}

// answer returns the answer in the form in which Answers receives it.
func (n *Inline) answer(text string) string {
	if n.Drawn {
		if json.Valid([]byte(text)) { // an object that the worker returns
			text = clean(text)
		} else {
			text = n.drawn(text)
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// drawn returns Markdown as the terminal shows it.
func (n *Inline) drawn(text string) string {
	width, _ := n.size()
	var b strings.Builder
	for _, l := range markdown.Render(text, markdown.Options{Width: width - 3, Color: n.Color}) {
		b.WriteString(indent(l) + "\n")
	}
	return b.String()
}

// said returns what the root said last, which may be incomplete.
func (n *Inline) said() string {
	for _, it := range slices.Backward(n.state.Items) {
		if it.Kind == view.Golem {
			return strings.TrimSpace(it.Text())
		}
	}
	return ""
}
