package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"golem/core/fault"
)

// parseJSON reads one JSON value into nodes with positions, keeping the order
// of keys. Duplicate keys, trailing data and deep nesting are faults.
func parseJSON(file string, data []byte) (*node, *fault.Fault) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if f := plainText(file, data); f != nil {
		f.Code = fault.Schema
		return nil, f
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	r := &jsonReader{file: file, data: data, dec: dec, left: maxValues, lines: lineStarts(data)}
	n, err := r.value(0)
	if err == nil {
		if _, e := dec.Token(); !errors.Is(e, io.EOF) {
			err = r.fail("more text after the JSON value")
		}
	}
	if err == nil {
		return n, nil
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		return nil, f
	}
	where := r.next()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		where, err = r.at(len(data)), errors.New("unexpected end of file")
	}
	return nil, where.fault(fault.Schema, "malformed JSON: %s", brief(err.Error()))
}

type jsonReader struct {
	file  string
	data  []byte
	dec   *json.Decoder
	left  int
	lines []int
}

func lineStarts(data []byte) []int {
	starts := []int{0}
	for i, b := range data {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// at is place with the line found by bisection: a file has many values.
func (r *jsonReader) at(offset int) at {
	offset = min(max(offset, 0), len(r.data))
	lo, hi := 0, len(r.lines)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; r.lines[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return at{r.file, lo + 1, offset - r.lines[lo] + 1}
}

func (r *jsonReader) fail(format string, args ...any) error {
	return r.at(int(r.dec.InputOffset())).fault(fault.Schema, format, args...)
}

// next skips white space and separators, so that the position is the value's.
func (r *jsonReader) next() at {
	i := int(r.dec.InputOffset())
	for i < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[i]) >= 0 {
		i++
	}
	return r.at(i)
}

func (r *jsonReader) value(depth int) (*node, error) {
	if r.left--; r.left < 0 {
		return nil, r.fail("more than %d values", maxValues)
	}
	if depth > maxDepth {
		return nil, r.fail("nested deeper than %d levels", maxDepth)
	}
	n := &node{at: r.next()}
	token, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			n.kind = dict
			return n, r.object(n, depth)
		}
		n.kind = list
		return n, r.array(n, depth)
	case string:
		n.tag, n.text = tagText, t
	case bool:
		n.tag, n.text = tagBool, strconv.FormatBool(t)
	case json.Number:
		n.tag, n.text = tagInt, t.String()
		if strings.ContainsAny(n.text, ".eE") {
			n.tag = tagFloat
		}
	default:
		n.tag = tagNull
	}
	return n, nil
}

func (r *jsonReader) object(n *node, depth int) error {
	seen := map[string]bool{}
	for r.dec.More() {
		where := r.next()
		token, err := r.dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		if seen[key] {
			return where.fault(fault.Schema, "duplicate key %s", quoted(key))
		}
		seen[key] = true
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.fields = append(n.fields, field{key, where, v})
	}
	_, err := r.dec.Token()
	return err
}

func (r *jsonReader) array(n *node, depth int) error {
	for r.dec.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, v)
	}
	_, err := r.dec.Token()
	return err
}

// plain is the value as Go has it after decoding JSON, with int64 for whole
// numbers. Infinity and not-a-number have no JSON and are an error.
func (n *node) plain() (any, error) {
	switch n.kind {
	case dict:
		m := make(map[string]any, len(n.fields))
		for _, f := range n.fields {
			v, err := f.value.plain()
			if err != nil {
				return nil, err
			}
			m[f.name] = v
		}
		return m, nil
	case list:
		l := make([]any, 0, len(n.items))
		for _, item := range n.items {
			v, err := item.plain()
			if err != nil {
				return nil, err
			}
			l = append(l, v)
		}
		return l, nil
	}
	switch n.tag {
	case tagNull:
		return nil, nil
	case tagBool:
		return strings.EqualFold(n.text, "true"), nil
	case tagInt:
		if i, ok := wholeNumber(n.text); ok {
			return i, nil
		}
		fallthrough
	case tagFloat:
		f, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, n.fault(fault.Config, "%s is no number that JSON can hold", quoted(n.text)).Hinting("put it in quotes")
		}
		return f, nil
	}
	return n.text, nil
}

func wholeNumber(text string) (int64, bool) {
	text = strings.ReplaceAll(text, "_", "")
	base := 0
	if digits := strings.TrimLeft(text, "+-"); len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		base = 8
	}
	i, err := strconv.ParseInt(text, base, 64)
	return i, err == nil
}

// json encodes the value, keys in the order they were written.
func (n *node) json() (json.RawMessage, error) {
	var b bytes.Buffer
	if err := n.encode(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (n *node) encode(b *bytes.Buffer) error {
	switch n.kind {
	case dict:
		b.WriteByte('{')
		for i, f := range n.fields {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, f.name)
			b.WriteByte(':')
			if err := f.value.encode(b); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	case list:
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := item.encode(b); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	v, err := n.plain()
	if err != nil {
		return err
	}
	writeJSON(b, v)
	return nil
}

// writeJSON writes a scalar; text keeps <, > and & as they are.
func writeJSON(b *bytes.Buffer, v any) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // unreachable: plain gives only what JSON holds
		fmt.Fprint(b, "null")
		return
	}
	b.Truncate(b.Len() - 1) // Encode ends with a newline
}
