package tui

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// chunks are what a terminal gives, one for each read, and the time before it.
type chunks struct {
	list  []string
	pause time.Duration
	now   time.Time
}

func (c *chunks) Read(b []byte) (int, error) {
	if len(c.list) == 0 {
		return 0, io.EOF
	}
	c.now = c.now.Add(c.pause)
	n := copy(b, c.list[0])
	if c.list[0] = c.list[0][n:]; c.list[0] == "" {
		c.list = c.list[1:]
	}
	return n, nil
}

// Several lines in one read are a paste, which is marked; what follows it at once belongs to
// it. Keys, also fast ones, and what a terminal marks itself stay as they are.
func TestPasteWithoutMarks(t *testing.T) {
	mark := func(text string) string { return pasteBegins + text + pasteEnds }
	long := strings.Repeat("0123456\r", 2000) // for several reads
	for _, c := range []struct {
		reads []string
		pause time.Duration
		want  string
	}{
		{[]string{"a\rb"}, 0, mark("a\rb")},
		{[]string{"a\nb\r\nc\n"}, 0, mark("a\nb\r\nc\n")},
		{[]string{"\tif x {\r\t\ty\r\t}\r"}, 0, mark("\tif x {\r\t\ty\r\t}\r")},
		{[]string{"a\rb\rc", "d\r", "e\r"}, 10 * time.Millisecond, mark("a\rb\rc") + mark("d\r") + mark("e\r")},
		{[]string{"a\rb", "\r"}, 200 * time.Millisecond, mark("a\rb") + "\r"},
		{[]string{"h", "e", "y", "\r", "y", "\r"}, 0, "hey\ry\r"},
		{[]string{"a whole line\r"}, 0, "a whole line\r"},
		{[]string{"\r\r\r", "\ry"}, 0, "\r\r\r\ry"},
		{[]string{"a\rb\x1b[A"}, 0, "a\rb\x1b[A"},
		{[]string{"a\rb\x03"}, 0, "a\rb\x03"},
		{[]string{mark("a\rb")}, 0, mark("a\rb")},
		{[]string{"\x1b[20", "0~a\rb", "c\rd", "e\r\x1b[2", "01~"}, 0, mark("a\rbc\rde\r")},
		{[]string{mark("a\rb"), "c\rd"}, 0, mark("a\rb") + mark("c\rd")},
		{[]string{"é\r漢\xe5", "\xad\x97\rx"}, 0, mark("é\r漢") + mark("字\rx")},
		{[]string{"a\rb\xe5", "x"}, time.Second, mark("a\rb") + "\xe5x"},
		{[]string{long}, 0, mark(long)},
	} {
		source := &chunks{list: slices.Clone(c.reads), pause: c.pause}
		p := &pasted{now: func() time.Time { return source.now }}
		var got bytes.Buffer
		for b := make([]byte, 4096); ; {
			n, err := p.read(source, b)
			got.Write(b[:n])
			if errors.Is(err, io.EOF) {
				break
			}
		}
		text := got.String()
		if c.reads[0] == long {
			text = strings.ReplaceAll(text, pasteEnds+pasteBegins, "")
		}
		if text != c.want {
			t.Errorf("%q: %q, want %q", c.reads, text, c.want)
		}
	}
}
