package clearance_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
	"golem/core/state"
)

func push(s *clearance.Store, id string, how clearance.Push) error {
	_, err := s.Push(context.Background(), id, how)
	return err
}

func wants(t *testing.T, err error, code fault.Code, words ...string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("%v instead of %s", err, code)
	}
	for _, w := range words {
		if !strings.Contains(fault.Of(err, code).Error(), w) {
			t.Errorf("%v does not say %q", err, w)
		}
	}
}

// If one file was changed after it was staged, no file of the item is written (S4-51).
func TestConflict(t *testing.T) {
	d, it := prepared(t)
	if err := d.files.WriteFile("d/b", []byte("mine\n")); err != nil {
		t.Fatal(err)
	}
	was := all(t, d.files)
	wants(t, push(d.store(), it.ID, clearance.Push{}), fault.Conflict, "d/b", "nothing was written")
	if !maps.Equal(was, all(t, d.files)) || len(get(t, d.store())) != 1 {
		t.Error("something changed")
	}
	// A file that already has the new content is not a conflict.
	if err := errors.Join(d.files.Remove("d/b"), d.files.WriteFile("a", []byte("ONE\n"))); err != nil {
		t.Fatal(err)
	}
	if err := push(d.store(), it.ID, clearance.Push{}); err != nil {
		t.Error(err)
	}
}

// Push writes exactly the snapshot that was shown, checked by its digest. An item with
// another digest or with changed content is an error.
func TestPushIsWhatWasShown(t *testing.T) {
	d, it := prepared(t)
	wants(t, push(d.store(), it.ID, clearance.Push{Digest: "other"}), fault.Conflict, "not what was shown")
	for _, c := range it.Changes {
		if c.Path == "a" {
			if err := d.state.WriteFile("clearance/1/"+c.Digest, []byte("EVIL\n")); err != nil {
				t.Fatal(err)
			}
		}
	}
	wants(t, push(d.store(), it.ID, clearance.Push{Digest: it.Digest()}), fault.Conflict, "was changed")
	if !maps.Equal(all(t, d.files), withDirs(before)) {
		t.Error("something was written")
	}
}

