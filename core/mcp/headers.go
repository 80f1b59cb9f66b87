package mcp

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// paramField is a field of a tool's arguments that is also sent as a header, because the
// tool's schema says so (x-mcp-header).
type paramField struct {
	path   []string
	header string
}

// learnHeaders remembers which fields of arguments the listed tools want as headers.
func (h *httpSession) learnHeaders(list json.RawMessage) {
	if h.revision() < Stateless {
		return
	}
	var tools []json.RawMessage
	if json.Unmarshal(fields(list)["tools"], &tools) != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, raw := range tools {
		one := fields(raw)
		found := paramFields(fields(one["inputSchema"]), nil)
		if len(found) == 0 || len(found) > maxParamFields || len(h.agreed.headers) > maxTools {
			continue
		}
		all := maps.Clone(h.agreed.headers)
		if all == nil {
			all = map[string][]paramField{}
		}
		all[text(one["name"])] = found
		h.agreed.headers = all
	}
}

func paramFields(schema map[string]json.RawMessage, path []string) (out []paramField) {
	if len(path) > 8 {
		return nil
	}
	properties := fields(schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		one := fields(properties[name])
		at := append(slices.Clone(path), name)
		if header := text(one["x-mcp-header"]); header != "" && !strings.ContainsFunc(header, func(r rune) bool { return !headerRune(r) }) {
			out = append(out, paramField{at, header})
		}
		out = append(out, paramFields(one, at)...)
	}
	return out
}

func headerRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// describe sets the headers that repeat what a message of Stateless says, for gateways.
func (h *httpSession) describe(headers http.Header, m message) {
	headers.Set(MethodHeader, m.Method)
	params, _ := m.Params.(map[string]any)
	switch m.Method {
	case MethodCallTool, MethodGetPrompt:
		name, _ := params["name"].(string)
		headers.Set(NameHeader, headerValue(name))
	case MethodReadResource:
		uri, _ := params["uri"].(string)
		headers.Set(NameHeader, headerValue(uri))
	}
	if m.Method != MethodCallTool {
		return
	}
	name, _ := params["name"].(string)
	args, _ := params["arguments"].(json.RawMessage)
	h.mu.Lock()
	wanted := h.agreed.headers[name]
	h.mu.Unlock()
	for _, one := range wanted {
		raw := args
		for _, key := range one.path {
			raw = fields(raw)[key]
		}
		if value, ok := headerText(raw); ok {
			headers.Set(paramHeader+one.header, value)
		}
	}
}

// headerText returns a text, a whole number or a truth value as a header has it.
func headerText(raw json.RawMessage) (string, bool) {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return "", false
	}
	switch v := value.(type) {
	case string:
		return headerValue(v), true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		if n := int64(v); float64(n) == v {
			return strconv.FormatInt(n, 10), true
		}
	}
	return "", false
}

// headerValue returns a text as a header has it: in base64 if a header could not carry it.
func headerValue(s string) string {
	const before, after = "=?base64?", "?="
	plain := !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) && strings.TrimSpace(s) == s
	if plain && !(strings.HasPrefix(s, before) && strings.HasSuffix(s, after)) {
		return s
	}
	return before + base64.StdEncoding.EncodeToString([]byte(s)) + after
}
