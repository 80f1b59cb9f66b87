package plain

import (
	"strings"

	"golem/core/ui"
)

// frameWidth is the width of a frame if the width of the screen is unknown, as
// in S4 §3. maxFrame is the largest width on a wide screen.
const (
	frameWidth = 68
	maxFrame   = 120
)

// block shows the lines of one worker run; below the root they are in a frame. At most
// one child of a block prints at a time. Other lines and children wait in order, so that
// the output of workers that run in parallel never mixes (S4-44).
type block struct {
	name   string
	task   string // the worker's input in a few words
	parent *block
	width  int
	out    func(string) // where the root's lines go; nil below the root

	shown    bool   // may print
	open     *block // the child that prints now
	waiting  []waiting
	done     bool
	text     *prose
	streamed bool // some of this turn was streamed
	partial  strings.Builder
}

// waiting is a line or a child that cannot be shown yet.
type waiting struct {
	line  string
	child *block
}

func newRoot(width int, out func(string)) *block {
	return &block{width: width, out: out, shown: true}
}

// begin returns a new child, which prints as soon as no earlier line or child waits.
func (b *block) begin(name, task string) *block {
	w := b.width
	if b.out == nil {
		w = b.width - 4
	}
	c := &block{name: name, task: task, parent: b, width: max(w, ui.MinWidth)}
	c.text = &prose{width: c.width - 4, put: c.collect}
	b.waiting = append(b.waiting, waiting{child: c})
	b.drain()
	return c
}

// line prints one line, or keeps it until the lines and children before it are printed.
func (b *block) line(s string) {
	b.waiting = append(b.waiting, waiting{line: s})
	b.drain()
}

// collect takes laid-out text and passes on whole lines.
func (b *block) collect(s string) {
	for {
		head, tail, ok := strings.Cut(s, "\n")
		b.partial.WriteString(head)
		if !ok {
			return
		}
		b.line(b.partial.String())
		b.partial.Reset()
		s = tail
	}
}

// end ends the block. Its frame is closed when its lines and children are printed.
func (b *block) end() {
	b.text.end()
	b.done = true
	if b.parent.open == b {
		b.parent.drain()
	}
}

// drain prints the waiting lines and children in order, up to a child that has not ended.
func (b *block) drain() {
	if !b.shown {
		return
	}
	for {
		if b.open != nil {
			if !b.open.finished() {
				return
			}
			b.open.foot()
			b.open = nil
		}
		if len(b.waiting) == 0 {
			break
		}
		next := b.waiting[0]
		b.waiting = b.waiting[1:]
		if next.child == nil {
			b.print(next.line)
			continue
		}
		b.open = next.child
		next.child.head()
		next.child.drain()
	}
	if b.parent != nil && b.finished() && b.parent.open == b {
		b.parent.drain()
	}
}

func (b *block) finished() bool { return b.done && b.open == nil && len(b.waiting) == 0 }

func (b *block) head() {
	b.shown = true
	b.parent.print("")
	call := "[Calling worker: " + b.name + "]"
	if b.task != "" {
		call += " " + b.task
	}
	b.parent.print(ui.Clip(call, b.width))
	title := "┌─ " + ui.Clip(b.name, b.width-8) + " "
	b.parent.print(title + strings.Repeat("─", max(b.width-1-ui.Width(title), 0)) + "┐")
}

func (b *block) foot() {
	b.parent.print("└" + strings.Repeat("─", b.width-2) + "┘")
}

// print writes one line inside all frames around it.
func (b *block) print(s string) {
	if b.parent == nil {
		b.out(s)
		return
	}
	s = strings.ReplaceAll(s, "\t", "    ")
	for _, piece := range ui.Wrap(s, b.width-4) {
		b.parent.print("│ " + piece + strings.Repeat(" ", max(b.width-4-ui.Width(piece), 0)) + " │")
	}
}
