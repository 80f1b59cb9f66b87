// Package report draws kept traces for reading: the tree of calls, the comparison of two
// runs, the list of runs, and exports. All of it is made from the states of core/ui/view.
package report

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strconv"
	"time"

	"golem/core/trace"
	"golem/core/ui"
	"golem/core/ui/view"
)

// Options say how the tree is drawn. The zero value draws calls and notes without colour.
type Options struct {
	Color   bool
	Compact bool // one line per call with its id, without the lines of the tree
	Args    bool // show each call's arguments
	Turns   bool // show each model turn
	Width   int  // columns for arguments and messages; 0 means 80
}

// Render writes the tree of a run's calls with duration, tokens, approval, status and
// errors (golem trace show).
func Render(w io.Writer, s *view.State, o Options) error {
	out := bufio.NewWriter(w)
	for l := range Lines(s, o) {
		_, _ = out.WriteString(l.Paint(o.Color) + "\n") // the buffer keeps the error for Flush
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the tree: %w", err)
	}
	return nil
}

// Lines returns the tree of Render in parts with roles. Names and texts from the trace are
// made safe with trace.Visible, so they cannot leave their line or contain escape sequences.
func Lines(s *view.State, o Options) iter.Seq[ui.Line] {
	r := renderer{Options: o}
	if r.Width <= 0 {
		r.Width = 80
	}
	return func(yield func(ui.Line) bool) {
		if o.Compact {
			r.rows(yield, s.Root())
		} else {
			r.call(yield, s.Root(), "", "", "")
		}
	}
}

type renderer struct{ Options }

// rows draws a call in one line, and those below it, as long as yield wants more.
func (r *renderer) rows(yield func(ui.Line) bool, c *view.Call) (more bool) {
	if !yield(r.describe(c, r.safe(c.ID)+"  ")) {
		return false
	}
	for _, child := range c.Children {
		if !r.rows(yield, child) {
			return false
		}
	}
	return true
}

// call draws one call: its line, its details, then the calls below it.
func (r *renderer) call(yield func(ui.Line) bool, c *view.Call, prefix, branch, below string) (more bool) {
	if !yield(r.describe(c, prefix+branch)) {
		return false
	}
	inner := prefix + below
	rail := "  "
	if len(c.Children) > 0 {
		rail = "│ "
	}
	for _, d := range r.details(c) {
		if !yield(ui.Line{{Text: inner + rail}, d}) {
			return false
		}
	}
	for i, child := range c.Children {
		branch, below := "├─ ", "│  "
		if i == len(c.Children)-1 {
			branch, below = "└─ ", "   "
		}
		if !r.call(yield, child, inner, branch, below) {
			return false
		}
	}
	return true
}

// safe returns the beginning of a text, as much as fits, safe to show on one line.
func (r *renderer) safe(s string) string { return trace.Visible(clip(s, r.Width)) }

// describe returns the line of a call, with lead before it.
func (r *renderer) describe(c *view.Call, lead string) ui.Line {
	out := append(make(ui.Line, 0, 8), ui.Span{Text: lead}, ui.Span{Text: r.name(c), Role: ui.Strong})
	add := func(role ui.Role, text string) {
		out = append(out, ui.Span{Text: "  "}, ui.Span{Text: text, Role: role})
	}
	role, status := Status(c)
	add(role, clip(status, r.Width))
	add(ui.Body, duration(c.MS))
	if used := c.Used(); used.In != 0 || used.Out != 0 {
		add(ui.Faint, spent(used)+ownUsage(c))
	}
	if c.Approval != nil {
		add(ui.Faint, "["+approvalText(*c.Approval, r.Width)+"]")
	}
	if c.Error != nil {
		add(ui.Bad, r.safe(joinCode(c.Error.Code, c.Error.Message)))
	}
	return out
}

func (r *renderer) name(c *view.Call) string {
	name := r.safe(c.Called())
	if name == "" {
		name = "?"
	}
	switch kindOf(c) {
	case "worker":
		name += " (worker"
		if c.Run.Worker != "" && c.Run.Worker != c.Called() {
			name += " " + r.safe(c.Run.Worker)
		}
		if c.Run.Model != "" {
			name += ", " + r.safe(c.Run.Model)
		}
		return name + ")"
	case "wasm":
		name += " (wasm)"
	}
	return name
}

