package ui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golem/core/sorting"
)

// How much of a value a progress line shows. An approval request is never
// shortened in this way.
const (
	briefValue = 40
	briefArgs  = 4
	// BriefWidth is the width of a task, in columns.
	BriefWidth = 60
)

// SafeLine returns s on one line that is safe to show, as Safe does.
func SafeLine(s string) string {
	return Safe(strings.Join(strings.Fields(s), " "))
}

// Brief returns the beginning of a text on one short line.
func Brief(s string) string { return Clip(OneLine(s), BriefWidth) }

// CallLine returns a call as a progress line shows it: `read_file(path: "/a.txt")`.
func CallLine(name string, args json.RawMessage) string {
	all := ordered(fields(args))
	parts := named(all[:min(len(all), briefArgs)], func(raw json.RawMessage) string { return clipValue(briefOf(raw), briefValue) })
	if len(all) > briefArgs {
		parts = append(parts, "…")
	}
	return SafeLine(name) + "(" + strings.Join(parts, ", ") + ")"
}

// clipValue clips s like clip and keeps the closing quote of a string.
func clipValue(s string, n int) string {
	if strings.HasSuffix(s, `"`) && Width(s) > n {
		return Clip(strings.TrimSuffix(s, `"`), n-1) + `"`
	}
	return Clip(s, n)
}

// named returns each argument as "name: value"; show returns the text of a value.
func named(all []field, show func(json.RawMessage) string) []string {
	out := make([]string, len(all))
	for i, f := range all {
		out[i] = show(f.value)
		if f.name != "" {
			out[i] = SafeLine(f.name) + ": " + out[i]
		}
	}
	return out
}

// TaskLine returns the input of a worker on one short line: the arguments of its call
// without the worker's name and the attachments.
func TaskLine(args json.RawMessage) string {
	all := slices.DeleteFunc(ordered(fields(args)), func(f field) bool { return f.name == "worker" || f.name == "attachments" })
	if len(all) == 1 && (all[0].name == "input" || all[0].name == "") {
		return Clip(scalar(all[0].value), BriefWidth)
	}
	return Clip(strings.Join(named(all, briefOf), ", "), BriefWidth)
}

// briefOf returns a value as a progress line shows it: a string in quotes, without
// escapes; anything else as JSON.
func briefOf(raw json.RawMessage) string {
	var s *string // null is not a string
	if json.Unmarshal(raw, &s) == nil && s != nil {
		return `"` + SafeLine(*s) + `"`
	}
	return SafeLine(string(raw))
}

// argumentOrder is the order in which arguments with these names are shown, in whatever
// order the model sent them. Others follow by name. web/ui/arguments.jsx has the same
// list.
var argumentOrder = []string{"path", "from", "to", "worker", "command", "pattern", "input", "old", "new", "content"}

// ordered sorts arguments by argumentOrder.
func ordered(all []field) []field {
	rank := func(f field) int {
		if i := slices.Index(argumentOrder, f.name); i >= 0 {
			return i
		}
		return len(argumentOrder)
	}
	sorting.By(all, func(a, b field) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.name, b.name))
	})
	return all
}

// field is one argument of a call.
type field struct {
	name  string
	value json.RawMessage
}

// fields returns the arguments in the order in which they were sent. Anything but an
// object is one field without a name.
func fields(args json.RawMessage) []field {
	dec := json.NewDecoder(bytes.NewReader(args))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		if len(bytes.TrimSpace(args)) == 0 {
			return nil
		}
		return []field{{value: args}}
	}
	var out []field
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return []field{{value: args}}
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return []field{{value: args}}
		}
		out = append(out, field{name: fmt.Sprint(key), value: v})
	}
	return out
}

// result is the structured result that a tool can return in place of text (SPEC §6).
type result struct {
	Kind    string          `json:"kind"`
	Data    json.RawMessage `json:"data"`
	Summary string          `json:"summary"`
}

// Summary returns the summary in a tool's result (SPEC §6) on one line, or "".
func Summary(raw json.RawMessage) string {
	var r result
	if json.Unmarshal(raw, &r) != nil {
		return ""
	}
	return SafeLine(r.Summary)
}

// ResultLines returns a result as lines: text unchanged, known kinds in their form, everything
// else as JSON (SPEC §6).
func ResultLines(raw json.RawMessage) []string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return SafeLines(text)
	}
	var r result
	if json.Unmarshal(raw, &r) == nil && r.Kind != "" && len(r.Data) > 0 {
		switch r.Kind {
		case "text", "diff", "file":
			return ResultLines(r.Data)
		case "list":
			return renderList(r.Data)
		case "table":
			return renderTable(r.Data)
		}
		raw = r.Data
	}
	return indented(raw)
}

func indented(raw json.RawMessage) []string { return SafeLines(pretty(raw)) }

// pretty returns raw as indented JSON, or unchanged if it is not valid JSON.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

func renderList(raw json.RawMessage) []string {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return indented(raw)
	}
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = "- " + scalar(it)
	}
	return out
}

// maxColumns is the largest number of columns of a table. Each row has a cell for each
// column, so without a limit a table in which every row has different keys would grow
// with the square of its rows.
const maxColumns = 40

// renderTable draws rows that are objects, with one column for each key. A table with too
// many keys is shown as JSON.
func renderTable(raw json.RawMessage) []string {
	var rows []json.RawMessage
	if json.Unmarshal(raw, &rows) != nil || len(rows) == 0 {
		return indented(raw)
	}
	var heads []string
	cells := make([]map[string]string, len(rows))
	for i, row := range rows {
		cells[i] = map[string]string{}
		for _, f := range fields(row) {
			if !slices.Contains(heads, f.name) {
				heads = append(heads, f.name)
			}
			cells[i][f.name] = scalar(f.value)
		}
		if len(heads) > maxColumns {
			return indented(raw)
		}
	}
	widths := make([]int, len(heads))
	for i, h := range heads {
		widths[i] = Width(SafeLine(h))
		for _, c := range cells {
			widths[i] = max(widths[i], Width(c[h]))
		}
	}
	out := []string{tableRow(heads, widths, SafeLine)}
	for _, c := range cells {
		out = append(out, tableRow(heads, widths, func(h string) string { return c[h] }))
	}
	return out
}

func tableRow(heads []string, widths []int, cell func(string) string) string {
	var b strings.Builder
	for i, h := range heads {
		s := cell(h)
		b.WriteString(s + strings.Repeat(" ", widths[i]-Width(s)+2))
	}
	return strings.TrimRight(b.String(), " ")
}

// scalar returns a value on one line: a string without its quotes, else JSON.
func scalar(raw json.RawMessage) string {
	var s *string
	if json.Unmarshal(raw, &s) == nil && s != nil {
		return SafeLine(*s)
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return SafeLine(string(raw))
	}
	return Safe(b.String())
}
