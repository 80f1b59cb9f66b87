package acpcmd

import (
	"encoding/json"
	"strconv"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"golem/core/approval"
	"golem/core/tool"
	"golem/core/trace"
)

// kinds are the protocol's kinds of golem's own tools. A tool without a row is shown as other,
// and no files are named with it.
var kinds = map[string]acp.ToolKind{
	"read_file": acp.ToolKindRead, "file_info": acp.ToolKindRead, "file_exists": acp.ToolKindRead, "read_skill": acp.ToolKindRead,
	"list_files": acp.ToolKindSearch, "search_files": acp.ToolKindSearch, "web_search": acp.ToolKindFetch, "web_fetch": acp.ToolKindFetch,
	"write_file": acp.ToolKindEdit, "edit_file": acp.ToolKindEdit, "make_directory": acp.ToolKindEdit,
	"move_file": acp.ToolKindMove, "delete_file": acp.ToolKindDelete, "run_command": acp.ToolKindExecute, "start_command": acp.ToolKindExecute,
	"read_command": acp.ToolKindRead,
}

// kindOf returns the protocol's kind of a call. A module that has the name of golem's own tool
// is none of them.
func kindOf(name, kind string) acp.ToolKind {
	if known, ok := kinds[name]; ok && kind == string(tool.Builtin) {
		return known
	}
	return acp.ToolKindOther
}

// realPath returns the real path of what the worker of an event sees by a virtual path; "" if
// it sees nothing by it, or if the client must not be told where it is.
func (f *front) realPath(e trace.Event, name string) string {
	if e.Depth > 0 && e.Worker != f.session.entryID() { // another worker may see other files by this name
		return f.session.workerFiles(e.Worker).real(name)
	}
	return f.entryFiles().real(name)
}

// placesOf returns the places of the files that a call of a file tool names.
func (f *front) placesOf(e trace.Event, b trace.ToolStart) (out []acp.ToolCallLocation) {
	if kindOf(b.Tool, b.Kind) == acp.ToolKindOther || kindOf(b.Tool, b.Kind) == acp.ToolKindExecute {
		return nil
	}
	var args struct{ Path, From, To string }
	if json.Unmarshal(b.Args, &args) != nil {
		return nil
	}
	for _, name := range []string{args.Path, args.From, args.To} {
		if name == "" {
			continue
		}
		if real := f.realPath(e, name); real != "" {
			out = append(out, acp.ToolCallLocation{Path: real})
		}
	}
	return out
}

// requestPlaces returns the places of the files that a question names.
func (f *front) requestPlaces(r approval.Request) (out []acp.ToolCallLocation) {
	for _, use := range r.Paths {
		if real := f.entryFiles().real(use.Path); real != "" && !use.Staged {
			out = append(out, acp.ToolCallLocation{Path: real})
		}
	}
	return out
}

// changesOf returns a unified diff of one file as the protocol has it, a part for each hunk: the
// old and the new text of its lines. ok is false if it is no diff of text.
func changesOf(patch, real string) (out []acp.ToolCallContent, ok bool) {
	if real == "" || !strings.Contains(patch, "\n@@ ") {
		return nil, false
	}
	made := strings.HasPrefix(patch, "--- /dev/null")
	var before, after *strings.Builder
	flush := func() {
		if before == nil {
			return
		}
		d := &acp.ToolCallContentDiff{Path: real, NewText: after.String(), Type: "diff"}
		if !made {
			d.OldText = acp.Ptr(before.String())
		}
		out = append(out, acp.ToolCallContent{Diff: d})
	}
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "@@ "):
			flush()
			before, after = &strings.Builder{}, &strings.Builder{}
		case before == nil:
		case strings.HasPrefix(line, "+"):
			after.WriteString(line[1:])
		case strings.HasPrefix(line, "-"):
			before.WriteString(line[1:])
		case strings.HasPrefix(line, " "):
			before.WriteString(line[1:])
			after.WriteString(line[1:])
		}
	}
	flush()
	return out, true
}

// firstLine returns the line, from 1, in which the first change of a unified diff begins in the
// new text; nil if that is not known.
func firstLine(patch string) *int {
	_, hunk, ok := strings.Cut(patch, "\n@@ -")
	if !ok {
		return nil
	}
	_, after, ok := strings.Cut(hunk, " +")
	end := strings.IndexAny(after, ", ")
	if !ok || end < 0 {
		return nil
	}
	n, err := strconv.Atoi(after[:end])
	if err != nil {
		return nil
	}
	_, lines, _ := strings.Cut(hunk, "\n")
	for line := range strings.Lines(lines) {
		if !strings.HasPrefix(line, " ") {
			break
		}
		n++
	}
	n = max(n, 1)
	return &n
}

// fenceOf returns the backticks around a text in Markdown.
func fenceOf(text string) string { return tool.Fence(text) }
