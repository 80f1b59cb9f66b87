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

// given are the parts of a tool's result as the model gets them. What a part
// is, its bytes say: a module's word for it could break the request.
func given(toolName string, parts []tool.Part) []model.Part {
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
				part.MIME = m // not what it is said to be, or an image that no model takes
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

// recorded are the parts as the trace has them.
func recorded(parts []tool.Part) []trace.Part {
	var out []trace.Part
	for _, p := range parts {
		out = append(out, trace.Part{
			Type: p.Type, MIME: p.MIME, Name: p.Name, Bytes: len(p.Data), Data: base64.StdEncoding.EncodeToString(p.Data),
		})
	}
	return out
}
