package clearance_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"testing"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
)

// undoesRun undoes a run by its name.
func undoesRun(s *clearance.Store, run string) error {
	it, err := s.Of(context.Background(), run, false)
	if err == nil {
		_, err = s.Push(context.Background(), it.ID, clearance.Push{})
	}
	return err
}

// A chat writes in two exchanges, and between them another run begins to write. Undoing
// the chat by its name undoes the changes of both exchanges.
func TestUndoOfARunBesideAnother(t *testing.T) {
	d := newDisk(before)
	s := d.undo()
	chat, other := d.run(t, s, "chat"), d.run(t, s, "other")
	write := func(fsys sandbox.FS, name string) {
		t.Helper()
		if err := fsys.WriteFile(name, []byte("new")); err != nil {
			t.Fatal(err)
		}
	}
	write(chat, "a")
	if err := chat.rec.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	write(other, "c") // its exchange goes on, with the slot that the chat had
	write(chat, "d/b")
	if err := chat.rec.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := other.rec.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := undoesRun(s, "chat"); err != nil {
		t.Fatal(err)
	}
	want := withDirs(before)
	want["c"] = "new"
	same(t, "the chat undone", all(t, d.files), want)
}

// A run that was killed can be undone while another run continues.
func TestUndoOfAKilledRunBesideAnother(t *testing.T) {
	d := newDisk(before)
	if err := d.run(t, d.undo(), "killed").WriteFile("a", []byte("new")); err != nil { // and its locks went with it
		t.Fatal(err)
	}
	s := d.undo()
	if err := d.run(t, s, "other").WriteFile("c", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := undoesRun(s, "killed"); err != nil {
		t.Fatal(err)
	}
}

// unreadable is a tree in which one file cannot be opened.
type unreadable struct {
	sandbox.FS
	name string
}

func (u unreadable) Open(name string) (fs.File, error) {
	if name == u.name {
		return nil, fault.New(fault.Path, "%s is a symbolic link", name)
	}
	return u.FS.Open(name)
}

// A run that was killed, and whose files cannot be read, does not prevent the list and the undo
// of other runs. As soon as they can be read it can be undone.
func TestUndoBesideAnUnreadableRun(t *testing.T) {
	d := newDisk(before)
	d.wrote(t, "old", func(fsys sandbox.FS) error { return fsys.WriteFile("c", []byte("old")) })
	if err := d.run(t, d.undo(), "killed").WriteFile("a", []byte("new")); err != nil {
		t.Fatal(err)
	}
	s := d.undo()
	s.Real = realFiles{unreadable{d.files, "a"}}
	items, err := s.Runs(context.Background())
	if err != nil || len(items) != 2 || items[0].Run != "killed" || items[1].Err != nil {
		t.Fatalf("%+v, %v", items, err)
	}
	wants(t, items[0].Err, fault.Path)
	newest, err := s.Of(context.Background(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	wants(t, newest.Undoable(clearance.Push{}), fault.Path, "a is a symbolic link") // an older run is not undone in its place
	if err := undoesRun(s, "old"); err != nil {
		t.Fatal(err)
	}
	if err := undoesRun(d.undo(), "killed"); err != nil {
		t.Fatal(err)
	}
	same(t, "undone", all(t, d.files), withDirs(before))
}

// The item of a run that was killed can be pushed while another run continues.
func TestPushOfAKilledRunBesideAnother(t *testing.T) {
	d := newDisk(before)
	dead := d.work()
	tree, err := dead.Stage(d.files, ".")
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.WriteFile("a", []byte("new")); err != nil {
		t.Fatal(err)
	}
	s := d.store()
	other := d.workOf(s)
	if tree, err = other.Stage(d.files, "."); err != nil {
		t.Fatal(err)
	}
	if err := tree.WriteFile("c", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Push(context.Background(), "1", clearance.Push{}); err != nil {
		t.Fatal(err)
	}
}

// An undo that was killed in the middle is finished, even if before that another chat
// removes old items to make room for its own.
func TestPruneLeavesAHalfDoneUndo(t *testing.T) {
	d := newDisk(before)
	d.wrote(t, "old", changing)
	was := all(t, d.files)
	for range 24 {
		d.wrote(t, "other", func(fsys sandbox.FS) error { return fsys.WriteFile("z", []byte{byte(d.hours)}) })
	}
	chat := d.run(t, d.undo(), "chat")
	d.f.n, d.f.at = 0, 7 // within its writes
	_ = undoesRun(d.undo(), "old")
	d.f.at = 0
	if err := chat.WriteFile("y", nil); err != nil {
		t.Fatal(err)
	}
	if err := d.undo().Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	now := all(t, d.files)
	delete(now, "z")
	delete(now, "y")
	if want := withDirs(before); !maps.Equal(now, want) && !maps.Equal(now, was) {
		t.Errorf("half undone: %q\nbefore the undo: %q\nafter it: %q", now, was, want)
	}
}

// A push that was killed in the middle is finished, even if before that the chat that
// staged the item continues and replaces it.
func TestCloseLeavesAHalfDonePush(t *testing.T) {
	for at := 1; ; at++ {
		d := newDisk(before)
		w := d.work()
		tree, err := w.Stage(d.files, ".")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(tree.WriteFile("a", []byte("A")), tree.WriteFile("c", []byte("C")), tree.WriteFile("z", []byte("Z"))); err != nil {
			t.Fatal(err)
		}
		it, err := w.Close(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		was := all(t, d.files)
		d.f.n, d.f.at = 0, at
		if _, err = d.store().Push(context.Background(), it.ID, clearance.Push{}); err == nil {
			return
		}
		d.f.at = 0
		w.Refresh()
		if err := tree.WriteFile("y", []byte("Y")); err != nil {
			t.Fatal(err)
		}
		_, err = w.Close(context.Background())
		s := d.store()
		if err := errors.Join(err, s.Settle(context.Background())); err != nil {
			t.Fatal(err)
		}
		now, pushed := all(t, d.files), maps.Clone(was)
		pushed["a"], pushed["c"], pushed["z"] = "A", "C", "Z"
		if !maps.Equal(now, was) && !maps.Equal(now, pushed) {
			t.Errorf("killed at change %d: half pushed: %q", at, now)
		}
	}
}

// After an exchange whose item could not be closed, a chat continues the same item, and
// another golem does not treat the chat as a run that was killed.
func TestUndoAfterAFailedClose(t *testing.T) {
	d := newDisk(before)
	s := d.undo()
	host, fails := s.State.Host, false
	s.State.Host = locking{host, func(ctx context.Context, name string) (func(), error) {
		if fails {
			return nil, errStopped // no room for one more file
		}
		return host.Lock(ctx, name)
	}}
	chat := d.run(t, s, "chat")
	if err := chat.WriteFile("a", []byte("1")); err != nil {
		t.Fatal(err)
	}
	fails = true
	_ = chat.rec.Close(context.Background())
	fails = false
	if err := chat.WriteFile("c", []byte("2")); err != nil {
		t.Fatal(err)
	}
	if err := undoesRun(s, "chat"); !errors.Is(err, fault.Busy) {
		t.Errorf("the exchange goes on, and undoing it gives %v", err)
	}
	if err := chat.rec.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := undoesRun(s, "chat"); err != nil {
		t.Fatal(err)
	}
	same(t, "undone", all(t, d.files), withDirs(before))
}
