// Package prompt assembles what a model is given: the system prompt from a
// worker's instructions, and the one user message that carries a task (SPEC
// §5). Templates will live here.
package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/project"
)

// System is a worker's system prompt: its instructions, and what the caller
// adds for this one call (S0-09).
func System(w *project.Worker, additional string) string {
	if strings.TrimSpace(additional) == "" {
		return w.Instructions
	}
	return strings.TrimRight(w.Instructions, "\n") + "\n\n## Additional instructions\n\n" + additional
}

// Labelled is an earlier result that a caller passes on by name (prior).
type Labelled struct {
	Name string
	Text string
}

// File is an attachment as the task mentions it: where the worker finds it.
type File struct {
	Path string // virtual path
	MIME string
	Size int
}

// Task is the one user message of a call: the input (text as it is, an
// object as JSON), the prior results and the list of attachments.
func Task(text string, object json.RawMessage, prior []Labelled, files []File) string {
	var b strings.Builder
	if len(object) > 0 {
		var indented bytes.Buffer
		if err := json.Indent(&indented, object, "", "  "); err != nil {
			b.Write(object)
		} else {
			b.Write(indented.Bytes())
		}
	} else {
		b.WriteString(text)
	}
	for _, p := range prior {
		fmt.Fprintf(&b, "\n\n## Result of %s\n\n%s", p.Name, p.Text)
	}
	if len(files) > 0 {
		b.WriteString("\n\nAttachments:")
		for _, f := range files {
			fmt.Fprintf(&b, "\n- %s (%s, %d bytes)", f.Path, f.MIME, f.Size)
		}
	}
	return b.String()
}

// Repair asks for another answer after one that does not fit the output
// schema; problems are the validation errors, one a line.
func Repair(problems string) string {
	return "Your answer does not fit the required output schema:\n" + problems +
		"\nAnswer again with nothing but a JSON value that fits the schema."
}
