package sse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"golem/core/sse"
)

// all returns the events of a stream as text, and the error at its end.
func all(r *sse.Reader) (string, error) {
	var out strings.Builder
	for e, err := range r.All() {
		switch {
		case err != nil:
			return out.String(), err
		case e.Stray != nil:
			fmt.Fprintf(&out, "stray %q;", e.Stray)
		case e.Name != "":
			fmt.Fprintf(&out, "%s: %s;", e.Name, e.Data)
		default:
			fmt.Fprintf(&out, "%s;", e.Data)
		}
	}
	return out.String(), nil
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		name, in, want, id string
		err                error
	}{
		{name: "events", in: "data: {}\n\ndata: [1]\n\n", want: "{};[1];"},
		{name: "ends of lines", in: "data: {}\r\n\r\ndata: 1\r\rdata: 2\n\r\n", want: "{};1;2;"},
		{name: "byte order mark", in: "\uFEFFdata: 1\n\n", want: "1;"},
		{name: "no empty line", in: "data: 1\ndata: 2\ndata: [DONE]\n", want: "1;2;[DONE];"},
		{name: "no end of line", in: "data: 1", want: "1;"},
		{name: "several lines", in: "event: error\ndata: {\ndata: }\n\n", want: "error: {\n};"},
		{name: "plain text", in: "event: error\ndata: it is\ndata: over\n\n", want: "error: it is\nover;"},
		{name: "comments and blanks", in: ": hello\n\n  data:1\n\t event:x\ndata: 2\n\n", want: "1;x: 2;"},
		{name: "strays", in: "{\"a\": 1}\nfoo: 1\ndata\n", want: `stray "{\"a\": 1}";stray "foo: 1";`},
		{name: "cut in a name", in: "data: 1\n\nda", want: "1;", err: io.ErrUnexpectedEOF},
		{name: "cut in data", in: "data: {\ndata: 1", want: "", err: io.ErrUnexpectedEOF},
		{name: "ids", in: "id: 1\n\nid: 2\ndata: {}\n\n", want: "{};", id: "2"},
		{name: "the id of an event that is not complete", in: "id: 1\ndata: {}\n\nid: 2\ndata: {", want: "{};", id: "1", err: io.ErrUnexpectedEOF},
		{name: "an id that was cut", in: "id: 1\ndata: {}\n\nid: 2", want: "{};", id: "1"},
	} {
		for _, one := range []bool{false, true} {
			var in io.Reader = strings.NewReader(c.in)
			if one {
				in = iotest.OneByteReader(in)
			}
			r := &sse.Reader{}
			r.Reset(in)
			if got, err := all(r); got != c.want || err != c.err || r.LastID != c.id {
				t.Errorf("%s (byte by byte: %t): %s, id %q, %v", c.name, one, got, r.LastID, err)
			}
		}
	}
}

// An error of the stream is the last thing that comes, and what was cut by it is no event.
func TestBroken(t *testing.T) {
	broken := errors.New("broken")
	r := &sse.Reader{}
	for in, want := range map[string]string{"data: 1\n\ndata: {": "1;", "data: 1\n\nfoo": "1;", "data: {}": "{};"} {
		r.Reset(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)))
		if got, err := all(r); got != want || err != broken {
			t.Errorf("%q: %s, %v", in, got, err)
		}
	}
}

// A stream that continues another one has its position, and none of its half event.
func TestContinued(t *testing.T) {
	r := &sse.Reader{}
	r.Reset(strings.NewReader("retry: 20\nretry: x\nid: 7\ndata: 1\n\nevent: x\ndata: {"))
	all(r)
	r.Reset(strings.NewReader("data: 2\n\n"))
	if got, err := all(r); got != "2;" || err != nil || r.LastID != "7" || r.Retry != 20*time.Millisecond {
		t.Error(got, err, r.LastID, r.Retry)
	}
}

// Limits count what a line has and all lines of an event, also where nothing ends them.
func TestLimits(t *testing.T) {
	for name, in := range map[string]io.Reader{
		"a line":  endless("x"),
		"data":    endless("data: {\n"),
		"a field": io.MultiReader(strings.NewReader("data: "), endless("{")),
		"strays":  endless("x: 1\n"),
		"nothing": endless("\n"),
	} {
		r := &sse.Reader{MaxEvent: 100 << 10, MaxStream: 1 << 20}
		r.Reset(in)
		if _, err := all(r); err != sse.ErrLong {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := &sse.Reader{MaxStream: 20}
	r.Reset(strings.NewReader("data: {}\n\n"))
	all(r)
	r.Reset(strings.NewReader("data: {}\n\ndata: {}\n\n"))
	if got, err := all(r); got != "{};" || err != sse.ErrLong {
		t.Error("the limit of all streams together:", got, err)
	}
}

type endless string

func (e endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// FuzzReader shows that no input makes a reader panic or give more than came.
func FuzzReader(f *testing.F) {
	f.Add([]byte("data: {}\r\n\r\nid: 1\rdata: {\n{\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := &sse.Reader{MaxEvent: 1 << 16, MaxStream: 1 << 20}
		r.Reset(bytes.NewReader(in))
		n := 0
		for e := range r.All() {
			n += len(e.Data) + len(e.Stray)
		}
		if n > len(in) {
			t.Errorf("%d of %d bytes", n, len(in))
		}
	})
}

// BenchmarkEvents measures an answer of 5,000 pieces of text.
func BenchmarkEvents(b *testing.B) {
	in := strings.Repeat(`data: {"choices":[{"index":0,"delta":{"content":" some words"}}]}`+"\n\n", 5000)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		r := &sse.Reader{}
		r.Reset(strings.NewReader(in))
		for range r.All() {
		}
	}
}
