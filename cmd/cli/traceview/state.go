// Package traceview is the viewer of a trace on a terminal: it shows the tree of calls,
// their times, and each call turn by turn. State changes with keys and returns lines,
// so that it can be tested without a terminal; Run connects it with one.
//
// Names and texts of a trace come from models and tools: they are escaped before they
// are drawn.
package traceview

import (
	"slices"
	"strings"

	"golem/core/trace"
	"golem/core/ui/report"
	"golem/core/ui/view"
)

// Message is one message of a worker's prompt, as --artifacts keeps it.
type Message struct{ Role, Text string }

// State is the state of the viewer for one trace. Make it with New and use it from one
// goroutine.
type State struct {
	root   *view.Call
	header trace.Header
	// prompts returns the messages that were sent in the model calls of a worker run;
	// nil: they were not kept.
	prompts func(id string) []Message
	color   bool

	width, height int
	folded        map[string]bool // the calls whose children are hidden, by id
	at            int             // the index of the chosen row
	top           int             // the index of the first visible row
	mode          mode
	detail        []string // the lines of the call that is shown
	line          int      // the index of the first visible line of detail
	query         string
	asking        bool // the query is being typed
	note          string
	offers        bool // a test can be made of the run
	wants         bool // the person wants one
}

// mode is what the screen shows.
type mode int

const (
	tree mode = iota
	times
	reading
)

// row is a call in the list.
type row struct {
	n     *view.Call
	depth int
}

// New returns the state of the viewer for one trace: h is its header, state what its events
// tell, and prompts returns the messages that were sent in the call with that id;
// prompts may be nil. color allows SGR sequences.
func New(h trace.Header, state *view.State, prompts func(id string) []Message, color bool) *State {
	return &State{root: state.Root(), header: h, prompts: prompts, color: color, width: 80, height: 24, folded: map[string]bool{}}
}

// OfferTest offers a key that leaves the viewer to make a test of the run.
func (s *State) OfferTest() { s.offers = true }

// WantsTest reports whether the person left with that key.
func (s *State) WantsTest() bool { return s.wants }

// Resize sets the size of the screen, in columns and lines.
func (s *State) Resize(width, height int) {
	s.width, s.height = max(width, 10), max(height, 4)
	if s.mode == reading {
		s.read()
	}
}

// rows returns the calls that are visible, because no call above them is folded.
func (s *State) rows() []row {
	var out []row
	var add func(n *view.Call, depth int)
	add = func(n *view.Call, depth int) {
		out = append(out, row{n, depth})
		if !s.folded[n.ID] {
			for _, c := range n.Children {
				add(c, depth+1)
			}
		}
	}
	add(s.root, 0)
	return out
}

// Key handles a key by its name, with the text that it types. leave is true if the key
// ends the viewer.
func (s *State) Key(name, text string) (leave bool) {
	s.note = ""
	if s.asking {
		s.ask(name, text)
		return false
	}
	switch name {
	case "q", "ctrl+c", "ctrl+d":
		return true
	case "esc", "backspace":
		if s.mode == tree {
			return name == "esc"
		}
		s.mode = tree
	case "/":
		s.asking, s.query = true, ""
	case "n":
		s.find(1)
	case "N", "shift+n":
		s.find(-1)
	case "m":
		s.wants = s.offers
		return s.wants
	case "t":
		if s.mode == times {
			s.mode = tree
		} else {
			s.mode = times
		}
	default:
		if s.mode == reading {
			s.scroll(name)
		} else {
			s.move(name)
		}
	}
	return false
}

// room returns the number of lines between the header and the last line.
func (s *State) room() int { return max(s.height-2, 1) }

// step returns how many rows a key moves, negative for up; ok is false for any other
// key.
func (s *State) step(name string) (n int, ok bool) {
	n, ok = map[string]int{
		"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -s.room(), "pgdown": s.room(), "space": s.room(),
		"home": -1 << 30, "g": -1 << 30, "end": 1 << 30, "G": 1 << 30, "shift+g": 1 << 30,
	}[name]
	return n, ok
}

// move handles a key in the tree or the list of times.
func (s *State) move(name string) {
	rows := s.rows()
	here := rows[s.at].n
	if n, ok := s.step(name); ok {
		s.at = min(max(s.at+n, 0), len(rows)-1)
		return
	}
	switch name {
	case "enter":
		s.mode, s.line = reading, 0
		s.read()
	case "right", "l":
		delete(s.folded, here.ID)
	case "left", "h":
		if len(here.Children) > 0 && !s.folded[here.ID] {
			s.folded[here.ID] = true
			return
		}
		for i := s.at - 1; i >= 0; i-- { // go to the caller
			if rows[i].depth < rows[s.at].depth {
				s.at = i
				return
			}
		}
	}
}

// scroll handles a key while a call is shown; left and right show the call before and
// after.
func (s *State) scroll(name string) {
	if n, ok := s.step(name); ok {
		s.line = min(max(s.line+n, 0), max(len(s.detail)-s.room(), 0))
		return
	}
	step := map[string]int{"left": -1, "h": -1, "right": 1, "l": 1, "enter": 1}[name]
	if rows := s.rows(); step != 0 && s.at+step >= 0 && s.at+step < len(rows) {
		s.at, s.line = s.at+step, 0
		s.read()
	}
}

// ask handles a key while the query is typed.
func (s *State) ask(name, text string) {
	switch {
	case name == "enter":
		s.asking = false
		s.find(1)
	case name == "esc" || name == "ctrl+c":
		s.asking, s.query = false, ""
	case name == "backspace":
		r := []rune(s.query)
		s.query = string(r[:max(len(r)-1, 0)])
	case text != "":
		s.query += text
	}
}

// find chooses the next call that contains the query, or the previous one if step is
// -1. It unfolds the calls above it.
func (s *State) find(step int) {
	if s.query == "" {
		s.note = "/ searches for a text"
		return
	}
	var all []*view.Call
	s.root.Walk(func(n *view.Call) { all = append(all, n) })
	here, current := 0, s.rows()[s.at].n
	for i, n := range all {
		if n == current {
			here = i
		}
	}
	for k := 1; k <= len(all); k++ {
		n := all[((here+step*k)%len(all)+len(all))%len(all)]
		if !has(n, s.query) {
			continue
		}
		for id := n.ID; strings.Contains(id, "."); {
			id = id[:strings.LastIndexByte(id, '.')]
			delete(s.folded, id)
		}
		for i, r := range s.rows() {
			if r.n == n {
				s.at = i
			}
		}
		if s.mode == reading {
			s.read()
			s.line = 0
			for i, l := range s.detail {
				if strings.Contains(strings.ToLower(l), strings.ToLower(s.query)) {
					s.line = min(i, max(len(s.detail)-s.room(), 0))
					break
				}
			}
		}
		return
	}
	s.note = "not found: " + trace.Visible(s.query)
}

// has reports whether a call contains a text, ignoring case.
func has(n *view.Call, text string) bool {
	text = strings.ToLower(text)
	in := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	if in(n.ID) || in(n.Called()) || in(n.Run.Worker) || in(n.Run.Model) || in(string(n.Args)) || in(string(n.Output)) || n.Error != nil && in(n.Error.Error()) {
		return true
	}
	for _, t := range n.Run.Turns {
		if in(t.Text) {
			return true
		}
	}
	return slices.ContainsFunc(report.Notes(n), func(note report.Note) bool { return in(note.Text) })
}
