package coretest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"golem/core/coretest"
)

// TestInterruptAnywhere stops every case at several of its events (scenario
// 36): the run ends within a second of the case's clock, with status
// interrupted unless it had ended already, and its trace is complete: every call
// and every worker has its end, and run.end comes last.
func TestInterruptAnywhere(t *testing.T) {
	cases, err := coretest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	played, stopped := 0, 0
	for _, c := range cases {
		if c.Settings.Command == "check" || c.Settings.Command == "workers" || c.Settings.Status == "config" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			played++
			for _, at := range []int{1, 2, 3, 5, 8, 13, 21, 34, 55} {
				c := c
				c.Settings.Interrupt = fmt.Sprintf("#%d", at)
				var o coretest.Outcome
				synctest.Test(t, func(t *testing.T) { o = coretest.Run(t.Context(), c) })
				begun := o.Trace != "" // not if a chat was stopped at a command before its first message
				for _, p := range o.Problems {
					if begun && strings.HasPrefix(p, "trace:") || strings.HasPrefix(p, "the run ended") {
						t.Errorf("event %d: %s\n%s", at, p, o.Trace)
					}
				}
				if o.Status != "interrupted" {
					break // the run had ended before, or was refused
				}
				if stopped++; o.Exit != 130 {
					t.Errorf("event %d: exit %d", at, o.Exit)
				}
			}
		})
	}
	if played > 200 && stopped < 500 { // fewer with -run
		t.Errorf("only %d runs were stopped", stopped)
	}
}
