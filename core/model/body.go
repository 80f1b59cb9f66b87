package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

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

// open is a reader of the body from its beginning.
func (b body) open() io.ReadCloser { return &bodyReader{rest: b} }

type bodyReader struct {
	rest [][]byte
	at   int // in the first of rest
}

// Read gives the next bytes.
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

// Close has nothing to close.
func (r *bodyReader) Close() error { return nil }

// Places of a request that go-openai has encoded where the messages and the
// tools belong. No text in JSON holds a bare quote, so they stand for nothing else.
const (
	noMessages = `"messages":null`
	noTools    = `"tools":[{"type":"golem"}]`
)

// splice puts messages and tools into an encoded request that has none.
func (p payload) splice(request []byte) (body, error) {
	before, after, found := bytes.Cut(request, []byte(noMessages))
	if !found {
		return nil, errors.New("no place for the messages")
	}
	comma := []byte(",")
	out := append(make(body, 0, 2*len(p.messages)+5), before, []byte(`"messages":[`))
	for i, m := range p.messages {
		if i > 0 {
			out = append(out, comma)
		}
		out = append(out, m)
	}
	out = append(out, []byte("]"))
	settings, err := p.row.members(p.settings, request)
	if err != nil {
		return nil, err
	}
	if before, rest, found := bytes.Cut(after, []byte(noTools)); found {
		out, after = append(out, before, []byte(`"tools":`), p.tools), rest
	}
	if len(settings) == 0 {
		return append(out, after), nil
	}
	return append(out, bytes.TrimSuffix(after, []byte("}")), comma, settings, []byte("}")), nil
}

// toolList is a worker's tools as a provider was last sent them.
type toolList struct {
	specs   []tool.Spec
	encoded json.RawMessage
}

// encode returns the encoded tools, of those that did not change the same as before.
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
