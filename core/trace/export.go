package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// Formats returns the formats that Export knows, in the order in which to offer
// them.
func Formats() []string { return []string{"json", "md", "chrome"} }

// Export writes a trace in another format (golem trace export): json is one
// JSON document with the tree of calls, md a report in Markdown for people,
// chrome the trace-event format of chrome://tracing and Perfetto. An unknown
// format is E_USAGE.
func Export(w io.Writer, format string, h Header, events []Event) error {
	var err error
	switch format {
	case "json":
		err = exportJSON(w, h, events)
	case "md":
		err = exportMarkdown(w, h, Tree(events))
	case "chrome":
		err = exportChrome(w, h, Tree(events))
	default:
		return fault.New(fault.Usage, "unknown export format %q", Visible(clip(format, 40))).
			Hinting("%s", fault.DidYouMean(format, slices.Clone(Formats())))
	}
	if err != nil {
		return fmt.Errorf("exporting the trace as %s: %w", format, err)
	}
	return nil
}

// exportJSON writes the header's fields and the tree as one JSON document.
func exportJSON(w io.Writer, h Header, events []Event) error {
	data, err := json.MarshalIndent(struct {
		Golem string `json:"golem"`
		V     int    `json:"v"`
		Trace Header `json:"trace"`
		Root  *Node  `json:"root"`
	}{"trace-tree", 1, h, Tree(events)}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(appendJSON(nil, data, nil), '\n'))
	return err
}

// exportMarkdown writes a report: what ran, the tree of calls, then each call.
func exportMarkdown(w io.Writer, h Header, root *Node) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", mdText("Run of "+h.Entry+" in "+h.Project))
	calls, failed := 0, 0
	root.Walk(func(n *Node) {
		if n != root {
			calls++
			if n.Error != nil {
				failed++
			}
		}
	})
	b.WriteString("| | |\n|---|---|\n")
	for _, row := range [][2]string{
		{"run", h.Run}, {"started", h.Started}, {"golem", h.Version + " (" + h.Platform + ")"},
		{"status", root.Status}, {"time", duration(root.MS)}, {"tokens", tokens(root.Usage)}, {"cost", root.Usage.CostText()},
		{"calls", fmt.Sprintf("%d, %d failed", calls, failed)},
	} {
		if row[1] != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", row[0], mdText(row[1]))
		}
	}
	var tree strings.Builder
	if err := Render(&tree, root, RenderOptions{Turns: true}); err != nil {
		return err
	}
	b.WriteString("\n## Calls\n\n" + fenced("", tree.String()))
	root.Walk(func(n *Node) { markdownCall(&b, n) })
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownCall(b *strings.Builder, n *Node) {
	fmt.Fprintf(b, "\n## %s %s\n\n", mdText(n.ID), mdText(n.Name))
	if n.Approval != nil {
		fmt.Fprintf(b, "Approval: %s\n\n", mdText(approvalText(*n.Approval, 400)))
	}
	if len(n.Input) > 0 {
		b.WriteString("Input\n\n" + fencedJSON(n.Input) + "\n")
	}
	for _, t := range n.Turns {
		if t.Text != "" {
			fmt.Fprintf(b, "Turn %d\n\n%s\n", t.Turn, fenced("", readable(t.Text)))
		}
	}
	if len(n.Output) > 0 {
		b.WriteString("Output\n\n" + fencedJSON(n.Output) + "\n")
	}
	for _, p := range n.Parts {
		b.WriteString(mdText(p.String()) + "\n\n")
	}
	if n.Error != nil {
		b.WriteString("Error: " + mdText(n.Error.Error()) + "\n")
	}
}

// mdText escapes text, so that Markdown shows it unchanged on one line.
func mdText(s string) string {
	var b strings.Builder
	for _, r := range Visible(s) {
		if r < 0x80 && strings.ContainsRune("\\`*_{}[]<>()#+-!|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fencedJSON returns a value in a code block; a string as its text.
func fencedJSON(raw json.RawMessage) string {
	if len(raw) > 0 && raw[0] == '"' {
		return fenced("", readable(unquote(raw)))
	}
	return fenced("json", readable(string(raw)))
}

// readable makes each line safe to show and keeps the line breaks.
func readable(s string) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.ReplaceAll(Visible(l), `\t`, "\t")
	}
	return strings.Join(lines, "\n")
}

// fenced returns text in a code block with a fence that the text does not
// contain.
func fenced(language, text string) string {
	mark := tool.Fence(text)
	return mark + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + mark + "\n"
}
