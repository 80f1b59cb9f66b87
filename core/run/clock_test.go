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
