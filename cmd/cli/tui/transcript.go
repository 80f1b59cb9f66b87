package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/ui"
	"golem/core/ui/view"
)

// look says how the transcript is drawn.
type look struct {
	width   int
	color   bool
	details bool // no call is folded
	now     func() time.Time
}

// transcript is the conversation as lines. An item is drawn again only when it changes;
// of a growing text, only the unfinished part is.
type transcript struct {
	as     look
	blocks []block
	ends   []int // for each block, the number of lines up to its end
	total  int
	room   int // lines of the last drawing
	seek   int // the number of the message that the next drawing shows; 0: none
	said   messages
}

// block is the lines of one item, and the key of the state in which they were drawn.
type block struct {
	item  *view.Item
	key   blockKey
	lines []string
	tail  []string // further lines that may change, of a growing text
	say   *said    // set for a text of the model
}

type blockKey struct {
	size, voids, calls, over int
	first                    bool // the item is the first of a row of calls, or a marked message
	done                     bool
}

// update draws the items that changed since the last update. anew reports whether all were drawn,
// because they look different now.
func (t *transcript) update(s *view.State, as look, said messages) (anew bool) {
	t.said = said
	if anew = as.width != t.as.width || as.color != t.as.color || as.details != t.as.details; anew {
		t.blocks, t.ends, t.total = nil, nil, 0
	}
	t.as = as
	from := len(s.Items)
	if from < len(t.blocks) { // the conversation went back
		t.blocks, t.ends = t.blocks[:from], t.ends[:from]
		t.total = 0
	}
	for i := 0; i < len(s.Items); i++ {
		if i == len(t.blocks) {
			t.blocks = append(t.blocks, block{})
			t.ends = append(t.ends, 0)
		}
		if t.blocks[i].item != s.Items[i] {
			t.blocks[i] = block{item: s.Items[i], key: blockKey{size: -1}}
		}
		key := t.keyOf(s, i)
		if key != t.blocks[i].key {
			t.blocks[i].key = key
			t.draw(s, i)
			from = min(from, i)
		}
	}
	for i := from; i < len(t.ends); i++ {
		t.ends[i] = t.blocks[i].height()
		if i > 0 {
			t.ends[i] += t.ends[i-1]
		}
	}
	if n := len(t.ends); n > 0 {
		t.total = t.ends[n-1]
	}
	return anew
}

// keyOf returns a key that changes when an item has to be drawn again. A row of calls
// is drawn by its first item.
func (t *transcript) keyOf(s *view.State, i int) blockKey {
	it := s.Items[i]
	switch it.Kind {
	case view.CallOf:
		if i > 0 && s.Items[i-1].Kind == view.CallOf {
			return blockKey{}
		}
		key := blockKey{first: true}
		for j := i; j < len(s.Items) && s.Items[j].Kind == view.CallOf; j++ {
			key.calls++
			if c := s.Call(s.Items[j].ID); c != nil && c.Over() {
				key.over++
			}
		}
		return key
	case view.Golem:
		return blockKey{size: len(it.Text()), voids: it.Voids, done: it.Over}
	case view.Thought:
		return t.thoughtKey(it)
	case view.You:
		f := t.said.formsOf(it.N)
		return blockKey{done: true, size: f.Index, calls: len(f.IDs), first: it.N > 0 && it.N == t.said.mark}
	}
	return blockKey{done: true}
}

// draw makes the lines of an item.
func (t *transcript) draw(s *view.State, i int) {
	b, it := &t.blocks[i], s.Items[i]
	switch it.Kind {
	case view.Golem:
		if b.say == nil || b.say.voids != it.Voids {
			b.say = newSaid(t.as, it.Voids)
		}
		b.lines, b.tail = b.say.lines(it.Text(), it.Over)
		return
	case view.CallOf:
		b.lines = nil
		if !b.key.first {
			return
		}
		b.lines = t.calls(s, s.Items[i:i+b.key.calls])
	case view.You:
		b.lines = t.personMessage(it)
	case view.Thought:
		if b.lines = t.thought(b, it); b.lines == nil {
			return
		}
	default:
		b.lines = t.notice(it)
	}
	if i > 0 && (it.Kind != view.Notice || s.Items[i-1].Kind != view.Notice || it.Level == command) {
		b.lines = append([]string{""}, b.lines...)
	}
}

// A message of more than longMessage lines is folded to its first shownLines.
const longMessage, shownLines = 24, 12

// personMessage returns the lines of a message of the person, with its files below.
func (t *transcript) personMessage(it *view.Item) (out []string) {
	lines := wrap(clean(it.Text()), t.as.width-2)
	more := len(lines) - shownLines
	if len(lines) <= longMessage || t.as.details {
		more = 0
	}
	for n, l := range lines[:len(lines)-more] {
		lead := "  "
		if n == 0 {
			lead = "> "
		}
		style := bold
		if it.N > 0 && it.N == t.said.mark {
			if style = reverse; n == 0 {
				lead = "▸ "
			}
		}
		out = append(out, paint(t.as.color, style, lead+l))
	}
	if more > 0 {
		out = append(out, paint(t.as.color, dim, cut(fmt.Sprintf("  … %d more lines (Ctrl+O)", more), t.as.width)))
	}
	for _, f := range it.Files {
		text := "  + " + line(f.Name)
		if f.Bytes >= 0 { // else the size is not known any more
			text += ", " + fault.Count(f.Bytes, "byte")
		}
		out = append(out, paint(t.as.color, dim, cut(text, t.as.width)))
	}
	if f := t.said.formsOf(it.N); len(f.IDs) > 1 {
		out = append(out, paint(t.as.color, dim, fmt.Sprintf("  ‹%d/%d›", f.Index+1, len(f.IDs))))
	}
	return out
}

