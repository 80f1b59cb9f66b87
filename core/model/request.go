package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/fault"
)

// check returns E_ATTACHMENT, before any request, if a person or caller attached what
// the provider does not accept. About such a part of a tool's result the model is told
// in words, see resultText.
func (m *remote) check(r Request) error {
	for _, msg := range r.Messages {
		if msg.Role == ToolRole {
			continue
		}
		for _, p := range msg.Parts {
			var column func(Provider) bool
			switch p.Kind {
			case "text":
				continue
			case "image":
				column = func(p Provider) bool { return p.Image }
			case "pdf":
				column = func(p Provider) bool { return p.PDF }
			default:
				return fault.New(fault.Attachment, "%s: no model accepts a %q part", p.Name, p.Kind).
					Hinting("attach text, an image or a PDF")
			}
			if !column(m.end.row) {
				return fault.New(fault.Attachment, "%s does not accept %s: %s", m.end.row.Name, kindWord(p.Kind), p.Name).
					Hinting("providers that accept it: %s", m.config.providersWith(column))
			}
		}
	}
	return nil
}

func kindWord(kind string) string {
	if kind == "pdf" {
		return "PDF files"
	}
	return "images"
}

// takes reports whether the provider accepts a part.
func (p Provider) takes(part Part) bool {
	switch part.Kind {
	case "text":
		return true
	case "image":
		return p.Image
	case "pdf":
		return p.PDF
	}
	return false
}

// resultText returns a tool's result as text: its own text, and a line for each part. A
// part that the provider does not accept is named, so that the model knows of it.
func resultText(msg Message, row Provider) string {
	lines := []string{}
	if msg.Text != "" {
		lines = append(lines, msg.Text)
	}
	for _, p := range msg.Parts {
		what := fmt.Sprintf("%s, %d bytes", p.MIME, len(p.Data))
		if p.Name != "" {
			what = p.Name + ": " + what
		}
		switch {
		case row.takes(p):
			lines = append(lines, "["+what+"; it follows below]")
		case p.Kind == "image" || p.Kind == "pdf":
			lines = append(lines, "["+what+"; you cannot see it: "+row.Name+" does not accept "+kindWord(p.Kind)+"]")
		default:
			lines = append(lines, "["+what+"; you cannot see it: no model accepts this type]")
		}
	}
	if len(lines) == 0 {
		return "(no output)"
	}
	return strings.Join(lines, "\n")
}

// resultFiles encodes the message that follows the tool results at the end of messages,
// if they have parts: in some protocols a tool's result cannot contain them.
func resultFiles(messages []Message, in encoder) (json.RawMessage, error) {
	from := len(messages)
	for from > 0 && messages[from-1].Role == ToolRole {
		from--
	}
	var parts []Part
	for _, m := range messages[from:] {
		parts = append(parts, m.Parts...)
	}
	if len(parts) == 0 {
		return nil, nil
	}
	return in.files(parts)
}

// taken returns the parts that the provider accepts.
func (p Provider) taken(parts []Part) []Part {
	var out []Part
	for _, part := range parts {
		if p.takes(part) {
			out = append(out, part)
		}
	}
	return out
}

// filesAbove is the text before the parts of tool results.
const filesAbove = "Files from the results above:"

func dataURL(p Part, mime string) string {
	if p.MIME != "" {
		mime = p.MIME
	}
	return "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// attachment returns a part as text: a text file with its content, any other with its
// name and type.
func attachment(p Part) string {
	if p.Kind != "text" {
		return fmt.Sprintf("<attachment name=%q type=%q/>", p.Name, p.MIME)
	}
	return fmt.Sprintf("<attachment name=%q>\n%s\n</attachment>", p.Name, bytes.ToValidUTF8(p.Data, []byte("\uFFFD")))
}
