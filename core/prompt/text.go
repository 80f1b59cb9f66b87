package prompt

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mitsuhiko/minijinja/minijinja-go/v2/filters"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/value"
)

// textOf returns a value as Jinja2 prints it. Lists and mappings are printed as in Python.
func textOf(v value.Value) string {
	if s, ok := v.AsString(); ok {
		return s
	}
	var b strings.Builder
	writeLiteral(&b, v)
	return b.String()
}

// writeLiteral writes a value as in Python's source. The meter bounds its size and depth.
func writeLiteral(b *strings.Builder, v value.Value) {
	if s, ok := v.AsString(); ok {
		quote(b, s)
		return
	}
	if fields, ok := v.AsMap(); ok {
		names := make([]string, 0, len(fields))
		for name := range fields {
			names = append(names, name)
		}
		slices.Sort(names)
		b.WriteByte('{')
		for i, name := range names {
			if i > 0 {
				b.WriteString(", ")
			}
			quote(b, name)
			b.WriteString(": ")
			writeLiteral(b, fields[name])
		}
		b.WriteByte('}')
		return
	}
	if kind := v.Kind(); kind != value.KindSeq && kind != value.KindIterable {
		b.WriteString(v.String())
		return
	}
	b.WriteByte('[')
	for i, item := range v.Iter() {
		if i > 0 {
			b.WriteString(", ")
		}
		writeLiteral(b, item)
	}
	b.WriteByte(']')
}

// quote writes a text in quotation marks, as Python's repr does.
func quote(b *strings.Builder, s string) {
	mark := '\''
	if strings.ContainsRune(s, '\'') && !strings.ContainsRune(s, '"') {
		mark = '"'
	}
	b.WriteRune(mark)
	for _, r := range s {
		switch {
		case r == mark || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			b.WriteString(`\x` + strconv.FormatInt(int64(r)+0x100, 16)[1:])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteRune(mark)
}

// ofText returns a filter that changes the text of a value.
func ofText(change func(string) string) filters.FilterFunc {
	return func(_ filters.State, v value.Value, _ []value.Value, _ map[string]value.Value) (value.Value, error) {
		if v.IsUndefined() { // an undefined name stays one, which is an error
			return v, nil
		}
		out := change(textOf(v))
		if v.IsSafe() {
			return value.FromSafeString(out), nil
		}
		return value.FromString(out), nil
	}
}

func unchanged(s string) string { return s }

// capitalized returns s with its first letter in upper case and the others in lower case.
func capitalized(s string) string {
	for i, r := range s {
		return strings.ToUpper(string(r)) + strings.ToLower(s[i+len(string(r)):])
	}
	return s
}

// titled returns s with each word capitalized. Words begin after white space, a hyphen and an
// opening bracket.
func titled(s string) string {
	var b strings.Builder
	begin := 0
	for i, r := range s {
		if unicode.IsSpace(r) || strings.ContainsRune("-({[<", r) {
			b.WriteString(capitalized(s[begin:i]))
			b.WriteRune(r)
			begin = i + len(string(r))
		}
	}
	b.WriteString(capitalized(s[begin:]))
	return b.String()
}
