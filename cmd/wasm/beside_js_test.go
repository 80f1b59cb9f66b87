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

// TestMakeTwiceInOneTab makes a project twice at the same time in one tab. One call makes
// it, the other fails because the name is taken, and the project stays.
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

// TestTrustIsChangedByOneTab tests that two tabs do not change the trust file at the same
// time, also if no run holds the project, as when trust or a rule is removed.
func TestTrustIsChangedByOneTab(t *testing.T) {
	s := tab
	if err := s.make("trusting", func(*opfs.FS) error { return nil }); err != nil {
		t.Fatal(err)
	}
	file, _, err := s.trustFiles("trusting")
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

// inAnotherTab does what trustFile.Change does, as another tab does it.
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

// tab has the stores of one tab, for all tests of this file.
var tab = &stores{}

// TestRemoveWhileItRuns tests that a project cannot be deleted while it runs, not even in
// the tab in which it runs. The key of its state would be deleted first, and with it all
// that is staged and kept would be lost.
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
	j := conversation.Start(&kept, nil, conversation.Entry{Run: "x", Worker: "main"})
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
