package project

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"golem/core/fault"
	"golem/core/yamlfault"
)

// Sizes that are read at most (SECURITY 11).
const (
	maxFrontMatter = 64 << 10
	maxFile        = 1 << 20
)

// parseYAML reads one YAML document into nodes. It refuses what yaml.v3 lets
// pass or leaves to the caller: other encodings, a second document, tags,
// merge keys, duplicate keys, deep nesting and alias bombs. An empty document
// is nil. Every fault has a position.
func parseYAML(file string, data []byte) (n *node, faults fault.List) {
	defer func() {
		if r := recover(); r != nil { // a defect of the YAML library must not end golem
			n, faults = nil, fault.List{at{file, 1, 1}.fault(fault.Config, "this is no YAML that can be read")}
		}
	}()
	if f := plainText(file, data); f != nil {
		return nil, fault.List{f}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, fault.List{yamlfault.Of(file, data, err)}
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		f := at{file, max(1, second.Line), max(1, second.Column)}.fault(fault.Config, "a second YAML document: only one is allowed")
		return nil, fault.List{f.Hinting("front matter and a prompt body belong in a .worker file whose first line is ---")}
	} else if !errors.Is(err, io.EOF) {
		return nil, fault.List{yamlfault.Of(file, data, err)}
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" && doc.Content[0].Value == "" && doc.Content[0].Style&yaml.TaggedStyle == 0 {
		return nil, nil // nothing but comments and ---
	}
	c := &yamlReader{file: file, left: maxValues}
	n = c.node(doc.Content[0], 0)
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	return n, nil
}

// plainText refuses bytes that are not UTF-8 text.
func plainText(file string, data []byte) *fault.Fault {
	if yamlfault.Wide(data) {
		return at{file, 1, 1}.fault(fault.Config, "the file is UTF-16").Hinting("save it as UTF-8")
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return place(file, data, i).fault(fault.Config, "a NUL byte: this is not a text file")
	}
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return place(file, data, i).fault(fault.Config, "byte 0x%02x is not UTF-8", data[i]).
				Hinting("save the file as UTF-8")
		}
		i += size
	}
	return nil
}

// place turns a byte offset into line and column (in characters).
func place(file string, data []byte, offset int) at {
	offset = min(max(offset, 0), len(data))
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return at{file, 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])}
}

// yamlReader turns yaml.v3's tree into nodes within bounds.
type yamlReader struct {
	file   string
	left   int // values that may still be read
	faults fault.List
}

func (c *yamlReader) fail(y *yaml.Node, format string, args ...any) *fault.Fault {
	f := at{c.file, max(1, y.Line), max(1, y.Column)}.fault(fault.Config, format, args...)
	c.faults = append(c.faults, f)
	return f
}

func (c *yamlReader) hint(y *yaml.Node, hint, format string, args ...any) {
	f := c.fail(y, format, args...)
	c.faults[len(c.faults)-1] = f.Hinting("%s", hint)
}

// stopped is true once the bounds were passed; then nothing more is read.
func (c *yamlReader) stopped() bool { return c.left < 0 }

func (c *yamlReader) node(y *yaml.Node, depth int) *node {
	if c.stopped() {
		return nil
	}
	if c.left--; c.left < 0 {
		c.hint(y, "write it shorter; aliases count as often as they are used", "more than %d values", maxValues)
		return nil
	}
	if depth > maxDepth {
		c.left = -1
		c.fail(y, "nested deeper than %d levels", maxDepth)
		return nil
	}
	if y.Kind == yaml.AliasNode {
		return c.node(y.Alias, depth+1)
	}
	if y.Style&yaml.TaggedStyle != 0 {
		c.hint(y, "leave the tag out; quotes make text", "YAML tags are not supported, found %s", quoted(y.Tag))
		return nil
	}
	n := &node{at: at{c.file, max(1, y.Line), max(1, y.Column)}}
	switch y.Kind {
	case yaml.MappingNode:
		n.kind = dict
		c.mapping(n, y, depth)
	case yaml.SequenceNode:
		n.kind = list
		for _, item := range y.Content {
			if v := c.node(item, depth+1); v != nil {
				n.items = append(n.items, v)
			}
		}
	default:
		n.text = y.Value
		n.tag = scalarTag(y)
		n.block = y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	}
	return n
}

func scalarTag(y *yaml.Node) string {
	switch y.ShortTag() {
	case "!!int":
		return tagInt
	case "!!float":
		return tagFloat
	case "!!bool":
		return tagBool
	case "!!null":
		return tagNull
	}
	return tagText
}

func (c *yamlReader) mapping(n *node, y *yaml.Node, depth int) {
	seen := make(map[string]int, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		if c.stopped() {
			return
		}
		key, ok := c.key(y.Content[i])
		if !ok {
			continue
		}
		if line, dup := seen[key.name]; dup {
			c.hint(y.Content[i], "first on line "+strconv.Itoa(line), "duplicate key %s", quoted(key.name))
			continue
		}
		seen[key.name] = key.at.line
		if key.value = c.node(y.Content[i+1], depth+1); key.value != nil {
			if y.Content[i+1].Kind == yaml.AliasNode || key.value.tag == tagNull {
				moved := *key.value // an alias, or nothing at all, stands where it is used
				moved.at = at{c.file, max(1, y.Content[i+1].Line), max(1, y.Content[i+1].Column)}
				key.value = &moved
			}
			n.fields = append(n.fields, key)
		}
	}
}

func (c *yamlReader) key(y *yaml.Node) (field, bool) {
	k := y
	for hops := 0; k.Kind == yaml.AliasNode && hops < maxDepth; hops++ {
		k = k.Alias
	}
	switch {
	case k.Kind == yaml.MappingNode && k.Style&yaml.FlowStyle != 0:
		c.hint(y, "put the value in quotes: '{{ … }}'", "a key must be text, and { begins a mapping")
	case k.Kind != yaml.ScalarNode:
		c.fail(y, "a key must be text")
	case k.Tag == "!!merge":
		c.hint(y, "write the keys out; what all workers share goes into the manifest", "merge keys (<<) are not supported")
	case k.Style&yaml.TaggedStyle != 0, scalarTag(k) != tagText:
		c.hint(y, "put it in quotes", "the key %s is not text", quoted(k.Value))
	case len(k.Value) > maxKey:
		c.fail(y, "a key of %d bytes, at most %d are allowed", len(k.Value), maxKey)
	case invisible(k.Value):
		c.fail(y, "the key %s has invisible or control characters", quoted(k.Value))
	default:
		return field{name: k.Value, at: at{c.file, max(1, y.Line), max(1, y.Column)}}, true
	}
	return field{}, false
}

// invisible tells whether a name holds control, format or bidirectional
// characters (SECURITY 9, 11).
func invisible(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	})
}
