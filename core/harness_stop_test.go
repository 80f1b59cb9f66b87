package core_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golem/core"
	"golem/core/options"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// SPEC §5, scenario 36: a tool that ignores its context delays neither Ctrl+C nor its timeout.
// A call that could conflict with it still waits until it returns.
func TestDeafTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		u := &ui.Script{}
		go func() {
			time.Sleep(time.Second)
			cancel()
		}()
		begun := time.Now()
		res, events := play(t, ctx, project(`calls: [{tool: deaf, args: {seconds: 60}}, {tool: nothing, args: {}}]`), core.Options{Opening: options.Opening{Approval: "approve_all"}}, u, new(atomic.Int32), nil)
		if took := time.Since(begun); res.Status != run.Interrupted || took > 2*time.Second {
			t.Errorf("%v after %v", res.Status, took)
		}
		if got := ends(events); !strings.Contains(got, "0.1 deaf stopped E_INTERRUPTED") || !strings.Contains(got, "0.2 nothing not_run E_INTERRUPTED") {
			t.Errorf("%s", got)
		}
		if _, last := events[len(events)-1].Body.(trace.RunEnd); !last {
			t.Error("run.end is not the last line")
		}
		time.Sleep(time.Minute) // the tool returns at last
	})
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		res, events := play(t, t.Context(), project(
			`calls: [{tool: deaf, args: {seconds: 60}}]`, `calls: [{tool: nothing, args: {}}, {tool: inner, args: {}}]`, "say: done",
		), core.Options{Opening: options.Opening{Approval: "approve_all"}}, &ui.Script{}, new(atomic.Int32), nil)
		if res.Status != run.OK || time.Since(begun) < time.Minute {
			t.Errorf("%v after %v: a change did not wait for the one that was still running", res.Status, time.Since(begun))
		}
		if got := ends(events); !strings.Contains(got, "0.1 deaf error E_TIMEOUT") || !strings.Contains(got, "0.2 nothing ok") || !strings.Contains(got, "0.3 inner ok") {
			t.Errorf("%s", got)
		}
	})
}

// A goroutine that a tool leaves running cannot call other tools after the tool's call has
// ended, so nothing follows the call's end, or run.end, in the trace.
func TestNothingCallsBackAfterItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int32
		_, events := play(t, t.Context(), project(`calls: [{tool: straggler, args: {}}]`, "{delay: 5s, say: done}"), core.Options{Opening: options.Opening{Approval: "approve_all"}}, &ui.Script{}, &ran, nil)
		if got := ends(events); ran.Load() != 0 || got != "0.1 straggler ok" {
			t.Errorf("%d callbacks ran: %s", ran.Load(), got)
		}
	})
}