// kindOf returns the kind of a call; a root of which nothing is known is a worker.
func kindOf(c *view.Call) string {
	if c.Kind == "" && c.Parent == nil {
		return "worker"
	}
	return c.Kind
}

// Status returns how a call ended in words, safe to show on one line, and their role.
func Status(c *view.Call) (ui.Role, string) {
	status := string(c.Outcome())
	text := trace.Visible(ended(status))
	switch status {
	case "ok":
		return ui.Good, text
	case "", "needs_input", "not_run", "stopped", "interrupted":
		return ui.Warn, text
	}
	return ui.Bad, text
}

// details returns the lines that belong under a call.
func (r *renderer) details(c *view.Call) []ui.Span {
	var out []ui.Span
	add := func(text string) { out = append(out, ui.Span{Text: text, Role: ui.Faint}) }
	if r.Args && len(c.Args) > 0 {
		add("input  " + r.safe(string(c.Args)))
	}
	if r.Args && len(c.Output) > 0 {
		add("output " + r.safe(string(c.Output)))
	}
	for _, p := range c.Parts {
		add("output " + r.safe(p.String()))
	}
	if r.Turns {
		for _, t := range c.Run.Turns {
			add(turnText(t))
		}
	}
	for _, n := range Notes(c) {
		role, mark := map[string]ui.Role{"warn": ui.Warn, "error": ui.Bad}[n.Level], "! "
		if n.Level == "info" {
			mark = "· "
		}
		out = append(out, ui.Span{Text: mark + r.safe(n.Text), Role: role})
	}
	return out
}

func turnText(t view.Turn) string {
	finish := t.Finish
	if finish == "" {
		finish = "no answer"
	}
	s := fmt.Sprintf("turn %d  %s  %s  %s", t.Turn, trace.Visible(clip(finish, 40)), duration(t.MS), spent(t.Usage))
	if t.Reasoning != nil {
		s += "  " + ui.Thought(t.Reasoning)
	}
	if t.Attempts > 1 {
		s += fmt.Sprintf("  %d attempts", t.Attempts)
	}
	return s
}

// clip returns s, or its first n characters and "…" if s is longer.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}

// tokens describes token usage for people: "1200 in, 300 out", with ~ if
// estimated.
func tokens(u trace.Usage) string {
	about := ""
	if u.Estimated {
		about = "~"
	}
	return about + strconv.Itoa(u.In) + " in, " + about + strconv.Itoa(u.Out) + " out"
}

// spent returns the tokens and, if known, their cost.
func spent(u trace.Usage) string {
	if cost := u.CostText(); cost != "" {
		return tokens(u) + "  " + cost
	}
	return tokens(u)
}

// ownUsage returns what the worker's own turns used, if workers below it used some
// too.
func ownUsage(c *view.Call) string {
	if c.Run.UsedOwn == nil {
		return ""
	}
	return " (own " + spent(*c.Run.UsedOwn) + ")"
}

func duration(ms int64) string {
	d := time.Duration(min(max(ms, 0), int64(1)<<40)) * time.Millisecond
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + "s"
	}
	return d.Round(time.Second).String()
}

// approvalText says in a few words how a call was approved or denied, such as
// "allowed", "approved by --approve-all" or "denied: the user said no: later".
func approvalText(a trace.Approval, width int) string {
	s := "denied"
	if a.Decision == "run" {
		s = "approved"
		switch a.Source {
		case "setting":
			s = "allowed"
		case "mode":
			s += " by --approve-all"
		case "user":
			s += " by the user"
		case "cache":
			s += " earlier in this session"
		}
	}
	switch a.Remember {
	case "session":
		s += ", also for the same call later in this session"
	case "always":
		s += ", also with other arguments in this session"
	case "keep":
		s += ", with a rule that is kept"
	}
	if a.Reason != "" {
		s += ": " + a.Reason
	}
	return trace.Visible(clip(s, width))
}

func retryText(v trace.Retry) string {
	return fmt.Sprintf("attempt %d of turn %d failed (%s), tried again after %s", v.Attempt, v.Turn, joinCode(v.Code, v.Message), duration(v.WaitMS))
}
