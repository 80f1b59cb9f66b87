package clearance_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
)

// held takes the lock of a store, as another golem would.
func held(t *testing.T, s *clearance.Store, name string) (release func()) {
	t.Helper()
	release, err := s.State.Hold(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

// A change that waits while another golem has the lock ends with its context: nothing is
// written, the kept items stay complete, and other calls of the run do not wait with it.
// The end of an exchange waits a limited time for another golem to free the lock.
func TestWaitsEndWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(before)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		staged, undo := d.store(), d.undo()
		w := d.workOf(staged)
		life := func(ctx context.Context) { w.Host = &host{files: d.files, life: ctx} }
		life(ctx)
		fsys := stage(t, w)
		r := d.run(t, undo, "r")
		r.rec.Host = w.Host

		free, freeUndo := held(t, staged, "clearance"), held(t, undo, "undo")
		var both sync.WaitGroup
		var errs [2]error
		both.Go(func() { errs[0] = fsys.WriteFile("a", nil) })
		both.Go(func() { errs[1] = r.WriteFile("a", nil) })
		time.Sleep(time.Minute)
		w.Refresh()
		r.rec.Blind("run_command")
		stop()
		both.Wait()
		wants(t, errs[0], fault.Busy)
		wants(t, errs[1], fault.Busy)
		same(t, "files", all(t, d.files), withDirs(before))
		free()
		freeUndo()

		next, end := context.WithCancel(t.Context())
		defer end()
		life(next)
		r.rec.Host = w.Host
		for _, err := range []error{fsys.WriteFile("a", nil), r.WriteFile("c", nil)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		free, freeUndo = held(t, staged, "clearance"), held(t, undo, "undo")
		for _, most := range []time.Duration{10 * time.Second, time.Second} {
			start := time.Now()
			_, err := w.Close(next)
			wants(t, err, fault.Busy)
			if took := time.Since(start); took > most || took < most/2 {
				t.Errorf("it waited %v", took)
			}
			end()
		}
		wants(t, r.rec.Close(next), fault.Busy)
		free()
		freeUndo()
		if it, err := w.Close(next); err != nil || it == nil || len(r.told) > 0 {
			t.Fatal(it, err, r.told)
		}
		if err := undoes(undo, clearance.Push{}); err != nil {
			t.Fatal(err)
		}
		same(t, "undone", all(t, d.files), withDirs(before))
	})
}

// host is what Work and Record see of a run.
type host struct {
	files sandbox.FS
	life  context.Context // nil: it does not end
	told  func(*fault.Fault)
}

func (h *host) Base() (sandbox.FS, error) { return h.files, nil }

func (h *host) Life() context.Context {
	if h.life == nil {
		return context.Background()
	}
	return h.life
}

func (h *host) Trouble(f *fault.Fault) {
	if h.told != nil {
		h.told(f)
	}
}
