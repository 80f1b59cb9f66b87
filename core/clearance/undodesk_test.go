package clearance_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
)

// undo returns a new Store with Undo on the disk, as a golem that has just started.
func (d *disk) undo() *clearance.Store {
	s := d.store()
	s.Undo, s.Targets = true, nil
	s.Now = func() time.Time { // a clock that is set back again and again
		d.hours++
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(d.hours) * time.Hour)
	}
	return s
}

// recording is a view of a run that writes directly, with the run's Record.
type recording struct {
	sandbox.FS
	rec  *clearance.Record
	told []string
}

func (d *disk) run(t testing.TB, s *clearance.Store, id string) *recording {
	t.Helper()
	r := &recording{}
	r.rec = &clearance.Record{Store: s, Run: id, Worker: "main", Root: ".", Host: &host{told: func(f *fault.Fault) { r.told = append(r.told, f.Error()) }}}
	var err error
	r.FS, err = sandbox.View(sandbox.ViewSpec{
		Mounts:  []sandbox.Mount{{Name: "root", At: ".", FS: faulty{d.files, d.f}, Source: ".", Mode: sandbox.ReadWrite}},
		Changes: recorded{r.rec},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wrote makes the changes of do as a run that has ended.
func (d *disk) wrote(t testing.TB, id string, do func(sandbox.FS) error) {
	t.Helper()
	r := d.run(t, d.undo(), id)
	if err := errors.Join(do(r), r.rec.Close(context.Background())); err != nil {
		t.Fatal(err)
	}
}

// undoes undoes the newest run.
func undoes(s *clearance.Store, how clearance.Push) error {
	it, err := s.Of(context.Background(), "", how.Redo)
	if err == nil {
		_, err = s.Push(context.Background(), it.ID, how)
	}
	return err
}

func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Fatalf("%s: there is %q instead of %q", what, got, want)
	}
}

// oneOf makes one random change to files with a few names; the change may fail.
func oneOf(t *rapid.T, fsys sandbox.FS, n int) {
	names := []string{"a", "d", "d/b", "d/e", "d/e/f", "g/h", "c"}
	name := rapid.SampledFrom(names).Draw(t, "name")
	switch rapid.IntRange(0, 4).Draw(t, "what") {
	case 0, 1:
		_ = fsys.WriteFile(name, fmt.Append(nil, n%5))
	case 2:
		_ = fsys.Remove(name)
	case 3:
		_ = fsys.Rename(name, rapid.SampledFrom(names).Draw(t, "to"))
	case 4:
		_ = fsys.Mkdir(name, 0o755)
	}
}

// recorded is the changes of a view without staged mounts.
type recorded struct{ *clearance.Record }

func (recorded) Stage(base sandbox.FS, _ string) (sandbox.FS, error) { return base, nil }

func (r recorded) Before(w sandbox.Write) (after func(made bool), err error) {
	failed, err := r.Record.Before(w)
	return func(made bool) {
		if !made && failed != nil {
			failed()
		}
	}, err
}
