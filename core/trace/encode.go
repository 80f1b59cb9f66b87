package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"golem/core/fault"
)

// Encode writes an event as one flat JSON object without a line break: seq, ts,
// type, id, parent, worker, depth, then the body's fields, always in this
// order. Seq and TS are left out while they are unset, and parent is left out
// for the root. Texts of any length stay complete. Raw JSON in a body that is
// not valid JSON is written as a string. Encode fails only for a body that
// cannot be written as JSON.
func Encode(e Event) ([]byte, error) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	if err := s.prepare(e); err != nil {
		return nil, err
	}
	return bytes.Clone(s.line(nil)), nil
}

// scratch has the buffers for encoding, which are reused for every line.
type scratch struct {
	front []byte       // the line up to the body's fields
	body  bytes.Buffer // the fields, or a string of the front
	all   []byte       // the body's fields as JSON, without the braces; part of body or of the event
	enc   *json.Encoder
	out   []byte
}

var scratches = sync.Pool{New: func() any { return newScratch() }}

// keepBuffer is the largest buffer, in bytes, that is reused for the next line.
const keepBuffer = 1 << 20

func newScratch() *scratch {
	s := &scratch{}
	s.enc = json.NewEncoder(&s.body)
	s.enc.SetEscapeHTML(false)
	return s
}

// prepare encodes an event. line returns its lines until the next prepare.
func (s *scratch) prepare(e Event) error {
	if cap(s.out) > keepBuffer || s.body.Cap() > keepBuffer {
		s.out, s.body = nil, bytes.Buffer{} // enc writes to the new buffer, because its address is the same
	}
	if e.Body == nil {
		return fmt.Errorf("event %s has no body", e.ID)
	}
	s.front = s.envelope(s.front[:0], e)
	var err error
	if s.all, err = s.fields(e.Body); err != nil {
		return fmt.Errorf("event %s: %w", e.Body.EventType(), err)
	}
	return nil
}

// line returns the prepared event as one line, with long texts replaced by c;
// nil leaves them in. The slice is valid until the next call.
func (s *scratch) line(c *cutter) []byte {
	s.out = append(s.out[:0], s.front...)
	if len(s.all) > 0 {
		s.out = append(s.out, ',')
		s.out = c.fields(s.out, s.all)
	}
	s.out = append(s.out, '}')
	return s.out
}

func (s *scratch) envelope(out []byte, e Event) []byte {
	out = append(out, '{')
	if e.Seq != 0 {
		out = append(out, `"seq":`...)
		out = strconv.AppendInt(out, e.Seq, 10)
		out = append(out, ',')
	}
	if e.TS != "" {
		out = append(s.text(append(out, `"ts":`...), e.TS), ',')
	}
	out = s.text(append(out, `"type":`...), e.Body.EventType())
	out = s.text(append(out, `,"id":`...), e.ID)
	if e.Parent != "" {
		out = s.text(append(out, `,"parent":`...), e.Parent)
	}
	out = s.text(append(out, `,"worker":`...), e.Worker)
	out = append(out, `,"depth":`...)
	return strconv.AppendInt(out, int64(e.Depth), 10)
}

// text appends a JSON string.
func (s *scratch) text(out []byte, v string) []byte {
	if simple(v) {
		out = append(out, '"')
		out = append(out, v...)
		return append(out, '"')
	}
	s.body.Reset()
	if s.enc.Encode(fault.Head(v, maxString)) != nil { // unreachable: a string always encodes
		return append(out, `""`...)
	}
	return appendSafe(out, bytes.TrimSuffix(s.body.Bytes(), []byte{'\n'}))
}

func simple(v string) bool {
	if len(v) > maxString {
		return false
	}
	for i := range len(v) {
		if c := v[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// fields returns the body's fields as JSON without the braces.
func (s *scratch) fields(b Body) ([]byte, error) {
	if u, ok := b.(Unknown); ok {
		return u.fields(), nil
	}
	s.body.Reset()
	err := s.enc.Encode(b)
	if err != nil { // only a RawMessage can be invalid
		s.body.Reset()
		err = s.enc.Encode(quoteBroken(b))
	}
	if err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(s.body.Bytes(), []byte{'\n'})
	return text[1 : len(text)-1], nil
}

// envelopeFields are the fields that every line has.
var envelopeFields = map[string]bool{
	"seq": true, "ts": true, "type": true, "id": true, "parent": true, "worker": true, "depth": true,
}

// fields returns the fields of the unknown body: the line without the fields
// that every line has.
func (u Unknown) fields() []byte {
	var out []byte
	if !json.Valid(u.Line) {
		return nil
	}
	for _, m := range members(u.Line, 1) {
		if envelopeFields[m.name] {
			continue
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			continue // unreachable: a string always encodes
		}
		if len(out) > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), compact(m.raw)...)
	}
	return out
}

// compact removes white space from valid JSON.
func compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// quoteBroken returns a copy of the body in which raw JSON that is not valid is
// a string.
func quoteBroken(b Body) Body {
	return mapBody(b, nil, func(raw json.RawMessage) json.RawMessage {
		if json.Valid(raw) {
			return raw
		}
		if len(raw) == 0 {
			return json.RawMessage("null")
		}
		data, err := json.Marshal(string(raw))
		if err != nil { // unreachable: a string always encodes
			return json.RawMessage("null")
		}
		return data
	})
}
