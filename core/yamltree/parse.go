package yamltree

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"golem/core/fault"
)

// Parse reads one YAML document. file is its name in positions. It refuses what
// yaml.v3 accepts or leaves to the caller: other encodings, a second document,
// tags, merge keys, duplicate keys, deep nesting and too many values (aliases are
// expanded). n is nil for an empty document, and where there are faults. Every
// fault has a position.
func Parse(file string, data []byte) (n *Node, faults fault.List) {
	if n, faults = ParsePart(file, data); len(faults) > 0 {
		return nil, faults
	}
	return n, nil
}

// ParsePart does what Parse does, but where there are faults, n is what could be read in
// spite of them, so that a check can look at it: a value that could not be read is left
// out of its list, and is Unread if it is the value of a key. Nothing else may use n then.
func ParsePart(file string, data []byte) (n *Node, faults fault.List) {
	defer func() {
		if r := recover(); r != nil { // a defect of the YAML library must not end golem
			n, faults = nil, fault.List{Pos{file, 1, 1}.Fault(fault.Config, "this is not valid YAML")}
		}
	}()
	if f := CheckText(file, data); f != nil {
		return nil, fault.List{f}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = withoutVersion(data)
	if f := directive(file, data); f != nil {
		return nil, fault.List{f}
	}
	dec := newDecoder(endedLine(data))
	var doc yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, fault.List{diagnose(file, data, err)}
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		f := Pos{file, max(1, second.Line), max(1, second.Column)}.Fault(fault.Config, "the file has a second YAML document, and only one is allowed")
		return nil, fault.List{f.Hinting("remove the line --- and what follows it; front matter with a prompt is a .worker file whose first line is ---")}
	} else if !errors.Is(err, io.EOF) {
		return nil, fault.List{diagnose(file, data, err)}
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" && doc.Content[0].Value == "" && doc.Content[0].Style&yaml.TaggedStyle == 0 {
		return nil, nil // nothing but comments and ---
	}
	c := &yamlReader{file: file, left: MaxValues, marks: marksOf(data)}
	n = c.node(doc.Content[0], 0)
	if c.stopped() {
		n = nil
	}
	return n, c.faults
}

// yamlReader turns yaml.v3's tree into nodes within bounds.
type yamlReader struct {
	file   string
	left   int // values that may still be read
	marks  marks
	faults fault.List
}

func (c *yamlReader) fail(y *yaml.Node, format string, args ...any) *fault.Fault {
	f := Pos{c.file, max(1, y.Line), max(1, y.Column)}.Fault(fault.Config, format, args...)
	c.faults = append(c.faults, f)
	return f
}

func (c *yamlReader) hint(y *yaml.Node, hint, format string, args ...any) {
	f := c.fail(y, format, args...)
	c.faults[len(c.faults)-1] = f.Hinting("%s", hint)
}

// stopped reports whether a bound was exceeded; then nothing more is read.
func (c *yamlReader) stopped() bool { return c.left < 0 }

func (c *yamlReader) node(y *yaml.Node, depth int) *Node {
	if c.stopped() {
		return nil
	}
	if c.left--; c.left < 0 {
		c.hint(y, "write it shorter; each use of an alias counts", "more than %d values", MaxValues)
		return nil
	}
	if depth > MaxDepth {
		c.left = -1
		c.fail(y, "nested deeper than %d levels", MaxDepth)
		return nil
	}
	if y.Kind == yaml.AliasNode {
		return c.node(y.Alias, depth+1)
	}
	if y.Style&yaml.TaggedStyle != 0 {
		c.hint(y, "remove the tag; to write text, use quotes", "YAML tags are not supported, found %s", fault.Quoted(y.Tag))
		return nil
	}
	if c.misread(y) {
		return nil
	}
	n := &Node{Pos: Pos{c.file, max(1, y.Line), max(1, y.Column)}}
	switch y.Kind {
	case yaml.MappingNode:
		n.Kind = Mapping
		if !c.mapping(n, y, depth) {
			return nil
		}
	case yaml.SequenceNode:
		n.Kind = List
		for _, item := range y.Content {
			if v := c.node(item, depth+1); v != nil {
				n.Items = append(n.Items, v)
			}
		}
	default:
		n.Text = y.Value
		n.Tag = scalarTag(y)
		n.Block = y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
		if n.Tag != TagText && zeroFirst(n.Text) {
			c.hint(y, "write it without the 0 before it, as 0o10 if it is octal, or in quotes if it is text", "the number %s begins with 0: YAML 1.1 reads it as octal, YAML 1.2 as decimal", fault.Brief(n.Text))
			return nil
		}
	}
	return n
}

