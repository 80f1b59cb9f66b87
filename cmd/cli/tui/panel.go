package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"golem/cmd/cli/columns"
	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/view"
)

// panel is the tree of workers of the current exchange. Each line shows the worker's
// task, what it does now, its time, its own tokens, those of it and all workers below
// it, and their cost.
type panel struct {
	show  int // byItself, shown or hidden
	focus bool
	mark  string // the marked call, by id
	top   int

	rows []string // the ids of the visible calls; the panel begins at line at
	at   int
	head int
}

// Ways to show the panel: only while the root calls workers, always, or never.
const (
	byItself = iota
	shown
	hidden
)

// switchMode switches to the next way to show the panel: shown with the keyboard focus,
// hidden, byItself.
func (p *panel) switchMode(s *view.State) {
	switch {
	case !p.focus && p.show != hidden:
		p.show, p.focus = shown, true
	case p.focus:
		p.show, p.focus = hidden, false
	default:
		p.show = byItself
	}
	if p.mark == "" && s.Call("0") != nil {
		p.mark = "0"
	}
}

// node is a worker in the tree.
type node struct {
	call  *view.Call
	depth int
	below int // workers directly below
}

// nodes returns the workers that the tree shows: those of this exchange that are not
// below a folded one.
func nodes(s *view.State) []node {
	root := s.Call("0")
	if root == nil {
		return nil
	}
	var out []node
	var walk func(c *view.Call, depth int)
	walk = func(c *view.Call, depth int) {
		at := len(out)
		out = append(out, node{call: c, depth: depth})
		for _, child := range c.Children {
			if !child.IsWorker() || child.Begun.Before(s.Begun) && child.Over() {
				continue
			}
			out[at].below++
			if !c.Folded {
				walk(child, depth+1)
			}
		}
	}
	walk(root, 0)
	return out
}

// view returns the panel in at most most lines.
func (p *panel) view(s *view.State, now time.Time, width, most int, color bool) []string {
	p.rows, p.head = nil, 0
	if p.show == hidden {
		return nil
	}
	all := nodes(s)
	if len(all) == 0 || p.show == byItself && (len(all) < 2 && (len(all) == 0 || all[0].below == 0) || s.Status != view.Running) {
		return nil
	}
	out := []string{rule(width, color, dim, "workers", p.hint())}
	p.head = 1
	room := max(most-1, 1)
	marked := 0
	for i, n := range all {
		if n.call.ID == p.mark {
			marked = i
		}
	}
	if !p.focus {
		marked = len(all) - 1
	}
	p.top = min(max(p.top, marked-room+1), max(len(all)-room, 0))
	p.top = min(p.top, marked)
	for _, n := range all[p.top:min(p.top+room, len(all))] {
		p.rows = append(p.rows, n.call.ID)
		out = append(out, p.row(n, s, now, width, color))
	}
	return out
}

func (p *panel) hint() string {
	if p.focus {
		return "arrows: fold, Esc: back"
	}
	return "Ctrl+T"
}

// row returns the line of one worker.
func (p *panel) row(n node, s *view.State, now time.Time, width int, color bool) string {
	c := n.call
	fold := " "
	if n.below > 0 {
		fold = "▾"
		if c.Folded {
			fold = "▸"
		}
	}
	sign, style := signOf(c)
	right := ui.Seconds(elapsed(c, now))
	if c.ID == "0" {
		right = ui.Seconds(now.Sub(s.Begun))
	}
	spent := sum(c.Run.Own, c.Run.All)
	if cost := c.Run.All.CostText(); cost != "" {
		spent += " " + cost
	}
	lead := strings.Repeat("  ", n.depth) + fold + " "
	name := line(c.Name)
	if n.below > 0 && c.Folded {
		name += " (+" + strconv.Itoa(n.below) + ")"
	}
	if task := line(c.Task); task != "" {
		name += ": " + task
	}
	if doing := activity(c); doing != "" {
		name += " — " + doing
	}
	if strings.TrimSpace(spent) != "" && width >= 60 {
		right = spent + "  " + right
	} else if t := total(c.Run.All); t != "" {
		right = t + " " + right
	}
	room := width - columns.Of(lead) - 2 - columns.Of(right) - 1
	name = pad(name, max(room, 4))
	if p.focus && c.ID == p.mark {
		return paint(color, reverse, lead+sign+" "+name+" "+right)
	}
	return lead + paint(color, style, sign) + " " + name + " " + paint(color, dim, right)
}

