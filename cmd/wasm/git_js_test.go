package main

import (
	"context"
	"errors"
	"syscall/js"
	"testing"

	"golem/core/fault"
)

// second is one call of golemSecond of web/worker.js, which the test answers.
type second struct {
	resolve, reject, over js.Value
}

func seconds(t *testing.T) chan second {
	t.Helper()
	asked := make(chan second, 4)
	load := js.FuncOf(func(_ js.Value, args []js.Value) any {
		s := second{over: args[1]}
		with := js.FuncOf(func(_ js.Value, args []js.Value) any {
			s.resolve, s.reject = args[0], args[1]
			return nil
		})
		defer with.Release()
		promise := js.Global().Get("Promise").New(with)
		asked <- s
		return promise
	})
	before := js.Global().Get("golemSecond")
	js.Global().Set("golemSecond", load)
	t.Cleanup(func() {
		js.Global().Set("golemSecond", before)
		load.Release()
	})
	return asked
}

// TestGitProgramStarts tests that a call that is cancelled while the program for repositories
// loads does not wait for it, and that the loading serves the next call. A program that could
// not be loaded, or that ended, is loaded again, and the end of an old program does not
// forget a new one.
func TestGitProgramStarts(t *testing.T) {
	asked := seconds(t)
	g := &gitProgram{}
	stopped, stop := context.WithCancelCause(t.Context())
	cause := errors.New("stopped by a test")
	done := make(chan error)
	go func() {
		_, err := g.start(stopped)
		done <- err
	}()
	first := <-asked
	stop(cause)
	if err := <-done; !errors.Is(err, cause) {
		t.Errorf("stopped: %v", err)
	}
	go func() {
		l, err := g.start(t.Context())
		if err == nil && l.call.String() != "ask" {
			err = errors.New("another program")
		}
		done <- err
	}()
	first.resolve.Invoke("ask")
	if err := <-done; err != nil {
		t.Errorf("the next call: %v", err)
	}
	running := g.now
	first.over.Invoke()
	<-running.ended
	g.forget(running) // as its own goroutine does, perhaps later
	go func() {
		_, err := g.start(t.Context())
		done <- err
	}()
	(<-asked).reject.Invoke("no")
	if err := <-done; !errors.Is(err, fault.Platform) {
		t.Errorf("not loaded: %v", err)
	}
	go func() {
		_, err := g.start(t.Context())
		done <- err
	}()
	third := <-asked
	third.resolve.Invoke("ask")
	if err := <-done; err != nil {
		t.Error(err)
	}
	now := g.now
	if g.forget(running); g.now != now {
		t.Error("the end of an old program forgot the new one")
	}
	third.over.Invoke()
}
