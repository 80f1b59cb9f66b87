package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/fault"
)

func TestClockTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clock
		ctx, stop := c.timeout(t.Context(), 2*time.Second, "tool x")
		defer stop()
		time.Sleep(time.Second)
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatal("ended early")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !errors.Is(context.Cause(ctx), fault.Timeout) {
			t.Fatalf("cause = %v, want E_TIMEOUT", context.Cause(ctx))
		}
	})
}

// Scenario 20: an answer after twice the timeout still counts.
func TestClockStandsStillWhilePaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clock
		ctx, stop := c.timeout(t.Context(), 2*time.Second, "tool x")
		defer stop()
		time.Sleep(1500 * time.Millisecond)
		outer, inner := c.pause(), c.pause()
		time.Sleep(10 * time.Second)
		inner()
		time.Sleep(10 * time.Second)
		outer()
		outer() // a second call changes nothing
		time.Sleep(400 * time.Millisecond)
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatal("waiting counted against the timeout")
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if ctx.Err() == nil {
			t.Fatal("the rest of the timeout did not run out after the pause")
		}
	})
}

func TestClockTimeoutBegunWhilePaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clock
		resume := c.pause()
		ctx, stop := c.timeout(t.Context(), time.Second, "worker w")
		defer stop()
		time.Sleep(time.Minute)
		synctest.Wait()
		if ctx.Err() != nil {
			t.Fatal("a timeout ran while paused")
		}
		resume()
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		if ctx.Err() == nil {
			t.Fatal("the timeout never ran")
		}
	})
}

// A tool's deadline stands still while its callback runs; other deadlines continue, and
// pauses of both kinds nest.
func TestDeadlineStandsStillWhileAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clock
		ctx, dl := c.deadline(t.Context(), 2*time.Second, "tool x")
		defer dl.stop()
		other, stop := c.timeout(t.Context(), 20*time.Second, "worker w")
		defer stop()
		time.Sleep(time.Second)
		dl.leave()
		dl.leave()
		time.Sleep(10 * time.Second)
		dl.come()
		resume := c.pause()
		dl.come()
		time.Sleep(time.Hour)
		resume()
		time.Sleep(900 * time.Millisecond)
		synctest.Wait()
		if ctx.Err() != nil || other.Err() != nil {
			t.Fatal("time away counted, or a pause")
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if !errors.Is(context.Cause(ctx), fault.Timeout) || other.Err() != nil {
			t.Fatalf("%v, %v", context.Cause(ctx), other.Err())
		}
		time.Sleep(9 * time.Second)
		synctest.Wait()
		if other.Err() == nil {
			t.Fatal("the other deadline stood still too")
		}
		dl.leave() // after its end: nothing happens
		dl.come()
		var none *deadline
		none.leave()
		none.come()
		none.stop()
	})
}