// signOf returns the mark of a call's status, and its style.
func signOf(c *view.Call) (sign string, style ui.Role) {
	switch c.Status {
	case view.Running, view.Pending:
		return "●", blue
	case view.OK:
		return "✓", green
	case "denied", "not_run":
		return "○", yellow
	}
	return "✗", red
}

func elapsed(c *view.Call, now time.Time) time.Duration {
	switch {
	case c.Over():
		return time.Duration(c.MS) * time.Millisecond
	case c.Begun.IsZero():
		return 0
	}
	return now.Sub(c.Begun)
}

// activity returns what a worker does now, or its error if it failed.
func activity(c *view.Call) string {
	switch {
	case c.Over():
		if c.Error != nil {
			return line(c.Error.Message)
		}
		return ""
	case c.Run.Thinking:
		return "thinks"
	}
	for i := len(c.Children) - 1; i >= 0; i-- {
		if child := c.Children[i]; !child.Over() && !child.IsWorker() {
			return callText(child, 40)
		}
	}
	return ""
}

// callText returns a call as one line.
func callText(c *view.Call, most int) string {
	if c.IsWorker() {
		if c.Task == "" {
			return line(c.Name)
		}
		return cut(line(c.Name)+": "+line(c.Task), most)
	}
	return cut(c.Line(), most)
}

// key moves the mark or folds the marked worker; false for any other key.
func (p *panel) key(name string, s *view.State) bool {
	all := nodes(s)
	at := 0
	for i, n := range all {
		if n.call.ID == p.mark {
			at = i
		}
	}
	switch name {
	case "esc", "tab":
		p.focus = false
	case "up", "k":
		at--
	case "down", "j":
		at++
	case "left", "right", "enter", "space":
		if len(all) > 0 && (name != "left" || !all[at].call.Folded) && (name != "right" || all[at].call.Folded) {
			s.Act(view.Action{Do: view.Fold, ID: all[at].call.ID})
		}
	default:
		return false
	}
	if len(all) > 0 {
		p.mark = all[min(max(at, 0), len(all)-1)].call.ID
	}
	return true
}

// click folds the worker on line y of the screen.
func (p *panel) click(y int, s *view.State) {
	if i := y - p.at - p.head; i >= 0 && i < len(p.rows) {
		s.Act(view.Action{Do: view.Fold, ID: p.rows[i]})
	}
}

// tokens returns a short text about the tokens used; "" for none.
func tokens(u trace.Usage) string {
	if u.In+u.Out == 0 {
		return ""
	}
	about := ""
	if u.Estimated {
		about = "~"
	}
	return fmt.Sprintf("%s%s in, %s%s out", about, ui.Thousands(u.In), about, ui.Thousands(u.Out))
}

// sum returns a worker's own tokens, followed by a slash and the tokens of it and all
// workers below it, if these are more.
func sum(own, all trace.Usage) string {
	if all.In+all.Out == 0 {
		return ""
	}
	about := ""
	if all.Estimated {
		about = "~"
	}
	text := about + ui.Thousands(own.In+own.Out)
	if all.In+all.Out > own.In+own.Out {
		text += "/" + ui.Thousands(all.In+all.Out)
	}
	return text + " tokens"
}

func total(u trace.Usage) string {
	if u.In+u.Out == 0 {
		return ""
	}
	return ui.Thousands(u.In + u.Out)
}
