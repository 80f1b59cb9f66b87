package batch_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

// shelf has batches in memory. After left writes nothing is written any more, as after a kill.
type shelf struct {
	files sandbox.FS
	locks map[string]state.Store
	left  int
}

func newShelf() *shelf {
	return &shelf{files: sandbox.Memory(), locks: map[string]state.Store{}, left: 1 << 30}
}

func (s *shelf) Batches() (out []string, err error) {
	entries, err := fs.ReadDir(s.files, ".")
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out, err
}

func (s *shelf) Batch(name string) (state.Store, error) {
	if _, known := s.locks[name]; !known {
		s.locks[name] = state.Memory(sandbox.Lazy(s.files.(sandbox.SubFS), name))
	}
	store := s.locks[name]
	store.Files = mortal{sandbox.Lazy(s.files.(sandbox.SubFS), name), s}
	return store, nil
}

func (s *shelf) Emptied(name string) {
	if s.left > 0 {
		_ = s.files.Remove(name)
	}
}

var errDead = errors.New("the process was killed")

type mortal struct {
	sandbox.FS
	of *shelf
}

func (m mortal) dies() bool {
	m.of.left--
	return m.of.left < 0
}

func (m mortal) WriteFile(name string, data []byte) error {
	if m.dies() {
		return errDead
	}
	return m.FS.WriteFile(name, data)
}

func (m mortal) Remove(name string) error {
	if m.dies() {
		return errDead
	}
	return m.FS.Remove(name)
}

// add makes a batch with two items, and runs the first ones.
func (s *shelf) add(t *testing.T, name string, run int) {
	t.Helper()
	h := head
	h.Name = name
	store, _ := s.Batch(name)
	q, err := batch.OpenLocal(&store, h)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, err := q.Update(texts{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	for range run {
		l, err := q.Lease(t.Context(), "")
		if err == nil {
			err = l.Finish(t.Context(), batch.Result{Status: batch.OK, Output: []byte(`"old"`), Trace: []byte("{}\n")})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// counts returns how far a batch is, and E_NOT_FOUND if there is none.
func (s *shelf) counts(name string) (batch.Counts, error) {
	store, _ := s.Batch(name)
	q, err := batch.ReadLocal(&store)
	if err != nil {
		return batch.Counts{}, err
	}
	return q.Counts(), nil
}

// A batch that is removed is there whole or not at all, at whatever write golem is killed; what is
// left of it does not come back when the batch begins anew, and goes with the next batch.
func TestRemoveKilled(t *testing.T) {
	for left := 0; ; left++ {
		s := newShelf()
		s.add(t, "b", 1)
		s.left = left
		err := batch.Remove(s, "b")
		s.left = 1 << 30
		switch n, gone := s.counts("b"); {
		case left == 0 && (gone != nil || n.OK != 1 || n.Open != 1):
			t.Errorf("killed at the first write: %+v, %v", n, gone)
		case left > 0 && !errors.Is(gone, fault.NotFound):
			t.Errorf("killed at write %d: %+v, %v", left, n, gone)
		}
		if left > 0 {
			if err := batch.Prune(s, nothingWaits{}); err != nil {
				t.Fatal(err)
			}
			if names, _ := s.Batches(); len(names) > 0 {
				t.Errorf("killed at write %d: %v are left", left, names)
			}
		}
		if err == nil {
			if left < 4 {
				t.Errorf("the removal has %d writes", left)
			}
			break
		}
		if left > 0 {
			s = newShelf()
			s.add(t, "b", 1)
			s.left = left
			_ = batch.Remove(s, "b") // killed
			s.left = 1 << 30
			s.add(t, "b", 0)
			if n, err := s.counts("b"); err != nil || n.Open != 2 {
				t.Errorf("killed at write %d, begun anew: %+v, %v", left, n, err)
			}
		}
	}
}

// A batch that a process runs is not removed, and one that is not there is E_NOT_FOUND.
func TestRemoveRefused(t *testing.T) {
	s := newShelf()
	if err := batch.Remove(s, "b"); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
	s.add(t, "b", 2)
	store, _ := s.Batch("b")
	h := head
	q, err := batch.OpenLocal(&store, h)
	if err != nil {
		t.Fatal(err)
	}
	if err := batch.Remove(s, "b"); !errors.Is(err, fault.Busy) {
		t.Error(err)
	}
	q.Close()
	if err := batch.Remove(s, "b"); err != nil {
		t.Error(err)
	}
}

type nothingWaits struct{}

func (nothingWaits) Waits(batch.Head) bool { return false }

type waits []string

func (w waits) Waits(h batch.Head) bool { return slices.Contains(w, h.Name) }

// Of the batches that ended, those that were written last stay. One that has not ended stays, and
// so does one of which something waits for a person, however old they are.
func TestPrune(t *testing.T) {
	s := newShelf()
	const more = 6
	for n := range batch.KeptCount + more {
		done := 2
		if n == 1 {
			done = 1
		}
		s.add(t, fmt.Sprintf("b-%03d", n), done)
		for began := time.Now(); !time.Now().After(began); { // the next one is written later
		}
	}
	running, _ := s.Batch("b-003")
	h := head
	h.Name = "b-003"
	q, err := batch.OpenLocal(&running, h)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if err := batch.Prune(s, waits{"b-002"}); err != nil {
		t.Fatal(err)
	}
	names, _ := s.Batches()
	if first := strings.Join(names[:4], " "); first != "b-001 b-002 b-003 b-006" || len(names) != batch.KeptCount+3 {
		t.Errorf("%d batches are left: %s …", len(names), first)
	}
}
