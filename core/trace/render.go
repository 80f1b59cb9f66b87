package trace

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golem/core/fault"
)

// RenderOptions say how Render draws a tree. The zero value draws calls and
// notes without colour.
type RenderOptions struct {
	Color   bool
	Compact bool // one line per call with its id, without the lines of the tree
	Args    bool // show each call's arguments
	Turns   bool // show each model turn
	Width   int  // columns for arguments and messages; 0 means 80
}

// Render draws a tree of calls with duration, tokens, approval, status and
// errors (golem trace show). Names and texts from the trace are made safe with
// Visible, so they cannot leave their line or contain escape sequences.
func Render(w io.Writer, root *Node, o RenderOptions) error {
	r := renderer{RenderOptions: o, out: bufio.NewWriter(w)}
	if r.Width <= 0 {
		r.Width = 80
	}
	if root != nil {
		if o.Compact {
			root.Walk(r.row)
		} else {
			r.node(root, "", "", "")
		}
	}
	if err := r.out.Flush(); err != nil {
		return fmt.Errorf("writing the tree: %w", err)
	}
	return nil
}

type renderer struct {
	RenderOptions
	out *bufio.Writer
}

// node draws one call: its line, its details, then the calls below it.
func (r *renderer) node(n *Node, prefix, branch, below string) {
	r.line(prefix+branch, r.describe(n))
	inner := prefix + below
	details := r.details(n)
	rail := "  "
	if len(n.Children) > 0 {
		rail = "│ "
	}
	for _, d := range details {
		r.line(inner+rail, d)
	}
	for i, c := range n.Children {
		if i == len(n.Children)-1 {
			r.node(c, inner, "└─ ", "   ")
		} else {
			r.node(c, inner, "├─ ", "│  ")
		}
	}
}

// row draws a call in one line, for reading as a list.
func (r *renderer) row(n *Node) {
	r.line("", Visible(clip(n.ID, r.Width))+"  "+r.describe(n))
}

func (r *renderer) line(lead, text string) {
	_, _ = r.out.WriteString(lead + text + "\n") // the buffer keeps the error for Flush
}

func (r *renderer) describe(n *Node) string {
	parts := []string{r.paint("1", r.name(n)), r.status(n), duration(n.MS)}
	if n.Usage.In != 0 || n.Usage.Out != 0 {
		parts = append(parts, r.paint("2", spent(n.Usage)+own(n)))
	}
	if n.Approval != nil {
		parts = append(parts, r.paint("2", "["+approvalText(*n.Approval, r.Width)+"]"))
	}
	if n.Error != nil {
		parts = append(parts, r.paint("31", faultText(n.Error, r.Width)))
	}
	return strings.Join(parts, "  ")
}

func (r *renderer) name(n *Node) string {
	name := Visible(clip(n.Name, r.Width))
	if name == "" {
		name = "?"
	}
	if n.Kind == "worker" {
		name += " (worker"
		if n.Worker != "" && n.Worker != n.Name {
			name += " " + Visible(clip(n.Worker, r.Width))
		}
		if n.Model != "" {
			name += ", " + Visible(clip(n.Model, r.Width))
		}
		return name + ")"
	}
	if n.Kind == "wasm" {
		name += " (wasm)"
	}
	return name
}

func (r *renderer) status(n *Node) string {
	switch n.Status {
	case "":
		return r.paint("33", "unfinished")
	case "ok":
		return r.paint("32", "ok")
	case "needs_input", "not_run", "stopped", "interrupted":
		return r.paint("33", strings.ReplaceAll(n.Status, "_", " "))
	}
	return r.paint("31", Visible(clip(n.Status, r.Width)))
}

// details returns the lines that belong under a call.
func (r *renderer) details(n *Node) []string {
	var out []string
	if r.Args && len(n.Input) > 0 {
		out = append(out, r.paint("2", "input  "+Visible(clip(string(n.Input), r.Width))))
	}
	if r.Args && len(n.Output) > 0 {
		out = append(out, r.paint("2", "output "+Visible(clip(string(n.Output), r.Width))))
	}
	for _, p := range n.Parts {
		out = append(out, r.paint("2", "output "+Visible(clip(p.String(), r.Width))))
	}
	if r.Turns {
		for _, t := range n.Turns {
			out = append(out, r.paint("2", r.turn(t)))
		}
	}
	for _, note := range n.Notes {
		color := map[string]string{"warn": "33", "error": "31"}[note.Level]
		out = append(out, r.paint(color, mark(note.Level)+Visible(clip(note.Text, r.Width))))
	}
	return out
}

func (r *renderer) turn(t Turn) string {
	finish := t.Finish
	if finish == "" {
		finish = "no answer"
	}
	s := fmt.Sprintf("turn %d  %s  %s  %s", t.Turn, Visible(clip(finish, 40)), duration(t.MS), spent(t.Usage))
	if t.Attempts > 1 {
		s += fmt.Sprintf("  %d attempts", t.Attempts)
	}
	return s
}

func mark(level string) string {
	if level == "info" {
		return "· "
	}
	return "! "
}

func (r *renderer) paint(color, s string) string {
	if !r.Color || color == "" || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
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
func tokens(u Usage) string {
	about := ""
	if u.Estimated {
		about = "~"
	}
	return about + strconv.Itoa(u.In) + " in, " + about + strconv.Itoa(u.Out) + " out"
}

// spent returns the tokens and, if known, their cost.
func spent(u Usage) string {
	if cost := u.CostText(); cost != "" {
		return tokens(u) + "  " + cost
	}
	return tokens(u)
}

// own returns what the worker's own turns used, if workers below it used some
// too.
func own(n *Node) string {
	if n.Own == nil {
		return ""
	}
	return " (own " + spent(*n.Own) + ")"
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
func approvalText(a Approval, width int) string {
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
	return Visible(clip(s, width))
}

func faultText(f *fault.Fault, width int) string {
	return Visible(clip(joinCode(f.Code, f.Message), width))
}

func retryText(v Retry) string {
	return fmt.Sprintf("attempt %d of turn %d failed (%s), tried again after %s", v.Attempt, v.Turn, joinCode(v.Code, v.Message), duration(v.WaitMS))
}
