package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// writes is an io.Writer that records each Write.
type writes struct {
	each [][]byte
	err  error
	from int // the number of the first Write that fails
}

func (w *writes) Write(p []byte) (int, error) {
	if w.err != nil && len(w.each) >= w.from {
		return len(p) / 2, w.err
	}
	w.each = append(w.each, bytes.Clone(p))
	return len(p), nil
}

// Scenario 35: the header comes first, each line is JSON and one Write, and seq has no
// gaps, in whatever order the events arrive.
func TestWriter(t *testing.T) {
	out := &writes{}
	w := NewWriter(out, sampleHeader, clock())
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				w.Emit(Event{ID: fmt.Sprintf("0.%d", g), Body: ModelStart{Turn: i}})
				w.Emit(Event{ID: "0", Body: Delta{Text: "x"}})
			}
		})
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Emit(Event{ID: "0", Body: ModelStart{}})
	if len(out.each) != 1+8*50 {
		t.Fatalf("%d writes", len(out.each))
	}
	if got := string(out.each[0]); got != `{"golem":"trace","v":1,"run":"r1","version":"0.1.0","platform":"native","project":"demo","entry":"root","started":"2026-11-01T12:00:00Z"}`+"\n" {
		t.Errorf("header %s", got)
	}
	for i, l := range out.each {
		if bytes.Count(l, []byte{'\n'}) != 1 || l[len(l)-1] != '\n' || !json.Valid(l) {
			t.Fatalf("line %d: %q", i, l)
		}
		if want := fmt.Sprintf(`{"seq":%d,"ts":"2026-`, i); i > 0 && !strings.HasPrefix(string(l), want) {
			t.Fatalf("line %d: %s", i, l)
		}
	}
}

// A full disk is reported once and does not stop the run, and other outputs continue.
func TestWriteErrors(t *testing.T) {
	full := errors.New("no space left")
	bad, good := &writes{err: full, from: 2}, &writes{}
	w := NewWriter(bad, sampleHeader, clock())
	w.Whole(good)
	told := 0
	w.OnError = func(err error) {
		told++
		if !errors.Is(err, full) {
			t.Error(err)
		}
	}
	for range 5 {
		w.Emit(Event{ID: "0", Body: ModelStart{}})
	}
	if told != 1 || !errors.Is(w.Close(), full) {
		t.Errorf("told %d times", told)
	}
	if len(bad.each) != 2 || len(good.each) != 6 {
		t.Errorf("%d and %d lines", len(bad.each), len(good.each))
	}
}

// An event that cannot be written does not affect other lines or their numbers.
func TestWriterSurvivesBodies(t *testing.T) {
	data := write(t, sampleHeader, []Event{{ID: "0"}, {ID: "0", Body: unwritable{}}, {ID: "0", Body: ModelStart{}}})
	got := lines(data)
	if len(got) != 3 || !strings.Contains(got[1], `"seq":1`) || !strings.Contains(got[1], "could not be written") || !strings.Contains(got[2], `"seq":2`) {
		t.Errorf("%q", got)
	}
}

type unwritable struct{ F func() }

func (unwritable) EventType() string { return "unwritable" }
func (unwritable) Transient() bool   { return false }

// The time for a line does not grow with the number of lines before it: compare ns/op
// of -benchtime=1000x and -benchtime=100000x.
func BenchmarkWriter(b *testing.B) {
	w := NewWriter(io.Discard, sampleHeader, clock())
	e := Event{ID: "0.17", Parent: "0", Worker: "main", Body: ToolStart{Tool: "read_file", Kind: "builtin", Args: raw(`{"path":"/notes/a.md","offset":0,"limit":200}`)}}
	b.ReportAllocs()
	for b.Loop() {
		w.Emit(e)
	}
}

// BenchmarkRedactedResult is like BenchmarkWriter, with the redactor in front and a
// result of 50 KB.
func BenchmarkRedactedResult(b *testing.B) {
	s := NewRedactor([]string{"sk-0123456789abcdef"}).Sink(NewWriter(io.Discard, sampleHeader, clock()))
	text, err := json.Marshal(strings.Repeat("some line of a file\n", 2500))
	if err != nil {
		b.Fatal(err)
	}
	e := Event{ID: "0.17", Parent: "0", Worker: "main", Body: ToolEnd{Tool: "read_file", Status: "ok", Result: text}}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Emit(e)
	}
}