// An item that this machine did not write can only be shown (SPEC §3).
func TestForeignItem(t *testing.T) {
	d, it := prepared(t)
	data, err := sandbox.ReadFile(d.state, "clearance/1/item", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"edited":  strings.Replace(string(data), "ONE", "TWO", 1) + " ",
		"newer":   strings.Replace(string(data), `"v":1`, `"v":2`, 1),
		"garbage": "hello",
	} {
		if err := d.state.WriteFile("clearance/1/item", []byte(text)); err != nil {
			t.Fatal(err)
		}
		s := d.store()
		was := all(t, d.state)
		items := get(t, s)
		if len(items) != 1 || items[0].Err == nil {
			t.Fatalf("%s: %+v", name, items)
		}
		if _, err := s.Diff(items[0], ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if push(s, it.ID, clearance.Push{}) == nil {
			t.Errorf("%s was pushed", name)
		}
		if _, err := s.Discard(context.Background(), it.ID); err == nil {
			t.Errorf("%s was discarded", name)
		}
		if _, err := s.Defer(context.Background(), it.ID); err == nil || s.Settle(context.Background()) != nil {
			t.Errorf("%s was deferred", name)
		}
		if n, _ := s.Waiting(); len(n) != 0 || !maps.Equal(was, all(t, d.state)) || !maps.Equal(all(t, d.files), withDirs(before)) {
			t.Errorf("%s: something changed", name)
		}
	}
	if err := d.state.WriteFile("clearance/1/item", data); err != nil {
		t.Fatal(err)
	}
	// The same file as another item, and under the key of another machine.
	if err := d.state.WriteFile("clearance/7/item", data); err != nil {
		t.Fatal(err)
	}
	s := d.store()
	wants(t, push(s, "7", clearance.Push{}), fault.Trust)
	s.State.Host = otherMachine{s.State.Host}
	wants(t, push(s, "1", clearance.Push{}), fault.Trust)
	if err := push(d.store(), "1", clearance.Push{}); err != nil {
		t.Error(err)
	}
}

// Pushing a file that defines the project needs a second yes that names it. A file for
// secrets, such as .env, is never written.
func TestDefinition(t *testing.T) {
	d := newDisk(nil)
	commit := func(name string) string {
		t.Helper()
		it, err := d.work().Commit(context.Background(), []clearance.File{{Source: ".", Path: name, Read: func() ([]byte, error) { return []byte("x"), nil }}}, "m", "")
		if err != nil {
			t.Fatal(err)
		}
		return it.ID
	}
	id := commit("x.worker")
	wants(t, push(d.store(), id, clearance.Push{}), fault.Protected, "x.worker")
	wants(t, push(d.store(), id, clearance.Push{Definitions: []string{"y.worker"}}), fault.Protected, "x.worker")
	if len(all(t, d.files)) != 0 {
		t.Fatal("something was written")
	}
	if err := push(d.store(), id, clearance.Push{Definitions: []string{"x.worker"}}); err != nil {
		t.Error(err)
	}
	wants(t, push(d.store(), commit(".git/hooks/x"), clearance.Push{Definitions: []string{".git/hooks/x"}}), fault.Protected)
}

// In a target, files have their paths below the mount, and conflicts are judged by the
// target's files.
func TestTarget(t *testing.T) {
	d := newDisk(map[string]string{"work/r.md": "now\n", "pub/r.md": "old\n"})
	it, err := d.work().Commit(context.Background(), []clearance.File{{Source: "work", Path: "r.md", Read: func() ([]byte, error) { return []byte("now\n"), nil }}}, "Report", "main")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.files.WriteFile("work/r.md", []byte("later\n")), push(d.store(), it.ID, clearance.Push{})); err != nil {
		t.Fatal(err)
	}
	if got := all(t, d.files)["pub/r.md"]; got != "now\n" {
		t.Errorf("%q", got)
	}
	if got := d.store().Notes(context.Background()); len(got) != 1 || got[0] != "[System: User pushed staged commit to main]\n1 Report" {
		t.Errorf("%q", got)
	}
	_, err = d.work().Commit(context.Background(), nil, "m", "mian")
	wants(t, err, fault.NotFound, "main")
}

