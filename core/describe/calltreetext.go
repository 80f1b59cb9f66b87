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
	p := treePrinter{workers: map[string]*TreeWorker{}, done: map[string]bool{}}
	for n := range t.Workers {
		p.workers[t.Workers[n].Path] = &t.Workers[n]
	}
	for _, w := range t.Workers {
		if !p.done[w.Path] {
			p.print(&w, "", "")
		}
	}
	return p.b.String()
}

type treePrinter struct {
	b       strings.Builder
	workers map[string]*TreeWorker // by path
	done    map[string]bool
}

func (p *treePrinter) line(indent, format string, args ...any) {
	p.b.WriteString(indent + ui.OneLine(fmt.Sprintf(format, args...)) + "\n")
}

func (p *treePrinter) print(w *TreeWorker, indent, note string) {
	p.done[w.Path] = true
	more := ""
	if w.Description != "" {
		more = ": " + w.Description
	}
	first := indent
	if indent != "" {
		first = indent[:len(indent)-2] + "→ "
	}
	p.b.WriteString(first + ui.OneLine(fmt.Sprintf("%s (%s)%s%s", w.ID, w.Path, note, more)) + "\n")
	for _, file := range w.Shadowed {
		p.line(indent+"  ", "shadows %s", file)
	}
	for _, group := range w.groups() {
		p.line(indent+"  ", "%s", group)
	}
	below := indent + "    "
	for _, c := range w.Calls {
		at := indent + "  → "
		switch to := p.workers[c.Path]; {
		case c.Worker == everyWorker:
			p.line(at, "* (every other worker of the project)%s", c.note())
		case c.Cycle || to == nil:
			p.line(at, "%s%s", c.Worker, c.note())
		case p.done[c.Path]:
			p.line(at, "%s%s (shown above)", c.Worker, c.note())
		default:
			p.print(to, below, c.note())
		}
	}
}

// note returns the text after a worker's name: what happens to the call if it does not just
// run, and whether it closes a cycle.
func (c WorkerCall) note() string {
	out := ""
	if c.Call != "runs" && c.Call != "" {
		out = fmt.Sprintf(", %s: %s", c.Call, c.Why)
	}
	switch {
	case c.Recursion:
		out += " (cycle: it allows recursion)"
	case c.Cycle:
		out += " (cycle: a run refuses it)"
	}
	return out
}

// groups returns the worker's tools in one line for each value of TreeTool.Call.
func (w *TreeWorker) groups() []string {
	var out []string
	for _, call := range []string{Asks, "runs", "refused", string(tool.ExecManual)} {
		var names []string
		for _, t := range w.Tools {
			if t.Call == call {
				names = append(names, fmt.Sprintf("%s (%s)", t.Name, t.Risk))
			}
		}
		if call == string(tool.ExecManual) {
			call = "only a person starts"
		}
		if len(names) > 0 {
			out = append(out, call+": "+strings.Join(names, ", "))
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
		lines := append([]string{w.ID}, w.groups()...)
		for i, line := range lines {
			lines[i] = mermaidText(line)
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
			switch note := strings.TrimPrefix(strings.TrimSpace(c.note()), ", "); {
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