// scrollToSought returns how far the transcript is scrolled up to show the message that is sought
// in its upper part, once; else back.
func (t *transcript) scrollToSought(s *view.State, back int) int {
	if t.seek == 0 || t.seek != t.said.mark {
		t.seek = 0
		return back
	}
	for i, it := range s.Items {
		if it.N == t.seek {
			t.seek = 0
			return max(t.total-max(t.ends[i]-t.blocks[i].height()-1, 0)-t.room, 0)
		}
	}
	return back // what was said before is not there yet
}

// command is the level of a notice that repeats a command of the person, to show what
// the lines below it answer.
const command = "command"

// notice returns the lines of a notice of golem itself.
func (t *transcript) notice(it *view.Item) []string {
	mark, style := "", dim
	text := strings.TrimRight(it.Text(), "\n")
	switch it.Level {
	case "warn":
		mark, style = "warning: ", yellow
	case "error":
		mark, style, text = "error: ", red, ui.InChat(text)
	case command:
		mark, style = "> ", bold
	}
	var out []string
	for l := range strings.SplitSeq(mark+clean(text), "\n") {
		for _, l := range hang(l, t.as.width) {
			out = append(out, paint(t.as.color, style, l))
		}
	}
	return out
}

// fewCalls is up to how many successful calls in a row are shown one by one.
const fewCalls = 3

// calls returns the lines of a row of calls. More than fewCalls successful ones are
// folded into one line.
func (t *transcript) calls(s *view.State, row []*view.Item) []string {
	var out []string
	var well []*view.Call
	fold := func() {
		if len(well) > fewCalls && !t.as.details {
			out = append(out, paint(t.as.color, green, "✓")+" "+paint(t.as.color, dim, cut(fmt.Sprintf("%d calls: %s (Ctrl+O)", len(well), named(well)), t.as.width-2)))
		} else {
			for _, c := range well {
				out = append(out, t.call(c)...)
			}
		}
		well = nil
	}
	for _, it := range row {
		c := s.Call(it.ID)
		if c.Status == view.OK && !c.IsWorker() && !c.Answered {
			well = append(well, c)
			continue
		}
		fold()
		out = append(out, t.call(c)...)
	}
	fold()
	return out
}

// named returns the tool names of calls, each once, with a count.
func named(calls []*view.Call) string {
	var names []string
	count := map[string]int{}
	for _, c := range calls {
		name := line(c.Name)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		count[name]++
	}
	for i, n := range names {
		if count[n] > 1 {
			names[i] = fmt.Sprintf("%s ×%d", n, count[n])
		}
	}
	return strings.Join(names, ", ")
}

// call returns the lines of one call, with the reason if it failed.
func (t *transcript) call(c *view.Call) []string {
	sign, style := signOf(c)
	text := callText(c, t.as.width-2)
	well := c.Status == view.OK
	if c.IsWorker() && c.Over() {
		text = cut(text, max(t.as.width-30, 12)) + " — " + ui.Seconds(elapsed(c, t.as.now()))
		if used := sum(c.Run.Own, c.Run.All); used != "" {
			text += ", " + used
		}
	}
	if well && c.Summary != "" {
		text += " — " + c.Summary
	}
	out := []string{paint(t.as.color, style, sign) + " " + paint(t.as.color, dim, cut(text, t.as.width-2))}
	if c.Over() && !well {
		for _, l := range wrap(line(c.Summary), t.as.width-2) {
			out = append(out, "  "+paint(t.as.color, style, l))
		}
	}
	if c.IsWorker() && c.Over() {
		out = append(out, t.callsBelow(c)...)
	}
	return out
}

// maxBelow is how many calls below a worker have lines of their own.
const maxBelow = 5

// callsBelow returns a line for each call below a worker that did not succeed, or that a person
// was asked about.
func (t *transcript) callsBelow(c *view.Call) (out []string) {
	more := 0
	c.Walk(func(one *view.Call) {
		if one == c || !one.Over() || one.Status == view.OK && !one.Answered {
			return
		}
		if len(out) == maxBelow {
			more++
			return
		}
		sign, style := signOf(one)
		text := line(one.Name)
		if up := one.Parent; up != nil && up != c {
			text = line(up.Name) + " › " + text
		}
		switch {
		case one.Status == view.OK:
			text += " — " + one.Summary
		case one.Summary != "":
			text += " " + one.Summary
		default:
			text += " " + string(one.Status)
		}
		out = append(out, "  "+paint(t.as.color, style, sign)+" "+paint(t.as.color, dim, cut(line(text), t.as.width-4)))
	})
	if more > 0 {
		out = append(out, "    "+paint(t.as.color, dim, cut(fmt.Sprintf("and %d more; /trace shows all", more), t.as.width-4)))
	}
	return out
}

// lines returns at most room lines, which end back lines before the end of the
// transcript.
func (t *transcript) lines(room, back int) []string {
	end := max(t.total-back, 0)
	start := max(end-room, 0)
	out := make([]string, 0, end-start)
	i, _ := slices.BinarySearch(t.ends, start+1)
	for ; i < len(t.blocks) && len(out) < end-start; i++ {
		from := t.ends[i] - t.blocks[i].height()
		for _, lines := range [][]string{t.blocks[i].lines, t.blocks[i].tail} {
			a, b := max(start-from, 0), min(end-from, len(lines))
			if a < b {
				out = append(out, lines[a:b]...)
			}
			from += len(lines)
		}
	}
	return out
}

func (b *block) height() int { return len(b.lines) + len(b.tail) }
