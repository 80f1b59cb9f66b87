package main

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"time"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/sandbox/opfs"
)

// A project is made twice at once in one tab: one of them makes it, the other is told that
// the name is taken, and what was made stays.
func TestMakeTwiceInOneTab(t *testing.T) {
	s := tab
	filling, goOn, first := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		first <- s.make("twice", func(dir *opfs.FS) error {
			err := dir.WriteFile("a", []byte("a"))
			close(filling)
			<-goOn
			return err
		})
	}()
	<-filling
	second := s.make("twice", func(dir *opfs.FS) error { return dir.WriteFile("b", []byte("b")) })
	close(goOn)
	err := <-first
	if err != nil {
		t.Errorf("the first: %v", err)
	}
	if !errors.Is(second, fault.Conflict) && !errors.Is(second, fault.Busy) {
		t.Errorf("the second: %v; want that the name is taken", second)
	}
	dir, err := s.project("twice")
	if err != nil {
		t.Fatal("afterwards: ", err)
	}
	if data, err := fs.ReadFile(dir, "a"); err != nil || string(data) != "a" {
		t.Errorf("%q, %v", data, err)
	}
}

// A change of what is trusted keeps other tabs away, also where no run holds the project,
// as when trust or a rule is removed.
func TestTrustIsChangedByOneTab(t *testing.T) {
	s := tab
	if err := s.make("trusting", func(*opfs.FS) error { return nil }); err != nil {
		t.Fatal(err)
	}
	file, _, err := s.kept("trusting")
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Change(func([]byte) ([]byte, error) { return []byte("a"), nil }); err != nil {
		t.Fatal(err)
	}
	// Another tab has a mutex of its own; what it shares is the browser's storage and its locks.
	other := func(old []byte) ([]byte, error) { return append(old, 'b'), nil }
	done := make(chan error, 1)
	err = file.Change(func(old []byte) ([]byte, error) {
		go func() { done <- inAnotherTab(file.(trustFile), other) }()
		time.Sleep(100 * time.Millisecond)
		return append(old, 'c'), nil
	})
	if err = errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if data, err := file.Read(); err != nil || len(data) != 3 {
		t.Errorf("there is %q, %v: a change is lost", data, err)
	}
}

// inAnotherTab is trustFile.Change with another tab's mutex.
func inAnotherTab(f trustFile, change func([]byte) ([]byte, error)) error {
	release, err := waitLock(context.Background(), f.root, f.name) // as the other changes of golem's own files do
	if err != nil {
		return err
	}
	defer release()
	old, err := f.Read()
	if err != nil {
		return err
	}
	data, err := change(old)
	if err != nil {
		return err
	}
	return f.root.WriteFile(f.name, data)
}

// tab is one tab for all tests of this file.
var tab = &stores{}

// A project that runs is not deleted, in the tab in which it runs either: its state's key
// would be gone first, and with it what is staged and kept.
func TestRemoveWhileItRuns(t *testing.T) {
	s := tab
	if err := s.make("running", func(*opfs.FS) error { return nil }); err != nil {
		t.Fatal(err)
	}
	dir, err := s.project("running")
	if err != nil {
		t.Fatal(err)
	}
	release, err := s.hold(dir) // as a run does
	if err != nil {
		t.Fatal(err)
	}
	kept := s.state(dir, "running")
	j := conversation.Start(&kept, conversation.Entry{Run: "x", Worker: "main"})
	j.Flush()
	if err := s.remove("running"); !errors.Is(err, fault.Busy) {
		t.Errorf("removed: %v", err)
	}
	j.Close()
	release()
	again := s.state(dir, "running") // as the next run opens it
	k, err := conversation.Read(&again, "x")
	if err != nil || k.Err != nil {
		t.Errorf("%v %v", err, k)
	}
}
