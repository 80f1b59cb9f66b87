package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/trace"
	"golem/core/ui/view"
)

// Formats returns the formats that Export knows, in the order in which to offer
// them.
func Formats() []string { return []string{"json", "md", "chrome"} }

// Export writes a trace in another format (golem trace export): json is one
// JSON document with the tree of calls, md a report in Markdown for people,
// chrome the trace-event format of chrome://tracing and Perfetto. An unknown
// format is E_USAGE.
func Export(w io.Writer, format string, h trace.Header, events []trace.Event) error {
	s := view.Read(events)
	var err error
	switch format {
	case "json":
		err = exportJSON(w, h, s.Root())
	case "md":
		err = exportMarkdown(w, h, s)
	case "chrome":
		err = exportChrome(w, h, s.Root())
	default:
		return fault.New(fault.Usage, "unknown export format %q", trace.Visible(clip(format, 40))).
			Hinting("%s", fault.DidYouMean(format, slices.Clone(Formats())))
	}
	if err != nil {
		return fmt.Errorf("exporting the trace as %s: %w", format, err)
	}
	return nil
}

// node is a call in the document that exportJSON writes.
type node struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"` // the tool as called, or the worker
	Kind    string          `json:"kind"` // builtin, wasm, worker
	Worker  string          `json:"worker,omitempty"`
	Depth   int             `json:"depth"`
	Source  string          `json:"source,omitempty"`
	Model   string          `json:"model,omitempty"`
	Status  view.Status     `json:"status"` // of the call; "" if the trace ends before it did
	Started string          `json:"started,omitempty"`
	MS      int64           `json:"ms"`
	Input   json.RawMessage `json:"input,omitempty"`
	result
	Usage    trace.Usage     `json:"usage"`         // of a worker and all below it
	Own      *trace.Usage    `json:"own,omitempty"` // of the worker's own turns, where that is less
	Fuel     int64           `json:"fuel,omitempty"`
	Approval *trace.Approval `json:"approval,omitempty"`
	Turns    []view.Turn     `json:"turns,omitempty"`
	Notes    []Note          `json:"notes,omitempty"`
	Children []node          `json:"children,omitempty"`
}

type result struct {
	Output json.RawMessage `json:"output,omitempty"`
	Parts  []trace.Part    `json:"parts,omitempty"` // of the output
	Error  *fault.Fault    `json:"error,omitempty"`
}

func nodeOf(c *view.Call) node {
	n := node{
		ID: c.ID, Name: c.Called(), Kind: kindOf(c), Worker: c.Run.Worker, Depth: c.Depth, Source: c.Run.Source, Model: c.Run.Model,
		Status: c.Outcome(), Started: c.Started, MS: c.MS, Input: c.Args, result: result{c.Output, c.Parts, c.Error},
		Usage: c.Used(), Own: c.Run.UsedOwn, Fuel: c.Fuel, Approval: c.Approval, Turns: c.Run.Turns, Notes: Notes(c),
	}
	for _, child := range c.Children {
		n.Children = append(n.Children, nodeOf(child))
	}
	return n
}

// exportJSON writes the header's fields and the tree as one JSON document.
func exportJSON(w io.Writer, h trace.Header, root *view.Call) error {
	data, err := json.MarshalIndent(struct {
		Golem string       `json:"golem"`
		V     int          `json:"v"`
		Trace trace.Header `json:"trace"`
		Root  node         `json:"root"`
	}{"trace-tree", 1, h, nodeOf(root)}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(trace.EscapeJSON(data), '\n'))
	return err
}

// exportMarkdown writes a report: what ran, the tree of calls, then each call.
func exportMarkdown(w io.Writer, h trace.Header, s *view.State) error {
	root := s.Root()
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", mdText("Run of "+h.Entry+" in "+h.Project))
	calls, failed := 0, 0
	root.Walk(func(c *view.Call) {
		if c != root {
			calls++
			if c.Error != nil {
				failed++
			}
		}
	})
	b.WriteString("| | |\n|---|---|\n")
	for _, row := range [][2]string{
		{"run", h.Run}, {"started", h.Started}, {"golem", h.Version + " (" + h.Platform + ")"},
		{"status", string(root.Outcome())}, {"time", duration(root.MS)}, {"tokens", tokens(root.Used())}, {"cost", root.Used().CostText()},
		{"calls", fmt.Sprintf("%d, %d failed", calls, failed)},
	} {
		if row[1] != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", row[0], mdText(row[1]))
		}
	}
	var tree strings.Builder
	if err := Render(&tree, s, Options{Turns: true}); err != nil {
		return err
	}
	b.WriteString("\n## Calls\n\n" + fenced("", tree.String()))
	root.Walk(func(c *view.Call) { markdownCall(&b, c) })
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownCall(b *strings.Builder, c *view.Call) {
	fmt.Fprintf(b, "\n## %s %s\n\n", mdText(c.ID), mdText(c.Called()))
	if c.Approval != nil {
		fmt.Fprintf(b, "Approval: %s\n\n", mdText(approvalText(*c.Approval, 400)))
	}
	if len(c.Args) > 0 {
		b.WriteString("Input\n\n" + fencedJSON(c.Args) + "\n")
	}
	for _, t := range c.Run.Turns {
		if t.Text != "" {
			fmt.Fprintf(b, "Turn %d\n\n%s\n", t.Turn, fenced("", readable(t.Text)))
		}
	}
	if len(c.Output) > 0 {
		b.WriteString("Output\n\n" + fencedJSON(c.Output) + "\n")
	}
	for _, p := range c.Parts {
		b.WriteString(mdText(p.String()) + "\n\n")
	}
	if c.Error != nil {
		b.WriteString("Error: " + mdText(c.Error.Error()) + "\n")
	}
}

// mdText escapes text, so that Markdown shows it unchanged on one line.
func mdText(s string) string {
	var b strings.Builder
	for _, r := range trace.Visible(s) {
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
		return fenced("", readable(plain(raw)))
	}
	return fenced("json", readable(string(raw)))
}

// readable makes each line safe to show and keeps the line breaks.
func readable(s string) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.ReplaceAll(trace.Visible(l), `\t`, "\t")
	}
	return strings.Join(lines, "\n")
}

// fenced returns text in a code block with a fence that the text does not
// contain.
func fenced(language, text string) string {
	mark := tool.Fence(text)
	return mark + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + mark + "\n"
}
