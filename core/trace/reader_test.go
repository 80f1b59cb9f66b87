package trace

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"golem/core/fault"
)

func readAll(t *testing.T, data []byte) (Header, []Event) {
	t.Helper()
	h, events, err := Read(bytes.NewReader(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	return h, events
}

func TestReadBack(t *testing.T) {
	data := write(t, sampleHeader, sampleEvents())
	h, events := readAll(t, data)
	if h.Run != "r1" || h.Started == "" {
		t.Errorf("%+v", h)
	}
	if again := write(t, h, events); !bytes.Equal(again, data) {
		t.Errorf("read and written again:\n%s\nwas\n%s", again, data)
	}
}

// SECURITY 14: a run that is killed leaves at most an incomplete last line, whichever
// byte was the last.
func TestTornAnywhere(t *testing.T) {
	data := write(t, sampleHeader, sampleEvents())
	headerEnd := bytes.IndexByte(data, '\n')
	for cut := range len(data) {
		r, err := newReader(bytes.NewReader(data[:cut]))
		if cut < headerEnd {
			if err == nil {
				t.Fatalf("cut at %d: a torn header was read", cut)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		n := 0
		for {
			_, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			n++
		}
		whole := bytes.Count(data[:cut], []byte{'\n'}) - 1
		if n < whole {
			t.Fatalf("cut at %d: %d events of %d", cut, n, whole)
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	head := `{"golem":"trace","v":1}` + "\n"
	for name, c := range map[string][2]string{
		"empty":         {"", "empty"},
		"not a trace":   {"hello\n", "line 1"},
		"another golem": {`{"golem":"recording","v":1}` + "\n", "not a trace"},
		"newer":         {`{"golem":"trace","v":2}` + "\n", "version 2"},
		"broken line":   {head + "{bad\n{}\n", "line 2"},
		"no type":       {head + "\n\n{}\n", "line 4"},
		"wrong type":    {head + `{"type":"model.start","id":"0","turn":"x"}` + "\n", "turn"},
		"array":         {head + "[]\n", "line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Read(strings.NewReader(c[0]), nil)
			if !errors.Is(err, fault.Config) || !strings.Contains(err.Error(), c[1]) {
				t.Errorf("%v, want E_CONFIG with %q", err, c[1])
			}
		})
	}
	long, err := newReader(strings.NewReader(head + `{"type":"` + strings.Repeat("x", 200_000) + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	long.max = 100_000
	if _, err := long.Next(); !errors.Is(err, fault.Config) || !strings.Contains(err.Error(), "more than 100000") {
		t.Error(err)
	}
	// Additions of newer versions are not an error: unknown fields are ignored, unknown
	// types are kept.
	_, events, err := Read(strings.NewReader(head+`{"type":"model.start","id":"0","turn":1,"new":1}`+"\n"+`{"type":"hologram","id":"0","x":[]}`+"\n"), nil)
	if err != nil || len(events) != 2 || events[1].Body.EventType() != "hologram" {
		t.Errorf("%v %v", events, err)
	}
}

// The reader does not panic, whatever a file contains, and the events that it returns
// can be written again.
func FuzzRead(f *testing.F) {
	head := `{"golem":"trace","v":1}` + "\n"
	f.Add(write(f, sampleHeader, sampleEvents()))
	for _, s := range []string{
		"", head, head + "{}", head + `{"type":"tool.start","id":"0.1","args":{"cut":1,"sha256":"","head":""}}`,
		head + `{"type":"model.end","id":"0.1","text":{"cut":5000,"sha256":"ab","head":"x"},"calls":[{"id":{"cut":1,"sha256":"a","head":"b"}}]}`,
		head + `{"type":"x","id":"0.0.0","cut":{"cut":{"cut":` + "\n", head + `{"type":"tool.end","id":"..","error":{"code":1}}`,
		head + `{"type":"tool.end","id":"` + strings.Repeat("0.", 300) + `","tool":"\u001b[2J\u202e"}` + "\n" + `{"type":"worker.end","id":"","ms":-9223372036854775808}`,
		head + `{"type":"x","id":"\r"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, events, err := Read(bytes.NewReader(data), nil)
		if err != nil && fault.Of(err, fault.Tool).Code != fault.Config {
			t.Fatalf("no fault of golem's: %v", err)
		}
		for _, e := range events {
			line, err := Encode(e)
			if err != nil {
				t.Fatalf("%+v cannot be written again: %v", e, err)
			}
			if _, err := Decode(line); err != nil {
				t.Fatalf("%s cannot be read again: %v", line, err)
			}
		}
		checkClean(t, NormalText(h, events))
	})
}

func checkClean(t *testing.T, s string) {
	t.Helper()
	if strings.ContainsAny(s, "\x1b\x07\x7f\u009b\u202e\u2028\r\x00") {
		t.Fatalf("a raw character in %q", s)
	}
}
