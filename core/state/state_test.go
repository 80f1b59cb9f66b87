package state_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

var kind = state.Format{Kind: "note", Version: 2}

func written(t *testing.T, s *state.Store, name string, lines ...string) []byte {
	t.Helper()
	l, err := s.NewLog(kind, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if err := l.Append([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(l.Sync(), l.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := fs.ReadFile(s.Files, name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func put(t *testing.T, s *state.Store, name string, data []byte) {
	t.Helper()
	if err := s.Files.WriteFile(name, data); err != nil {
		t.Fatal(err)
	}
}

// An unchanged file is genuine under its own name, in its own project and on its own
// machine. Otherwise Unseal returns E_TRUST, and the body to be shown.
func TestSeal(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	file, err := s.Seal(kind, "a", []byte("body\nmore"))
	if err != nil {
		t.Fatal(err)
	}
	moved, elsewhere := s, s
	moved.Project = "/other"
	elsewhere.Host = otherMachine{s.Host}
	for _, c := range []struct {
		what  string
		store state.Store
		kind  state.Format
		name  string
		file  []byte
		want  error
	}{
		{"unchanged", s, kind, "a", file, nil},
		{"read by a newer golem", s, state.Format{Kind: "note", Version: 9}, "a", file, nil},
		{"under another name", s, kind, "b", file, fault.Trust},
		{"in another project", moved, kind, "a", file, fault.Trust},
		{"on another machine", elsewhere, kind, "a", file, fault.Trust},
		{"changed", s, kind, "a", bytes.Replace(file, []byte("more"), []byte("less"), 1), fault.Trust},
		{"an older version said", s, kind, "a", bytes.Replace(file, []byte(`"v":2`), []byte(`"v":1`), 1), fault.Trust},
		{"without a MAC", s, kind, "a", []byte(`{"golem":"note","v":2}` + "\nbody"), fault.Trust},
		{"of a newer version", s, state.Format{Kind: "note", Version: 1}, "a", file, fault.Config},
		{"of another kind", s, state.Format{Kind: "item", Version: 2}, "a", file, fault.Config},
		{"empty", s, kind, "a", nil, fault.Config},
	} {
		body, err := c.store.Unseal(c.kind, c.name, c.file)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
		if shown := !errors.Is(err, fault.Config); shown != (body != nil) {
			t.Errorf("%s: the body is %q with %v", c.what, body, err)
		}
	}
}

// ReadLog detects every change of a log, treats an incomplete last line as a crash, and
// returns the lines that can be read.
func TestLogsThatWereChanged(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	file := written(t, &s, "log", `{"n":1}`, `{"n":2}`, `{"n":3}`)
	lines := bytes.SplitAfter(file, []byte{'\n'})
	join := func(at ...int) []byte {
		var out []byte
		for _, i := range at {
			out = append(out, lines[i]...)
		}
		return out
	}
	for what, c := range map[string]struct {
		file  []byte
		lines int
		torn  bool
		want  error
	}{
		"whole":             {file, 3, false, nil},
		"torn":              {file[:len(file)-4], 2, true, nil},
		"torn before":       {append(join(0, 1), `{"mac":"`...), 1, true, nil},
		"a line removed":    {join(0, 1, 3), 2, false, fault.Trust},
		"two lines swapped": {join(0, 2, 1, 3), 3, false, fault.Trust},
		"a line repeated":   {join(0, 1, 1, 2, 3), 4, false, fault.Trust},
		"a line changed":    {bytes.Replace(file, []byte(`"n":2`), []byte(`"n":7`), 1), 3, false, fault.Trust},
		"a line added":      {append(join(0, 1, 2, 3), "{}\n"...), 3, false, fault.Trust},
		"no JSON in a line": {bytes.Replace(file, []byte(`{"n":2}`), []byte(`{"n":2`), 1), 2, false, fault.Trust},
	} {
		put(t, &s, "log", c.file)
		r, err := s.ReadLog(kind, "log")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if len(r.Lines) != c.lines || r.Torn != c.torn || !errors.Is(r.Err, c.want) {
			t.Errorf("%s: %d lines, torn %v, %v; want %d, %v, %v", what, len(r.Lines), r.Torn, r.Err, c.lines, c.torn, c.want)
		}
		if _, err := s.Reopen(kind, "log", r); !errors.Is(err, c.want) {
			t.Errorf("%s: reopening says %v, want %v", what, err, c.want)
		}
	}
}

// A log that ends at any byte is continued after its last complete line.
func TestLogsGoOnAfterACrash(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	file := written(t, &s, "log", `{"n":1}`, `"two"`)
	first := bytes.IndexByte(file, '\n') + 1
	for n := range len(file) + 1 {
		put(t, &s, "log", file[:n])
		r, err := s.ReadLog(kind, "log")
		if n < first {
			if !errors.Is(err, fault.Config) {
				t.Fatalf("%d bytes: %v, want E_CONFIG", n, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		before := len(r.Lines)
		l, err := s.Reopen(kind, "log", r)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if err := l.Append([]byte("3"), []byte("4")); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		r, err = s.ReadLog(kind, "log")
		if err != nil || r.Err != nil || len(r.Lines) != before+2 || string(r.Lines[before+1]) != "4" {
			t.Fatalf("%d bytes: went on as %q, %v, %v", n, r.Lines, err, r.Err)
		}
	}
}

// full is a file on a disk with room for n bytes.
type full struct {
	io.WriteCloser
	n int
}

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.n {
		n, _ := f.WriteCloser.Write(b[:f.n])
		f.n = 0
		return n, fault.New(fault.Quota, "the disk is full")
	}
	f.n -= len(b)
	return f.WriteCloser.Write(b)
}

// otherMachine is a host with another key.
type otherMachine struct{ state.Host }

func (otherMachine) Key() ([]byte, error) { return bytes.Repeat([]byte{1}, 32), nil }

// small is a host with room for 250 bytes in each log.
type small struct {
	state.Host
	files sandbox.FS
}

func (s small) Append(name string) (io.WriteCloser, error) {
	return &full{WriteCloser: plain{s.files, name}, n: 250}, nil
}

// After an incomplete line nothing more is written to a log.
func TestAFullDiskEndsALog(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	lent := s
	lent.Host = small{s.Host, s.Files}
	l, err := lent.NewLog(kind, "log")
	if err != nil {
		t.Fatal(err)
	}
	var failed int
	for i := range 5 {
		if err := l.Append(fmt.Append(nil, i)); errors.Is(err, fault.Quota) {
			failed++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.ReadLog(kind, "log")
	if err != nil || r.Err != nil || !r.Torn || len(r.Lines)+failed != 5 || failed == 0 {
		t.Errorf("%d writes failed, and there is %q, torn %v, %v %v", failed, r.Lines, r.Torn, r.Err, err)
	}
}

// plain is an io.WriteCloser that appends to a file of a tree.
type plain struct {
	files sandbox.FS
	name  string
}

func (p plain) Write(b []byte) (int, error) {
	old, err := fs.ReadFile(p.files, p.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	return len(b), p.files.WriteFile(p.name, append(old, b...))
}

func (plain) Close() error { return nil }

// A lock has one owner at a time, and TryHold of a lock that is taken returns E_BUSY.
func TestLocks(t *testing.T) {
	s := state.Memory(sandbox.Memory())
	release, err := s.Hold(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.TryHold("a"); !errors.Is(err, fault.Busy) {
		t.Errorf("a second owner: %v, want E_BUSY", err)
	}
	other, err := s.TryHold("b")
	if err != nil {
		t.Fatal(err)
	}
	other()
	done := make(chan error)
	go func() {
		free, err := s.Hold(t.Context(), "a")
		if err == nil {
			free()
		}
		done <- err
	}()
	release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// The zero Store returns errors and does not panic.
func TestNowhere(t *testing.T) {
	var s state.Store
	_, sealed := s.Seal(kind, "a", nil)
	_, log := s.NewLog(kind, "a")
	_, read := s.ReadLog(kind, "a")
	_, held := s.TryHold("a")
	for _, err := range []error{sealed, log, read, held} {
		if !errors.Is(err, fault.Platform) {
			t.Errorf("%v, want E_PLATFORM", err)
		}
	}
}
