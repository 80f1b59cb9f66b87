package describe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/ui"
)

// Text returns the description for people, as golem describe and the page show it.
func (d *Description) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s, %s)\n", ui.OneLine(d.ID), ui.OneLine(d.Path), ui.OneLine(d.Source))
	if d.Description != "" {
		b.WriteString(ui.OneLine(d.Description) + "\n")
	}
	if d.Tool != "" {
		fmt.Fprintf(&b, "\nThe entry is the tool %s: there is no prompt.\n", ui.OneLine(d.Tool))
	}
	if p := d.Prompt; p != nil {
		title := fmt.Sprintf("Prompt (%s:%d)", p.Path, p.Line)
		if p.Template {
			title = fmt.Sprintf("Prompt (%s:%d, a template, rendered at each call)", p.Path, p.Line)
		}
		section(&b, title, p.Source)
		if p.Template && p.Rendered != nil {
			section(&b, "Prompt for this input", *p.Rendered)
		}
	}
	if d.Input != nil {
		section(&b, "Input (JSON Schema)", string(d.Input))
	}
	if d.Output != nil {
		section(&b, "Output (JSON Schema)", string(d.Output))
	}
	section(&b, "Tools", toolsText(d.Tools))
	section(&b, "Files, if a person runs it", d.View.text())
	network := "no"
	if d.View.Network {
		network = "yes, to tools that may use it"
	}
	section(&b, "Network", network)
	section(&b, "Settings", ValuesText(slices.DeleteFunc(slices.Clone(d.Settings), schemaPart)))
	return b.String()
}

// schemaPart reports whether a setting is part of a schema, which is shown separately.
func schemaPart(v config.Value) bool {
	return strings.HasPrefix(v.Path, "input_schema.") || strings.HasPrefix(v.Path, "output_schema.")
}

// section writes a title and a text below it, indented and safe to show.
func section(b *strings.Builder, title, text string) {
	b.WriteString("\n" + ui.OneLine(title) + "\n")
	lines, _ := approval.Lines(strings.TrimRight(text, "\n"))
	for _, line := range lines {
		b.WriteString(strings.TrimRight("  "+line, " ") + "\n")
	}
}

// ValuesText returns one line for each setting: its path, its value and its
// origin.
func ValuesText(values []config.Value) string {
	var b strings.Builder
	for _, v := range values {
		if v.Value == "" {
			v.Value = "none"
		}
		fmt.Fprintf(&b, "%s: %s (%s)\n", ui.OneLine(v.Path), ui.OneLine(v.Value), ui.OneLine(v.Origin))
	}
	return b.String()
}

// toolsText returns a table of tools, with exceptions, callables and grants below the line
// of each tool.
func toolsText(tools []ToolUse) string {
	if len(tools) == 0 {
		return "none"
	}
	rows := [][]string{{"TOOL", "RISK", "CALL", "WHY", "FROM"}}
	for _, t := range tools {
		rows = append(rows, []string{ui.OneLine(t.Name), t.Risk, t.Call, ui.OneLine(t.Why), ui.OneLine(t.From)})
	}
	var b strings.Builder
	for n, line := range strings.SplitAfter(ui.Table(rows), "\n") {
		b.WriteString(line)
		if n > 0 && n <= len(tools) {
			b.WriteString(tools[n-1].details())
		}
	}
	return b.String()
}

func (t ToolUse) details() string {
	var b strings.Builder
	for _, u := range t.Unless {
		b.WriteString("    but " + ui.OneLine(u) + "\n")
	}
	if len(t.Uses) > 0 && !slices.Equal(t.Uses, []string{t.Worker}) {
		b.WriteString("    can call: " + ui.OneLine(strings.Join(t.Uses, ", ")) + "\n")
	}
	for _, g := range t.Grants {
		b.WriteString("    may use " + ui.OneLine(g.Name+": "+g.Value) + "\n")
	}
	return b.String()
}

func (v View) text() string {
	if len(v.Mounts) == 0 {
		return "none but attachments"
	}
	rows := [][]string{{"PATH", "MODE", "FROM", "WHERE", ""}}
	for _, m := range v.Mounts {
		var more []string
		if len(m.Suffixes) > 0 {
			more = append(more, "only "+strings.Join(m.Suffixes, " "))
		}
		if m.MaxFileBytes > 0 {
			more = append(more, fmt.Sprintf("files of at most %d bytes", m.MaxFileBytes))
		}
		for _, op := range slices.Sorted(maps.Keys(m.Approval)) {
			more = append(more, fmt.Sprintf("%s: %s", op, m.Approval[op]))
		}
		if len(more) > 0 {
			rows[0][4] = "LIMITS"
		}
		rows = append(rows, []string{ui.OneLine(m.At), m.Mode, ui.OneLine(m.Root), ui.OneLine(m.Origin), ui.OneLine(strings.Join(more, "; "))})
	}
	out := ui.Table(rows)
	if v.Restrict != "" {
		out += "restricted to " + v.Restrict + "\n"
	}
	return out
}
