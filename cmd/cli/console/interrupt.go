package console

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golem/core/fault"
)

// Interruptible returns a context that the first Ctrl+C cancels, so that the run ends
// properly; the second one exits at once (SPEC §5). SIGHUP, SIGTERM and Ctrl+\ count as
// Ctrl+C. The caller must call stop.
func (c *Console) Interruptible(ctx context.Context) (_ context.Context, stop func()) {
	ctx, _, stop = c.InterruptibleBut(ctx, nil)
	return ctx, stop
}

// whenEnded calls last and ends golem with the exit code 130 when a signal comes that
// ends golem. The caller must call stop.
func whenEnded(last func()) (stop func()) {
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	endingSignals(signals)
	go func() {
		select {
		case <-signals:
			last()
			os.Exit(ExitInterrupted)
		case <-done:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// endingSignals sends the signals that end golem to a channel.
func endingSignals(to chan<- os.Signal) {
	signal.Notify(to, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) { // golem runs under nohup: keep ignoring it
		signal.Notify(to, syscall.SIGHUP)
	}
}

// Exchanges makes it possible that Ctrl+C ends only the current exchange of a chat, and
// not the chat.
type Exchanges struct {
	mu    sync.Mutex
	stop  context.CancelCauseFunc // cancels the current exchange; nil: there is none, or it was cancelled
	works bool                    // there is an exchange
}

// Begin returns the context of one exchange, and the function to call at its end.
func (e *Exchanges) Begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stop, e.works = cancel, true
	return ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.stop, e.works = nil, false
		cancel(nil)
	}
}

// End cancels the current exchange; false if there is none, or it was cancelled
// already.
func (e *Exchanges) End() bool {
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stop == nil {
		return false
	}
	e.stop(fault.New(fault.Interrupted, "stopped by the user"))
	e.stop = nil
	return true
}

// waits reports whether a chat waits for the person's next message, and nothing else.
func (e *Exchanges) waits() bool {
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.works
}

// InterruptibleBut is like interruptible, but a Ctrl+C during an exchange of e ends
// only the exchange. leave cancels the context; it is for a front end that reads Ctrl+C
// as a key.
func (c *Console) InterruptibleBut(ctx context.Context, e *Exchanges) (_ context.Context, leave func(*fault.Fault), stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	endingSignals(signals)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case s := <-signals:
				if s == os.Interrupt && n == 0 && e.End() {
					besideTerminal(c)
					c.Say("stopping this exchange; press Ctrl+C again to leave the chat")
					n--
					continue
				}
			}
			if n > 0 {
				if f := c.front.Load(); f != nil && f.Restore != nil {
					f.Restore()
				}
				os.Exit(ExitInterrupted)
			}
			if !e.waits() { // else there is nothing to wait for
				sayEnding(c, "interrupted: the run is ending; press Ctrl+C again to exit at once")
			}
			cancel(fault.New(fault.Interrupted, "interrupted by the user"))
		}
	}()
	return ctx, func(why *fault.Fault) { cancel(why) }, func() {
		signal.Stop(signals)
		close(done)
		<-ended
		cancel(nil)
	}
}

// sayEnding shows that the run ends: below its tree if there is one, else on a line.
func sayEnding(c *Console, text string) {
	if f := c.front.Load(); f != nil && f.Passing != nil {
		f.Passing(text)
		return
	}
	besideTerminal(c)
	c.Say("%s", text)
}

// besideTerminal ends the line in which the terminal shows ^C.
func besideTerminal(c *Console) {
	if f := c.front.Load(); (f == nil || f.Tell == nil && f.Restore == nil) && IsTerminal(c.Err) {
		c.Beside(func() { fmt.Fprintln(c.Err) })
	}
}
