package ui

import (
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/approval"
	"golem/core/tool"
)

// How much of a value or a diff is shown before it is folded. What is folded
// is counted and shown whole by the answer v.
const (
	foldLines = 12
	foldBytes = 2000
	foldDiff  = 60
)

// Marks stand before every line of content in a request, so that content
// cannot look like golem's own lines (SECURITY 9).
const (
	mark     = "  │ "
	markMore = "  ┆ " // the same line, broken by golem
)

// requestView draws an approval request.
type requestView struct {
	width   int // columns; 0: lines are not broken
	color   bool
	whole   bool // nothing is folded
	escaped bool // something was shown as an escape
	folded  bool
	b       strings.Builder
}

// request is the whole text of the question but its prompt; folded says that
// something is behind v.
func (v *requestView) request(r approval.Request) (text string, folded bool) {
	v.b.Reset()
	v.escaped, v.folded = false, false
	v.b.WriteString("\n")
	if r.Kind == approval.KindTool {
		v.call(r)
	} else {
		v.question(r)
	}
	if v.escaped {
		v.b.WriteString("Note: control, invisible or text-direction characters are shown as escapes.\n")
	}
	return v.b.String(), v.folded
}

// question is a question that is no tool call: its title, and what a yes covers.
func (v *requestView) question(r approval.Request) {
	prefix := "[Approval Required] "
	if r.Kind == approval.KindInput {
		prefix = "[Question] "
	}
	v.label(prefix, r.Title)
	if len(r.WorkerPath) > 0 {
		v.label("Path: ", strings.Join(r.WorkerPath, " → "))
	}
	for _, l := range r.Lines {
		name := "  " + v.visible(l.Path)
		if l.Where != "" {
			name += " (" + v.visible(l.Where) + ")"
		}
		shown := v.lines(l.Value)
		if len(shown) == 1 && len(shown[0]) <= foldBytes {
			v.label(name+": ", shown[0])
		} else {
			v.b.WriteString(fmt.Sprintf("%s (%d bytes, %d lines):\n", name, len(l.Value), len(shown)))
			v.content(v.fold(shown, foldLines))
		}
		if l.Means != "" {
			v.label("    → ", l.Means)
		}
	}
}

// call is a tool call, every argument of it.
func (v *requestView) call(r approval.Request) {
	description := strings.Join(strings.Fields(r.Description), " ")
	if description == "" {
		description = r.Tool
	}
	v.label("[Approval Required] ", description)
	v.label("Risk: ", r.Risk)
	v.label("Path: ", strings.Join(r.WorkerPath, " → "))
	if n := len(r.Workers); n > 1 && r.Workers[n-1].Task != "" {
		v.label("Task: ", r.Workers[n-1].Task)
	}
	v.label("Tool: ", r.Tool)
	if file, digest, custom := strings.Cut(r.Module, "@sha256:"); custom {
		v.label("Module: ", file+" (custom tool, sha256 "+digest[:min(12, len(digest))]+"…)")
		v.label("Granted: ", grants(r.Grants))
	}
	if len(r.Paths) > 0 {
		uses := make([]string, len(r.Paths))
		for i, p := range r.Paths {
			uses[i] = p.Op + " " + p.Path
			if p.Mount != "" && p.Mount != "root" {
				uses[i] += " (mount " + p.Mount + ")"
			}
		}
		v.label("Files: ", strings.Join(uses, ", "))
	}
	if r.Rule != "" {
		v.label("Asked by: ", r.Rule)
	}
	for _, f := range pathFirst(fields(r.Args)) {
		v.argument(f)
	}
	if r.Diff != "" {
		v.diff(r.Diff)
	}
}

// grants are what a module can reach.
func grants(list []tool.Grant) string {
	if len(list) == 0 {
		return "nothing: it can only compute"
	}
	out := make([]string, len(list))
	for i, g := range list {
		out[i] = g.Name + " " + g.Value
	}
	return strings.Join(out, "; ")
}

