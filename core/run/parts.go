package run

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golem/core/model"
	"golem/core/tool"
	"golem/core/trace"
)

// resultParts returns the parts of a tool's result for the model. The bytes decide what a
// part is, because a wrong type from a module could make the provider refuse the
// request.
func resultParts(toolName string, parts []tool.Part) []model.Part {
	var out []model.Part
	for i, p := range parts {
		m := tool.MediaType(p.Data)
		part := model.Part{Kind: "file", Name: p.Name, MIME: p.MIME, Data: p.Data}
		switch m {
		case "image/png", "image/jpeg", "image/gif", "image/webp":
			part.Kind, part.MIME = "image", m
		case "application/pdf":
			part.Kind, part.MIME = "pdf", m
		default:
			if strings.HasPrefix(p.MIME, "image/") || p.MIME == "application/pdf" {
				part.MIME = m // the declared type is wrong, or no model accepts this type of image
			}
			if (strings.HasPrefix(p.MIME, "text/") || p.MIME == "application/json") && utf8.Valid(p.Data) {
				part.Kind = "text"
			}
		}
		if part.Name == "" {
			part.Name = fmt.Sprintf("%s-%d", toolName, i+1)
			if part.Kind == "pdf" {
				part.Name += ".pdf"
			}
		}
		out = append(out, part)
	}
	return out
}

// recorded returns the parts for the trace.
func recorded(parts []tool.Part) []trace.Part {
	var out []trace.Part
	for _, p := range parts {
		out = append(out, trace.Part{
			Type: p.Type, MIME: p.MIME, Name: p.Name, Bytes: len(p.Data), Data: base64.StdEncoding.EncodeToString(p.Data),
		})
	}
	return out
}