// zeroFirst reports whether a number has only digits and begins with a needless 0, as
// 010.
func zeroFirst(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	return len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789_") == ""
}

func scalarTag(y *yaml.Node) string {
	switch y.ShortTag() {
	case "!!int":
		return TagInt
	case "!!float":
		return TagFloat
	case "!!bool":
		return TagBool
	case "!!null":
		return TagNull
	}
	return TagText
}

// mapping reads the keys of a mapping. It returns false if the text was not meant to be
// one, as {{ x }}.
func (c *yamlReader) mapping(n *Node, y *yaml.Node, depth int) bool {
	seen := make(map[string]int, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		if c.stopped() {
			return true
		}
		key, ok := c.key(y.Content[i])
		if !ok && y.Content[i].Kind == yaml.MappingNode {
			return false
		}
		if !ok {
			continue
		}
		if line, dup := seen[key.Name]; dup {
			c.hint(y.Content[i], "first on line "+strconv.Itoa(line), "duplicate key %s", fault.Quoted(key.Name))
			n.Fields = append(n.Fields, Field{key.Name, key.Pos, &Node{Pos: key.Pos, Kind: Unread}})
			continue
		}
		seen[key.Name] = key.Pos.Line
		if key.Value = c.node(y.Content[i+1], depth+1); key.Value == nil {
			key.Value = &Node{Pos: key.Pos, Kind: Unread}
		} else {
			if y.Content[i+1].Kind == yaml.AliasNode || key.Value.Tag == TagNull {
				moved := *key.Value // an alias or an empty value has the position where it is used
				moved.Pos = Pos{c.file, max(1, y.Content[i+1].Line), max(1, y.Content[i+1].Column)}
				key.Value = &moved
			}
		}
		n.Fields = append(n.Fields, key)
	}
	return true
}

func (c *yamlReader) key(y *yaml.Node) (Field, bool) {
	k := y
	for hops := 0; k.Kind == yaml.AliasNode && hops < MaxDepth; hops++ {
		k = k.Alias
	}
	switch {
	case c.misreadKey(y) || c.misread(y):
	case k.Kind == yaml.MappingNode && k.Style&yaml.FlowStyle != 0:
		c.hint(y, "put the value in quotes: '{{ … }}'", "a key must be text, and { begins a mapping")
	case k.Kind != yaml.ScalarNode:
		c.fail(y, "a key must be text")
	case k.Tag == "!!merge":
		c.hint(y, "write the keys out; what all workers share goes into the manifest", "merge keys (<<) are not supported")
	case k.Style&yaml.TaggedStyle != 0, scalarTag(k) != TagText:
		c.hint(y, "put it in quotes", "the key %s is not text", fault.Quoted(k.Value))
	case len(k.Value) > maxKey:
		c.fail(y, "a key has %d bytes; at most %d are allowed", len(k.Value), maxKey)
	case Invisible(k.Value):
		c.fail(y, "the key %s has invisible or control characters", fault.Quoted(k.Value))
	default:
		return Field{Name: k.Value, Pos: Pos{c.file, max(1, y.Line), max(1, y.Column)}}, true
	}
	return Field{}, false
}
