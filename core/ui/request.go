package ui

import (
	"encoding/json"
	"strings"

	"golem/core/approval"
	"golem/core/tool"
)

// requestView draws an approval request on one screen: what happens first, then
// who asks, then the content or the change, and the keys at the end.
type requestView struct {
	width, height int // columns and lines; 0: 80 and 24
	color         bool
	whole         bool // cut nothing, and show arguments even if the diff shows them, too
	titled        bool // the frame around the request has a title, so no prefix is needed
	escaped       bool // something was shown as an escape
	partial       bool // something that a yes covers was left out
	others        Others
	b             strings.Builder
}

// The size of the screen if it is unknown, and the smallest size that is used.
const (
	ScreenWidth, MinWidth   = 80, 8
	screenHeight, minHeight = 24, 12
)

// request returns the text of the question without the hint and the keys.
func (v *requestView) request(r approval.Request) string {
	v.b.Reset()
	v.escaped, v.partial = false, false
	if v.width <= 0 {
		v.width = ScreenWidth
	}
	if v.height <= 0 {
		v.height = screenHeight
	}
	v.width, v.height = max(v.width, MinWidth), max(v.height, minHeight)
	v.b.WriteString("\n")
	if r.Kind == approval.KindTool {
		body := v.call(r)
		foot := strings.Count(v.keys(r), "\n") + 3 // the note on escapes, the hint, the keys
		v.fold(body, v.height-strings.Count(v.b.String(), "\n")-foot)
	} else {
		v.question(r)
	}
	if v.escaped {
		v.label("Note: ", "control, invisible or text-direction characters are shown as escapes.", uncut)
	}
	return v.b.String()
}

// question draws a question that is not about a tool call: its title, and every setting
// that a yes covers, because a person cannot approve a setting that is not shown.
func (v *requestView) question(r approval.Request) {
	prefix := v.prefix()
	if (r.Kind == approval.KindInput || r.Kind == approval.KindResume) && !v.titled {
		prefix = "[Question] "
	}
	v.label(prefix, r.Title, headRows)
	v.workers(r)
	for _, l := range r.Lines {
		v.setting(l)
		if l.Means != "" {
			v.label(meansPrefix, l.Means, headRows)
		}
	}
}

// setting draws one setting that a yes covers. In a frame, its name and its value have
// different styles, and a value of one line has no title with its size.
func (v *requestView) setting(l approval.Line) {
	name := l.Path
	if l.Where != "" {
		name += " (" + l.Where + ")"
	}
	if l.By != "" { // a worker's words, each line with a mark
		v.label("  ", name+":", headRows)
		v.rows(v.content(l.Value, nil))
		return
	}
	s := v.value(name, l.Value, true)
	if v.titled && len(s.rows) > 1 && !strings.Contains(l.Value, "\n") {
		s.rows = nil
		for _, p := range v.broken("  ", v.visible(name)+":") {
			s.rows = append(s.rows, row{parts: Line{{p, Strong}}})
		}
		s.rows = append(s.rows, v.content(l.Value, func(string) Role { return Info })...)
	} else if v.titled && len(s.rows) == 1 {
		s.rows[0].parts[0].Role, s.rows[0].parts[1].Role = Strong, Info
	}
	if v.whole {
		v.rows(s.rows)
	} else {
		v.writeSome(s, lineRows)
	}
}

const (
	approvalPrefix = "[Approval Required] "
	meansPrefix    = "    → "
)

// prefix returns the beginning of the first line of a request.
func (v *requestView) prefix() string {
	if v.titled {
		return ""
	}
	return approvalPrefix
}

// call writes the labels of a tool call and returns the sections of its content.
func (v *requestView) call(r approval.Request) []section {
	head, told := v.headline(r)
	if v.whole && r.Type == "command" && !told["command"] {
		head = r.Tool // the complete command is below
	}
	v.label(v.prefix(), head, headRows)
	v.label("Risk: ", r.Risk, labelRows)
	if r.Why != "" {
		v.label("Why asked: ", r.Why, labelRows)
	}
	if len(r.Runs) > 0 {
		v.label("Runs: ", strings.Join(r.Runs, "; "), headRows)
	}
	v.workers(r)
	if at := strings.LastIndex(r.Module, "@sha256:"); at >= 0 { // a file's name may hold the same text
		file, digest := r.Module[:at], r.Module[at+len("@sha256:"):]
		v.label("Module: ", file+" (custom tool, sha256 "+digest[:min(12, len(digest))]+"…)", labelRows)
		v.label("Granted: ", grants(r.Grants), headRows)
	} else if len(r.Grants) > 0 {
		v.label("Reaches: ", grants(r.Grants), headRows)
	}
	if r.Description != "" && (r.Type == "tool_call" || v.whole) {
		v.label("About: ", strings.Join(strings.Fields(r.Description), " "), lesserRows)
	}
	if len(r.Paths) > 0 && (r.Module != "" || v.whole) {
		v.label("Files: ", uses(r.Paths), labelRows)
	}
	return v.body(r, told)
}

// workers writes the path from the root to the worker that asks, and that worker's task.
func (v *requestView) workers(r approval.Request) {
	switch len(r.WorkerPath) {
	case 0:
	case 1:
		v.label("Worker: ", r.WorkerPath[0], labelRows)
	default:
		v.label("Path: ", strings.Join(r.WorkerPath, " → "), labelRows)
	}
	if n := len(r.Workers); n > 1 && r.Workers[n-1].Task != "" {
		task := r.Workers[n-1].Task
		if strings.HasPrefix(task, "{") && json.Valid([]byte(task)) { // the input of a worker with a schema
			task = strings.Join(named(ordered(fields(json.RawMessage(task))), briefOf), ", ")
		}
		v.label("Task: ", task, lesserRows)
	}
}

// body returns the sections below the labels: the new content of the file, or the change
// to it, or the arguments. told has the names of the arguments that the headline shows
// completely.
func (v *requestView) body(r approval.Request, told map[string]bool) []section {
	change := changeOf(r)
	var out []section
	for _, f := range ordered(fields(r.Args)) {
		if !v.whole && (told[f.name] || change.shows(f.name)) {
			continue
		}
		out = append(out, v.argument(f, change.kind == newFile && f.name == "content" && !v.whole))
	}
	switch {
	case r.Diff == "" || change.kind == newFile && !v.whole && hasField(r.Args, "content"):
	case v.whole:
		out = append(out, v.diff("Change:", strings.TrimSuffix(r.Diff, "\n")))
	default:
		out = append(out, v.diff("", change.lines))
	}
	return out
}

// uses lists the files of a call with their mounts.
func uses(paths []tool.PathUse) string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = p.Op + " " + p.Path
		if p.Mount != "" && p.Mount != "root" {
			out[i] += " (mount " + p.Mount + ")"
		}
	}
	return strings.Join(out, ", ")
}

// grants lists what a module can reach.
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

// DiffStyle returns the role of a line of a unified diff; Body for context.
func DiffStyle(l string) Role {
	if strings.HasPrefix(l, "+++") || strings.HasPrefix(l, "---") {
		return Strong
	}
	return changeStyle(l)
}

// changeStyle returns the style of a line that does not name a file. DiffStyle would be
// wrong for it: if the line "-- x" is removed, the diff has "--- x".
func changeStyle(l string) Role {
	switch {
	case strings.HasPrefix(l, "@@"):
		return Info
	case strings.HasPrefix(l, "+"):
		return Good
	case strings.HasPrefix(l, "-"):
		return Bad
	}
	return Body
}
