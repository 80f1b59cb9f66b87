package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// body is a request's body in pieces that are not copied together: most of
// them went out before, with the requests of earlier turns.
type body [][]byte

func (b body) size() int64 {
	var n int64
	for _, piece := range b {
		n += int64(len(piece))
	}
	return n
}

// open returns a reader of the body from its beginning.
func (b body) open() io.ReadCloser { return &bodyReader{rest: b} }

type bodyReader struct {
	rest [][]byte
	at   int // how many bytes of rest[0] were read
}

// Read implements io.Reader.
func (r *bodyReader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && len(r.rest) > 0 {
		k := copy(p[n:], r.rest[0][r.at:])
		n, r.at = n+k, r.at+k
		if r.at == len(r.rest[0]) {
			r.rest, r.at = r.rest[1:], 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close does nothing.
func (r *bodyReader) Close() error { return nil }

// Places in an encoded request where splice puts the messages and the tools. A JSON
// string contains no unescaped quote, so no text of a request looks like them.
const (
	noMessages = `"messages":null`
	noInput    = `"input":null`
	noTools    = `"tools":[{"type":"golem"}]`
)

// splice puts messages, tools and settings into an encoded request that has none.
func (m *remote) splice(p payload, request []byte) (body, error) {
	if m.end.row.Quirks.NoStream { // go-openai always asks for a stream; golem reads both
		request = bytes.Replace(request, []byte(`"stream":true`), []byte(`"stream":false`), 1)
	}
	before, after, found := bytes.Cut(request, []byte(p.place))
	if !found {
		return nil, errors.New("the request has no place for the messages")
	}
	members, err := m.furtherMembers(p, request)
	if err != nil {
		return nil, err
	}
	out := append(make(body, 0, len(p.messages)+8), before, []byte(strings.TrimSuffix(p.place, "null")))
	out = append(out, p.messages...)
	tools := [][]byte{[]byte(`"tools":`), p.tools}
	if before, rest, found := bytes.Cut(after, []byte(noTools)); found {
		out, after = append(append(out, before), tools...), rest
		tools = nil
	}
	out = append(out, bytes.TrimSuffix(after, []byte("}")))
	if len(tools) > 0 && len(p.tools) > 0 {
		out = append(append(out, []byte(",")), tools...)
	}
	if len(members) > 0 {
		out = append(out, []byte(","), members)
	}
	return append(out, []byte("}")), nil
}

// furtherMembers returns the members of the body that are neither messages nor tools and that
// the encoded request does not have: golem's own, the settings, and extra. It is an
// error if extra sets a member that is there already.
func (m *remote) furtherMembers(p payload, request []byte) ([]byte, error) {
	if len(p.settings)+len(p.members) == 0 {
		return nil, nil
	}
	var has fields
	if err := json.Unmarshal(request, &has); err != nil {
		return nil, err
	}
	all := maps.Clone(p.members)
	if all == nil {
		all = fields{}
	}
	row, protocol := m.end.row, m.api
	for _, name := range slices.Sorted(maps.Keys(p.settings)) {
		if name == "extra" || row.nameOf(name, protocol) == "" || name == "parallel_tool_calls" && len(p.tools) == 0 {
			continue // OpenAI and Anthropic refuse parallel_tool_calls without tools
		}
		if err := protocol.set(all, name, p.settings[name], row, m.model); err != nil {
			return nil, err
		}
	}
	for name, value := range p.settings.extra() {
		_, sent := has[name]
		if _, twice := all[name]; sent || twice || name == "tools" {
			return nil, fault.New(fault.Config, "model_settings.extra sets %q, which golem sets itself", name).Hinting("remove it")
		}
		all[name] = value
	}
	data, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(bytes.TrimPrefix(data, []byte("{")), []byte("}")), nil
}

// toolList is the tools of a worker's last request and their encoding.
type toolList struct {
	specs   []tool.Spec
	encoded json.RawMessage
}

// encode returns the encoded tools. It encodes them again only if they have changed.
func (l *toolList) encode(specs []tool.Spec, one func(tool.Spec) any) (json.RawMessage, error) {
	if l.encoded != nil && slices.EqualFunc(l.specs, specs, func(a, b tool.Spec) bool {
		return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Input, b.Input)
	}) {
		return l.encoded, nil
	}
	all := make([]any, len(specs))
	for i, s := range specs {
		all[i] = one(s)
	}
	data, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	l.specs, l.encoded = slices.Clone(specs), data
	return data, nil
}
