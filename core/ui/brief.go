package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// How much of a value a progress line shows; an approval request is never cut so.
const (
	briefValue = 40
	briefArgs  = 3
	briefTask  = 60
)

// oneLine is s as one safe line.
func oneLine(s string) string {
	return safe(strings.Join(strings.Fields(s), " "))
}

// callLine is a call as a progress line shows it: `read_file("/a.txt")`.
func callLine(name string, args json.RawMessage) string {
	var parts []string
	for i, f := range pathFirst(fields(args)) {
		if i == briefArgs {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, clip(briefOf(f.value), briefValue))
	}
	return oneLine(name) + "(" + strings.Join(parts, ", ") + ")"
}

// briefOf is a value as a progress line shows it: a string in plain quotes,
// anything else as JSON.
func briefOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return `"` + oneLine(s) + `"`
	}
	return oneLine(string(raw))
}

// pathFirst moves the argument that says where before those that say what,
// which may be long.
func pathFirst(all []field) []field {
	slices.SortStableFunc(all, func(a, b field) int {
		switch {
		case a.name == b.name:
			return 0
		case a.name == "path":
			return -1
		case b.name == "path":
			return 1
		}
		return 0
	})
	return all
}

// field is one argument of a call.
type field struct {
	name  string
	value json.RawMessage
}

// fields are the arguments in the order they stand; anything but an object
// is one nameless field.
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

// result is what SPEC §6 lets a tool return beside text.
type result struct {
	Kind    string          `json:"kind"`
	Data    json.RawMessage `json:"data"`
	Summary string          `json:"summary"`
}

// summary is the summary a result has, if it has one.
func summary(raw json.RawMessage) string {
	var r result
	if json.Unmarshal(raw, &r) != nil {
		return ""
	}
	return oneLine(r.Summary)
}

// render draws a result: known kinds as themselves, text as it is, everything
// else as JSON (SPEC §6).
func render(raw json.RawMessage) []string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return lines(text)
	}
	var r result
	if json.Unmarshal(raw, &r) == nil && r.Kind != "" && len(r.Data) > 0 {
		switch r.Kind {
		case "text", "diff", "file":
			return render(r.Data)
		case "list":
			return renderList(r.Data)
		case "table":
			return renderTable(r.Data)
		}
		raw = r.Data
	}
	return indented(raw)
}

func indented(raw json.RawMessage) []string { return lines(pretty(raw)) }

// pretty is indented JSON, or raw as it is if it is none.
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

// renderTable draws rows that are objects, a column for each key.
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
	}
	widths := make([]int, len(heads))
	for i, h := range heads {
		widths[i] = width(oneLine(h))
		for _, c := range cells {
			widths[i] = max(widths[i], width(c[h]))
		}
	}
	out := []string{tableRow(heads, widths, oneLine)}
	for _, c := range cells {
		out = append(out, tableRow(heads, widths, func(h string) string { return c[h] }))
	}
	return out
}

func tableRow(heads []string, widths []int, cell func(string) string) string {
	var b strings.Builder
	for i, h := range heads {
		s := cell(h)
		b.WriteString(s + strings.Repeat(" ", widths[i]-width(s)+2))
	}
	return strings.TrimRight(b.String(), " ")
}

// scalar is a value on one line: a string without its quotes, else JSON.
func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return oneLine(s)
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return oneLine(string(raw))
	}
	return safe(b.String())
}
