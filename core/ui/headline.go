package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
)

// headline returns one line that says what the call does and to what: `write_file /a.md —
// new file, 3 lines`. told has the names of the arguments that the line shows completely.
func (v *requestView) headline(r approval.Request) (line string, told map[string]bool) {
	all := ordered(fields(r.Args))
	told = map[string]bool{}
	room := v.width - Width(v.prefix())
	switch {
	case len(r.Paths) > 0 && r.Module == "":
		places := make([]string, len(r.Paths))
		for i, p := range r.Paths {
			places[i] = p.Path
			if strings.Contains(p.Path, " ") { // without quotes it could look like golem's words after it
				places[i] = `"` + p.Path + `"`
			}
			for _, f := range all {
				var text string
				if placeNames[f.name] && json.Unmarshal(f.value, &text) == nil && text == p.Path {
					told[f.name] = true
				}
			}
		}
		line = r.Tool + " " + strings.Join(places, " → ")
		if c := changeOf(r); c.text != "" {
			line += " — " + c.text
		}
		return line, told
	case r.Type == "command":
		var command string
		if json.Unmarshal(fieldOf(r.Args, "command"), &command) != nil {
			break
		}
		line = r.Tool + ": " + command
		shown, _ := approval.Visible(line)
		if Width(shown) <= room && !strings.Contains(command, "\n") {
			told["command"] = true
			return line, told
		}
		return r.Tool + ": " + Clip(strings.Join(strings.Fields(command), " "), max(room-Width(r.Tool)-2, 8)), told
	}
	line = r.Tool + "(" + strings.Join(named(all, jsonOf), ", ") + ")"
	if shown, _ := approval.Visible(line); Width(shown) <= room {
		for _, f := range all {
			told[f.name] = true
		}
		return line, told
	}
	return r.Tool, told
}

// placeNames has the names of the arguments that are paths.
var placeNames = map[string]bool{"path": true, "from": true, "to": true}

// jsonOf returns a value as JSON on one line.
func jsonOf(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// Kinds of change to a file.
const (
	noChange = iota
	newFile
	changedFile
	deletedFile
	otherChange // the diff does not have the lines that name the file, or a module made it
)

// change describes what a call does to a file.
type change struct {
	kind  int
	text  string // in a few words
	lines string // the diff without the lines that name the file
}

// contents has the names of the arguments whose values a diff shows.
var contents = map[string]bool{"content": true, "old": true, "new": true}

// shows reports whether the diff, or the note that nothing changes, replaces the argument.
func (c change) shows(name string) bool {
	return c.kind == changedFile && contents[name]
}

// changeOf describes the change in a request from its diff. It interprets the diff only
// for golem's own tools, not for custom tools.
func changeOf(r approval.Request) change {
	switch {
	case r.Module != "":
		return change{kind: otherChange, lines: r.Diff}
	case r.Unchanged:
		return change{kind: changedFile, text: "already has this content"}
	case r.Diff == "":
		return change{}
	}
	from, rest, _ := strings.Cut(r.Diff, "\n")
	to, rest, ok := strings.Cut(rest, "\n")
	if !ok || !strings.HasPrefix(from, "--- ") || !strings.HasPrefix(to, "+++ ") {
		return change{kind: otherChange, lines: strings.TrimSuffix(r.Diff, "\n")}
	}
	plus, minus := 0, 0
	for l := range strings.Lines(rest) {
		switch l[0] {
		case '+':
			plus++
		case '-':
			minus++
		}
	}
	c := change{kind: changedFile, lines: strings.TrimSuffix(rest, "\n")}
	switch {
	case from == "--- /dev/null":
		c.kind, c.text = newFile, "new file, "+fault.Count(plus, "line")
	case to == "+++ /dev/null":
		c.kind, c.text = deletedFile, fault.Count(minus, "line")+" deleted"
	case minus == 0:
		c.text = fault.Count(plus, "line") + " added"
	case plus == 0:
		c.text = fault.Count(minus, "line") + " removed"
	default:
		c.text = fmt.Sprintf("%s changed (+%d −%d)", fault.Count(max(plus, minus), "line"), plus, minus)
	}
	if len(r.Paths) > 1 {
		c.text = "replaces that file, " + c.text
	}
	return c
}

func fieldOf(args json.RawMessage, name string) json.RawMessage {
	for _, f := range fields(args) {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

func hasField(args json.RawMessage, name string) bool { return fieldOf(args, name) != nil }
