package describe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golem/core/tool"
	"golem/core/ui"
)

// Text returns the tree for people: each worker once, with what happens to its
// calls, and below it the workers that it may call.
func (t *CallTree) Text() string {
	var b strings.Builder
	for _, l := range t.Lines() {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// Lines returns the text in parts with roles: names of workers, their files, and what
// happens to calls.
func (t *CallTree) Lines() []ui.Line {
	p := treePrinter{workers: map[string]*TreeWorker{}, done: map[string]bool{}}
	for n := range t.Workers {
		p.workers[t.Workers[n].Path] = &t.Workers[n]
	}
	for _, w := range t.Workers {
		if !p.done[w.Path] {
			p.print(&w, "", nil)
		}
	}
	return p.lines
}

type treePrinter struct {
	lines   []ui.Line
	workers map[string]*TreeWorker // by path
	done    map[string]bool
}

// line adds a line: its indentation, then parts whose texts are made safe together, so
// that spaces between them stay single.
func (p *treePrinter) line(indent string, parts ...ui.Span) {
	line := ui.Line{{Text: indent}}
	for _, s := range parts {
		text := ui.OneLine("." + s.Text + ".") // the spaces at its ends stay
		s.Text = text[1 : len(text)-1]
		line = append(line, s)
	}
	p.lines = append(p.lines, line)
}

func (p *treePrinter) print(w *TreeWorker, indent string, note ui.Line) {
	p.done[w.Path] = true
	more := ""
	if w.Description != "" {
		more = ": " + strings.TrimSpace(w.Description)
	}
	first := indent
	if indent != "" {
		first = indent[:len(indent)-2] + "→ "
	}
	head := append(ui.Line{{Text: w.ID, Role: ui.Strong}, {Text: " (" + w.Path + ")", Role: ui.Faint}}, note...)
	p.line(first, append(head, ui.Span{Text: more})...)
	for _, file := range w.Shadowed {
		p.line(indent+"  ", ui.Span{Text: "shadows " + file})
	}
	for _, g := range w.groups() {
		p.line(indent+"  ", ui.Span{Text: g.call + ":", Role: g.role}, ui.Span{Text: " " + g.tools})
	}
	below := indent + "    "
	for _, c := range w.Calls {
		line := append(ui.Line{{Text: c.Worker, Role: ui.Strong}}, c.note()...)
		at := indent + "  → "
		switch to := p.workers[c.Path]; {
		case c.Worker == everyWorker:
			every := ui.Line{{Text: "*", Role: ui.Strong}, {Text: " (every other worker of the project)", Role: ui.Faint}}
			p.line(at, append(every, c.note()...)...)
		case c.Cycle || to == nil:
			p.line(at, line...)
		case p.done[c.Path]:
			p.line(at, append(line, ui.Span{Text: " (shown above)", Role: ui.Faint})...)
		default:
			p.print(to, below, c.note())
		}
	}
}

// note returns the text after a worker's name: what happens to the call if it does not just
// run, and whether it closes a cycle.
func (c WorkerCall) note() ui.Line {
	var out ui.Line
	if c.Call != "runs" && c.Call != "" {
		out = ui.Line{{Text: fmt.Sprintf(", %s: %s", c.Call, c.Why)}}
	}
	switch {
	case c.Recursion:
		out = append(out, ui.Span{Text: " (cycle: it allows recursion)", Role: ui.Faint})
	case c.Cycle:
		out = append(out, ui.Span{Text: " (cycle: a run refuses it)", Role: ui.Faint})
	}
	return out
}

// group is the tools of a worker whose calls are treated alike.
type group struct {
	call  string // what happens to a call, for people
	role  ui.Role
	tools string
}

// groups returns the worker's tools, one group for each value of TreeTool.Call.
func (w *TreeWorker) groups() []group {
	var out []group
	for _, g := range []group{{Asks, ui.Warn, ""}, {"runs", ui.Good, ""}, {"refused", ui.Bad, ""}, {string(tool.ExecManual), ui.Info, ""}} {
		var names []string
		for _, t := range w.Tools {
			if t.Call == g.call {
				names = append(names, fmt.Sprintf("%s (%s)", t.Name, t.Risk))
			}
		}
		if g.call == string(tool.ExecManual) {
			g.call = "only a person starts"
		}
		if g.tools = strings.Join(names, ", "); g.tools != "" {
			out = append(out, g)
		}
	}
	return out
}

// Mermaid returns the tree as a Mermaid flowchart.
func (t *CallTree) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	ids := map[string]string{}
	for n, w := range t.Workers {
		ids[w.Path] = "w" + strconv.Itoa(n)
		lines := []string{mermaidText(w.ID)}
		for _, g := range w.groups() {
			lines = append(lines, mermaidText(g.call+": "+g.tools))
		}
		fmt.Fprintf(&b, "  %s[\"%s\"]\n", ids[w.Path], strings.Join(lines, "<br/>"))
	}
	if slices.ContainsFunc(t.Workers, func(w TreeWorker) bool { return len(w.Calls) > 0 && w.Calls[0].Worker == everyWorker }) {
		b.WriteString("  every[\"every other worker of the project\"]\n")
	}
	for _, w := range t.Workers {
		for _, c := range w.Calls {
			to := ids[c.Path]
			if c.Worker == everyWorker {
				to = "every"
			} else if to == "" {
				continue // a worker that cannot be loaded
			}
			switch note := strings.TrimPrefix(strings.TrimSpace(c.note().String()), ", "); {
			case note == "":
				fmt.Fprintf(&b, "  %s --> %s\n", ids[w.Path], to)
			case c.Cycle:
				fmt.Fprintf(&b, "  %s -.->|\"%s\"| %s\n", ids[w.Path], mermaidText(note), to)
			default:
				fmt.Fprintf(&b, "  %s -->|\"%s\"| %s\n", ids[w.Path], mermaidText(note), to)
			}
		}
	}
	return b.String()
}

// mermaidText returns text for a quoted label of Mermaid. Characters that have a meaning in
// Mermaid or HTML become numeric entities.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range ui.OneLine(s) {
		if strings.ContainsRune("\"#&;<>\\`|[]{}%", r) {
			fmt.Fprintf(&b, "#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
