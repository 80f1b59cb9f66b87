package yamltree

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

// ParseJSON reads a file that holds one JSON value. file is its name in
// positions. Duplicate keys, text after the value, deep nesting and too many
// values are faults of code E_SCHEMA: golem reads JSON Schemas with it.
func ParseJSON(file string, data []byte) (*Node, *fault.Fault) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if f := CheckText(file, data); f != nil {
		f.Code = fault.Schema
		return nil, f
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	r := &jsonReader{file: file, data: data, dec: dec, left: MaxValues, lines: lineStarts(data)}
	n, err := r.value(0)
	if err == nil {
		if _, e := dec.Token(); !errors.Is(e, io.EOF) {
			err = r.fail("there is more text after the JSON value")
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
		where, err = r.positionAt(len(data)), errors.New("unexpected end of file")
	}
	return nil, where.Fault(fault.Schema, "malformed JSON: %s", fault.Brief(err.Error()))
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

// positionAt returns the position of a byte offset, with a column in bytes. It finds the line
// by bisection, because a file has many values.
func (r *jsonReader) positionAt(offset int) Pos {
	offset = min(max(offset, 0), len(r.data))
	lo, hi := 0, len(r.lines)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; r.lines[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return Pos{r.file, lo + 1, offset - r.lines[lo] + 1}
}

func (r *jsonReader) fail(format string, args ...any) error {
	return r.positionAt(int(r.dec.InputOffset())).Fault(fault.Schema, format, args...)
}

// next skips white space and separators, so that the position is the value's.
func (r *jsonReader) next() Pos {
	i := int(r.dec.InputOffset())
	for i < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[i]) >= 0 {
		i++
	}
	return r.positionAt(i)
}

func (r *jsonReader) value(depth int) (*Node, error) {
	if r.left--; r.left < 0 {
		return nil, r.fail("more than %d values", MaxValues)
	}
	if depth > MaxDepth {
		return nil, r.fail("nested deeper than %d levels", MaxDepth)
	}
	n := &Node{Pos: r.next()}
	token, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			n.Kind = Mapping
			return n, r.object(n, depth)
		}
		n.Kind = List
		return n, r.array(n, depth)
	case string:
		n.Tag, n.Text = TagText, t
	case bool:
		n.Tag, n.Text = TagBool, strconv.FormatBool(t)
	case json.Number:
		n.Tag, n.Text = TagInt, t.String()
		if strings.ContainsAny(n.Text, ".eE") {
			n.Tag = TagFloat
		}
	default:
		n.Tag = TagNull
	}
	return n, nil
}

func (r *jsonReader) object(n *Node, depth int) error {
	seen := map[string]bool{}
	for r.dec.More() {
		where := r.next()
		token, err := r.dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		if seen[key] {
			return where.Fault(fault.Schema, "duplicate key %s", fault.Quoted(key))
		}
		seen[key] = true
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.Fields = append(n.Fields, Field{key, where, v})
	}
	_, err := r.dec.Token()
	return err
}

func (r *jsonReader) array(n *Node, depth int) error {
	for r.dec.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, v)
	}
	_, err := r.dec.Token()
	return err
}

// Plain returns the value as encoding/json decodes it, but with int64 for whole numbers
// that fit. Infinity and not-a-number are an error, because JSON does not have them.
func (n *Node) Plain() (any, error) {
	switch n.Kind {
	case Mapping:
		m := make(map[string]any, len(n.Fields))
		for _, f := range n.Fields {
			v, err := f.Value.Plain()
			if err != nil {
				return nil, err
			}
			m[f.Name] = v
		}
		return m, nil
	case List:
		l := make([]any, 0, len(n.Items))
		for _, item := range n.Items {
			v, err := item.Plain()
			if err != nil {
				return nil, err
			}
			l = append(l, v)
		}
		return l, nil
	}
	switch n.Tag {
	case TagNull:
		return nil, nil
	case TagBool:
		return strings.EqualFold(n.Text, "true"), nil
	case TagInt:
		if i, ok := wholeNumber(n.Text); ok {
			return i, nil
		}
		fallthrough
	case TagFloat:
		f, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, n.Fault(fault.Config, "%s is not a number that JSON supports", fault.Quoted(n.Text)).Hinting("put it in quotes")
		}
		return f, nil
	}
	return n.Text, nil
}

// wholeNumber reads 10, 0o10, 0x10 and 0b10; Parse refuses 010.
func wholeNumber(text string) (int64, bool) {
	i, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 64)
	return i, err == nil
}

// JSON encodes the value, keys in the order they were written.
func (n *Node) JSON() (json.RawMessage, error) {
	var b bytes.Buffer
	if err := n.encode(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (n *Node) encode(b *bytes.Buffer) error {
	switch n.Kind {
	case Mapping:
		b.WriteByte('{')
		for i, f := range n.Fields {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, f.Name)
			b.WriteByte(':')
			if err := f.Value.encode(b); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	case List:
		b.WriteByte('[')
		for i, item := range n.Items {
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
	v, err := n.Plain()
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
	if err := enc.Encode(v); err != nil { // unreachable: Plain gives only what JSON holds
		fmt.Fprint(b, "null")
		return
	}
	b.Truncate(b.Len() - 1) // Encode ends with a newline
}
