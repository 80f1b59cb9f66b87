package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golem/core/fault"
)

// exitInterrupted is the exit code of an interrupted run.
const exitInterrupted = 130

// interruptible is ctx until the first Ctrl+C, which ends the run properly; the
// second one exits at once (SPEC §5). A terminal that hangs up and a polite
// kill count as Ctrl+C. stop must be called.
func (h *host) interruptible(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup stays in force
		signal.Notify(signals, syscall.SIGHUP)
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-signals:
			}
			if n > 0 {
				os.Exit(exitInterrupted)
			}
			if isTerminal(h.err) {
				h.beside(func() { fmt.Fprintln(h.err) }) // after the ^C that the terminal shows
			}
			h.say("interrupted: the run is ending; press Ctrl+C again to exit at once")
			cancel(fault.New(fault.Interrupted, "interrupted by the user"))
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		<-ended
		cancel(nil)
	}
}