// The item of a run grows with each exchange until a person decides on it. After a
// decision the overlay forgets its changes.
func TestExchanges(t *testing.T) {
	d := newDisk(before)
	w := d.work()
	fsys := stage(t, w)
	write := func(name, data string) *clearance.Item {
		t.Helper()
		w.Refresh()
		if err := fsys.WriteFile(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
		it, err := w.Close(context.Background())
		if err != nil || it == nil {
			t.Fatal(it, err)
		}
		return it
	}
	reads := func(name, want string) {
		t.Helper()
		if data, err := sandbox.ReadFile(fsys, name, 100); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	first := write("a", "A1")
	second := write("c", "C1")
	if len(second.Changes) != 2 || second.Replaces != first.ID || len(get(t, d.store())) != 1 {
		t.Fatalf("%+v", second)
	}
	if err := push(d.store(), first.ID, clearance.Push{}); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if err := push(d.store(), second.ID, clearance.Push{}); err != nil {
		t.Fatal(err)
	}
	reads("a", "A1")
	third := write("a", "A2")
	if len(third.Changes) != 1 {
		t.Errorf("%+v", third)
	}
	if _, err := d.store().Discard(context.Background(), third.ID); err != nil {
		t.Fatal(err)
	}
	reads("a", "A1")
	w.Refresh()
	reads("a", "A1")
	// The item is pushed after the next exchange has changed the file again.
	fourth := write("a", "A3")
	if err := errors.Join(fsys.WriteFile("a", []byte("A4")), push(d.store(), fourth.ID, clearance.Push{})); err != nil {
		t.Fatal(err)
	}
	it, err := w.Close(context.Background())
	if err != nil || it == nil {
		t.Fatal(it, err)
	}
	if err := push(d.store(), it.ID, clearance.Push{}); err != nil {
		t.Error(err)
	}
	if got := all(t, d.files)["a"]; got != "A4" {
		t.Errorf("%q", got)
	}
}

// A person cannot decide on an open item while its run continues, but can after the run
// has died.
func TestOpenItem(t *testing.T) {
	d := newDisk(before)
	shared := d.store()
	w := d.workOf(shared)
	if err := stage(t, w).WriteFile("a", []byte("A")); err != nil {
		t.Fatal(err)
	}
	if items := get(t, shared); len(items) != 1 || items[0].State != clearance.Open {
		t.Fatalf("%+v", items)
	}
	wants(t, push(shared, "1", clearance.Push{}), fault.Busy)
	if err := push(d.store(), "1", clearance.Push{}); err != nil { // its locks are free: the process has ended
		t.Error(err)
	}
}

// A staged mount passes the suite for every sandbox.FS, also without a store, when its
// changes are in memory.
func TestStagedTree(t *testing.T) {
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS { return stage(t, newDisk(nil).work()) })
	sandboxtest.Test(t, func(t *testing.T) sandbox.FS { return stage(t, newDisk(nil).workOf(&clearance.Store{})) })
}

// On a platform without repositories, staging for, showing or pushing to a repository is
// E_PLATFORM (SPEC §9).
func TestNoRepositories(t *testing.T) {
	d, it := prepared(t)
	s := d.store()
	s.Targets["repo"] = clearance.Target{Git: ".", Branch: "main"}
	_, err := s.Diff(it, "repo")
	wants(t, err, fault.Platform)
	wants(t, push(s, it.ID, clearance.Push{Target: "repo"}), fault.Platform, "no git repositories")
	_, err = d.workOf(s).Commit(context.Background(), []clearance.File{{Source: ".", Path: "a", Read: func() ([]byte, error) { return nil, nil }}}, "x", "repo")
	wants(t, err, fault.Platform)
	if err := push(s, it.ID, clearance.Push{}); err != nil || len(get(t, s)) != 0 {
		t.Error(err)
	}
}

// A clock that jumps, also to before 1970 or far ahead, changes neither the order of items
// nor decisions, because items are identified by their numbers.
func TestClockJumps(t *testing.T) {
	d := newDisk(nil)
	s := d.store()
	years := []int{2026, 1, 9999, 1969, 2026}
	s.Now = func() time.Time { return time.Date(years[0], 1, 1, 0, 0, 0, 0, time.UTC) }
	w := d.workOf(s)
	for n := range years {
		years = append(years[1:], years[0])
		name := string(rune('a' + n))
		if _, err := w.Commit(context.Background(), []clearance.File{{Source: ".", Path: name, Read: func() ([]byte, error) { return []byte(name), nil }}}, name, ""); err != nil {
			t.Fatal(err)
		}
	}
	for n, it := range get(t, s) {
		if it.Message != string(rune('a'+n)) || it.Err != nil {
			t.Errorf("%d is %+v", n, it)
		}
	}
	if err := errors.Join(s.Settle(context.Background()), push(s, "2", clearance.Push{}), push(s, "5", clearance.Push{})); err != nil || len(get(t, s)) != 3 {
		t.Error(err)
	}
}

// A push to another target that is taken back leaves the item its own target.
func TestTargetOfAPushThatFailed(t *testing.T) {
	everywhere(t, func(d *disk, it clearance.Item) error {
		return push(d.store(), it.ID, clearance.Push{Target: "main"})
	}, func(t *testing.T, _ *disk, s *clearance.Store, failed error) {
		for _, it := range get(t, s) {
			if it.Target != "" || it.Own != nil {
				t.Errorf("after %v the target is %q", failed, it.Target)
			}
		}
	})
}

// otherMachine is a host with another key.
type otherMachine struct{ state.Host }

func (otherMachine) Key() ([]byte, error) { return []byte("01234567890123456789012345678901"), nil }

// locking is a host whose locks are taken by a function.
type locking struct {
	state.Host
	lock func(ctx context.Context, name string) (release func(), err error)
}

func (l locking) Lock(ctx context.Context, name string) (release func(), err error) {
	return l.lock(ctx, name)
}
