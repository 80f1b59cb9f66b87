package yamltree

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// marks are the bytes &, ! and ? of a text, by line and column. With them the reader finds
// what the YAML library reads otherwise than YAML 1.2, without a word: it ends the name of an
// anchor at a colon, and drops the tag ! and the ? of a key within [ ] or { }.
type marks struct {
	data []byte
	at   map[[2]int]int // offset, by line and column as the library counts them
}

func marksOf(data []byte) marks {
	m := marks{data: data}
	if !bytes.ContainsAny(data, "&!?") {
		return m
	}
	m.at = map[[2]int]int{}
	line, column := 1, 1
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch r {
		case '&', '!', '?':
			m.at[[2]int{line, column}] = i
		case '\n':
			line, column = line+1, 0
		}
		i += size
		column++
	}
	return m
}

// has reports whether a byte stands at a position; the bytes behind it are rest.
func (m marks) has(mark byte, line, column int) (rest []byte, ok bool) {
	i, ok := m.at[[2]int{line, column}]
	if !ok || m.data[i] != mark {
		return nil, false
	}
	return m.data[i+1:], true
}

// misread refuses a value whose anchor or tag the library does not read as it is written.
func (c *yamlReader) misread(y *yaml.Node) bool {
	if _, tag := c.marks.has('!', y.Line, y.Column); tag {
		c.hint(y, "remove the tag; to write text, use quotes", "YAML tags are not supported, found !")
		return true
	}
	rest, anchor := c.marks.has('&', y.Line, y.Column)
	if !anchor || y.Anchor == "" || !bytes.HasPrefix(rest, []byte(y.Anchor)) {
		return false
	}
	rest = rest[len(y.Anchor):]
	if len(rest) == 0 || strings.IndexByte(" \t\r\n,[]{}", rest[0]) >= 0 {
		return false
	}
	c.hint(y, "to write text that begins with &, use quotes", "the name of an anchor can have letters, digits, _ and - only, found %q after &%s", rest[0], y.Anchor)
	return true
}

// misreadKey refuses a key of which the library drops a ? at its beginning.
func (c *yamlReader) misreadKey(y *yaml.Node) bool {
	if _, found := c.marks.has('?', y.Line, y.Column-1); !found {
		return false
	}
	c.hint(y, "put the key in quotes", "a ? stands directly before the key %q", y.Value)
	return true
}