// help explains the answers.
func (v *requestView) help(r approval.Request, folded bool) string {
	var b strings.Builder
	if r.Kind == approval.KindInput {
		return "type the answer · Enter alone: no answer, the run ends here\n"
	}
	if r.Offers(approval.Session) {
		b.WriteString("y: once · n, or n WHY: no (WHY is told to the model) · s: exactly this, for the session · d: no to exactly this, for the session\n")
	} else {
		b.WriteString("y: yes to all of this · n, or Enter: no\n")
	}
	if r.Offers(approval.Always) {
		b.WriteString("a: " + v.visible(r.Tool) + " with ANY arguments, for the session\n")
	}
	if folded {
		b.WriteString("v: view all before you answer\n")
	}
	return b.String()
}

func (v *requestView) visible(s string) string {
	out, changed := approval.Visible(s)
	v.escaped = v.escaped || changed
	return out
}

func (v *requestView) lines(s string) []string {
	out, changed := approval.Lines(s)
	v.escaped = v.escaped || changed
	return out
}

// label writes one line of golem's own, broken where it is long.
func (v *requestView) label(name, value string) {
	pieces := []string{v.visible(value)}
	if v.width > 0 {
		pieces = chop(pieces[0], v.width-width(name))
	}
	v.b.WriteString(name + pieces[0] + "\n")
	for _, p := range pieces[1:] {
		v.b.WriteString(markMore + p + "\n")
	}
}

// argument writes one argument: a short value beside its name, a long one
// below it.
func (v *requestView) argument(f field) {
	name := f.name
	if name == "" {
		name = "arguments"
	}
	var text string
	isText := json.Unmarshal(f.value, &text) == nil && strings.HasPrefix(strings.TrimSpace(string(f.value)), `"`)
	if isText && !strings.Contains(text, "\n") && len(text) <= 200 {
		v.label("  "+v.visible(name)+": ", `"`+text+`"`)
		return
	}
	var shown []string
	if isText {
		shown = v.lines(text)
	} else if shown = v.lines(pretty(f.value)); len(shown) == 1 && len(shown[0]) <= 200 {
		v.label("  "+v.visible(name)+": ", shown[0])
		return
	}
	size := fmt.Sprintf("%d bytes, %d lines", len(f.value), len(shown))
	if isText {
		size = fmt.Sprintf("%d bytes, %d lines", len(text), len(shown))
	}
	v.b.WriteString("  " + v.visible(name) + " (" + size + "):\n")
	v.content(v.fold(shown, foldLines))
}

// diff writes a unified diff, folded when it is long.
func (v *requestView) diff(text string) {
	shown := v.lines(text)
	v.b.WriteString("Change:\n")
	for _, l := range v.fold(shown, foldDiff) {
		v.marked(l, diffColor(l))
	}
}

// fold cuts a long list of lines and says how much is hidden.
func (v *requestView) fold(all []string, limit int) []string {
	if v.whole {
		return all
	}
	size, keep := 0, 0
	for keep < len(all) && keep < limit && size+len(all[keep]) <= max(foldBytes, limit*100) {
		size += len(all[keep])
		keep++
	}
	if keep == len(all) {
		return all
	}
	v.folded = true
	if keep == 0 {
		head := chop(all[0], foldBytes)[0]
		return []string{head, fmt.Sprintf("… %d more bytes in this line and %d more lines are hidden: v shows them", len(all[0])-len(head), len(all)-1)}
	}
	return append(all[:keep:keep], fmt.Sprintf("… %d more lines are hidden: v shows them", len(all)-keep))
}

func (v *requestView) content(all []string) {
	for _, l := range all {
		v.marked(l, "")
	}
}

// marked writes a line of content behind its mark.
func (v *requestView) marked(l, color string) {
	pieces := []string{strings.ReplaceAll(l, "\t", "    ")}
	if v.width > 0 {
		pieces = chop(pieces[0], v.width-width(mark))
	}
	for i, p := range pieces {
		m := mark
		if i > 0 {
			m = markMore
		}
		v.b.WriteString(m + paint(v.color, color, p) + "\n")
	}
}

// Colours, as the numbers of the ANSI escape.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func paint(on bool, color, s string) string {
	if !on || color == "" || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

func diffColor(l string) string {
	switch {
	case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"):
		return bold
	case strings.HasPrefix(l, "@@"):
		return cyan
	case strings.HasPrefix(l, "+"):
		return green
	case strings.HasPrefix(l, "-"):
		return red
	}
	return ""
}
